import { problem } from "../model/refusal.ts";
import type { Desk } from "./desk.ts";
import { at, type Part, placeOf, presentKeys } from "./part.ts";

/** The one of several keys that a mapping has; none and two are refused. */
export function oneKeyOf(part: Part, keys: readonly string[], desk: Desk): string | undefined {
  const found = presentKeys(part, keys);
  const [first, second] = found;
  if (first === undefined) {
    return desk.misspelt(part)
      ? undefined
      : desk.refuse(problem("keys_none", { keys }, placeOf(part)));
  }
  if (second === undefined) return first;
  const place = part.locate(at(part, second).path, "key");
  return desk.refuse(problem("keys_exclusive", { found, keys }, place));
}
