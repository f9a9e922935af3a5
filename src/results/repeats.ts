import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "../model/json.ts";

/** Numbers rows of tools that don't count repeats: the number is how many rows with the same content came before. */
export function createRepeatCounter(): (content: Json) => number {
  const counts = new Map<string, number>();
  return (content) => {
    const key = contentKey(content);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };
}

/** A short hash, because a large eval has many rows. */
export function contentKey(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64url").slice(0, 22);
}
