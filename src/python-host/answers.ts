import {
  deepestNesting,
  isDeeper,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonObjectIn,
} from "../model/json.ts";
import type { BatchGraded, Graded, SampleUpdate } from "../model/grading.ts";
import type { Preprocessed } from "../model/ports/programs.ts";

/** The first line of an answer: the result, and the output of user code. */
interface Said {
  readonly result: JsonObject;
  readonly printed: string | null;
}

function readSaid(line: string | undefined): Said | undefined {
  const { result, printed } = (line === undefined ? undefined : jsonObjectIn(line)) ?? {};
  if (!isJsonObject(result) || (printed !== null && typeof printed !== "string")) return undefined;
  return { result, printed };
}

/** A host's result for a sample, checked: undefined if it is invalid. */
export function readGraded(lines: readonly string[]): Graded | undefined {
  const said = lines.length === 1 ? readSaid(lines[0]) : undefined;
  if (said === undefined) return undefined;
  const { printed } = said;
  const { kind, judge } = said.result;
  if (kind !== "scored") return readNotScored(said);
  const scores = readScores(said.result["scores"]);
  if (scores === undefined || !isJudge(judge)) return undefined;
  return { kind, scores, judge, printed };
}

/** A host's result for all samples of a task: one line for the result, and one per update. */
export function readBatchGraded(lines: readonly string[]): BatchGraded | undefined {
  const [first, ...rest] = lines;
  const said = readSaid(first);
  if (said === undefined) return undefined;
  const { kind, metrics: given, notes, details = null } = said.result;
  if (kind !== "graded") return rest.length === 0 ? readNotScored(said) : undefined;
  const metrics = readScores(given);
  const intervals = readIntervals(said.result["intervals"] ?? {});
  const updates = rest.map(readUpdate);
  if (metrics === undefined || intervals === undefined || !isTexts(notes)) return undefined;
  if (!isJudge(details) || !updates.every((update) => update !== undefined)) return undefined;
  return { kind, metrics, intervals, details, updates, printed: said.printed, notes };
}

function readIntervals(
  value: Json | undefined,
): Readonly<Record<string, readonly [number, number]>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).map(([metric, ends]) => {
    const [low, high] = Array.isArray(ends) && ends.length === 2 ? ends : [];
    return typeof low === "number" && typeof high === "number" && low <= high
      ? ([metric, [low, high]] as const)
      : undefined;
  });
  if (!entries.every((entry) => entry !== undefined)) return undefined;
  return Object.fromEntries(entries);
}

/** A host's result for rows: one row's are in the result, those of a batch are in the following lines. */
export function readPreprocessed(lines: readonly string[]): Preprocessed | undefined {
  const [first, ...rest] = lines;
  const { kind, type, message, rows } = readSaid(first)?.result ?? {};
  if (kind === "failed" && typeof type === "string" && typeof message === "string")
    return { kind, type, message };
  if (kind !== "rows") return undefined;
  if (rows === undefined) return { kind, rows: rest };
  return isTexts(rows) && rest.length === 0 ? { kind, rows } : undefined;
}

type NotScored = Extract<Graded, { readonly kind: "invalid" | "ungraded" }>;

function readNotScored({ result, printed }: Said): NotScored | undefined {
  const { kind, type, message, judge } = result;
  if (typeof type !== "string" || typeof message !== "string") return undefined;
  // Only built-in graders may say so; the host ensures it.
  if (kind === "ungraded") return { kind, type, message };
  if (kind !== "invalid" || !isJsonObject(judge) || !isJudge(judge)) return undefined;
  if (judge["invalid"] !== true) return undefined;
  return { kind, type, message, judge, printed };
}

/** The host cuts deeper values: writing them to the journal could overflow the stack. */
function isJudge(judge: Json | undefined): judge is JsonObject | null {
  return judge === null || (isJsonObject(judge) && !isDeeper(judge, deepestNesting));
}

function readUpdate(line: string): SampleUpdate | undefined {
  const update = jsonObjectIn(line);
  const { sample_id, scores, judge, extracted_output: output } = update ?? {};
  if (typeof sample_id !== "string") return undefined;
  const read = scores === undefined ? undefined : readScores(scores);
  if ((read === undefined) !== (scores === undefined)) return undefined;
  if (judge !== undefined && !isJudge(judge)) return undefined;
  if (output !== undefined && output !== null && typeof output !== "string") return undefined;
  return {
    sample_id,
    ...(read !== undefined && { scores: read }),
    ...(judge !== undefined && { judge }),
    ...(output !== undefined && { extracted_output: output }),
  };
}

function readScores(value: Json | undefined): Readonly<Record<string, number>> | undefined {
  return isJsonObject(value) && isScores(value) ? value : undefined;
}

function isScores(value: JsonObject): value is Readonly<Record<string, number>> {
  return Object.values(value).every((score) => Number.isFinite(score));
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** Answer of the regex host to a search or a check. */
export type RegexAnswer =
  | { readonly kind: "found"; readonly text: string }
  | { readonly kind: "no_match" }
  | { readonly kind: "timeout" }
  | { readonly kind: "checked"; readonly problem: string | undefined }
  | { readonly kind: "error"; readonly message: string };

/** Reads the regex host's answer, with the same checks as a sample's. */
export function readRegexAnswer(lines: readonly string[]): RegexAnswer | undefined {
  const result = lines.length === 1 ? readSaid(lines[0])?.result : undefined;
  const { found, problem, error } = result ?? {};
  if (typeof found === "string") return { kind: "found", text: found };
  if (result?.["no_match"] === true) return { kind: "no_match" };
  if (result?.["timeout"] === true) return { kind: "timeout" };
  if (typeof problem === "string") return { kind: "checked", problem };
  if (problem === null) return { kind: "checked", problem: undefined };
  return typeof error === "string" ? { kind: "error", message: error } : undefined;
}
