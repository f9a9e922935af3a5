import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import type { Graded } from "../domain/ports.ts";

/** What a host says of a sample, checked: undefined where it can't have said it. */
export function readGraded(result: JsonObject, printed: string | null): Graded | undefined {
  const { kind, type, message, judge } = result;
  if (kind === "scored") {
    const scores = readScores(result["scores"]);
    if (scores === undefined || (judge !== null && !isJsonObject(judge))) return undefined;
    return { kind, scores, judge, printed };
  }
  const complete = typeof type === "string" && typeof message === "string" && isJsonObject(judge);
  if (kind !== "invalid" || !complete || judge["invalid"] !== true) return undefined;
  return { kind, type, message, judge, printed };
}

function readScores(value: Json | undefined): Readonly<Record<string, number>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const scores: [string, number][] = [];
  for (const [name, score] of Object.entries(value)) {
    if (typeof score !== "number" || !Number.isFinite(score)) return undefined;
    scores.push([name, score]);
  }
  // Not by assignment: a metric may be called __proto__.
  return Object.fromEntries(scores);
}

/** What the regex host says, to a search or to a check. */
export type RegexAnswer =
  | { readonly kind: "found"; readonly text: string }
  | { readonly kind: "no_match" }
  | { readonly kind: "timeout" }
  | { readonly kind: "checked"; readonly problem: string | undefined }
  | { readonly kind: "error"; readonly message: string };

/** Checked as a sample's answer is. */
export function readRegexAnswer(result: JsonObject): RegexAnswer | undefined {
  const { found, problem, error } = result;
  if (typeof found === "string") return { kind: "found", text: found };
  if (result["no_match"] === true) return { kind: "no_match" };
  if (result["timeout"] === true) return { kind: "timeout" };
  if (typeof problem === "string") return { kind: "checked", problem };
  if (problem === null) return { kind: "checked", problem: undefined };
  return typeof error === "string" ? { kind: "error", message: error } : undefined;
}
