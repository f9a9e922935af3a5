import { isJsonObject, type Json, type JsonObject } from "./json.ts";

const key = "unverified_claims";

/**
 * Claims that a judge could not verify: its own list, the list of one of several graders, or the list read from k-eval's
 * files.
 */
export function claimsOf(judge: JsonObject | null): readonly string[] {
  if (judge === null) return [];
  const own = textsIn(judge[key]);
  if (own !== undefined) return own;
  const parts = Object.values(judge).flatMap((part) =>
    isJsonObject(part) ? (textsIn(part[key]) ?? []) : [],
  );
  return parts.length > 0 ? parts : linesAfter(judge, "unverified claim: ");
}

function textsIn(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((claim) => typeof claim === "string");
}

/** The lines of an explanation that start with this text, without it. */
export function linesAfter(judge: JsonObject | null, start: string): readonly string[] {
  const text = judge?.["explanation"];
  const lines = typeof text === "string" ? text.split("\n") : [];
  return lines.flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []));
}
