import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Problem } from "../model/refusal.ts";
import type { ResultMetric, ResultRow, RowResult } from "../model/results.ts";
import type { Scores, Usage } from "../model/outcomes/sample.ts";
import { readRecord, type RecordReader } from "./record.ts";
import type { ToolMetrics } from "./tool-metrics.ts";

/** The judge's three scores. */
const scales = ["factual_adherence", "completeness", "helpfulness_and_clarity"];

/** Claims that the golden answer neither confirms nor contradicts: k-eval never counts them against an answer. */
const claimsMetric = "unverified_claims";

export const kEvalMetrics = [...scales, claimsMetric];

interface LinePlace {
  readonly file: string;
  readonly at: string;
  readonly metrics: ToolMetrics;
}

/** Reads a line: the results of one condition for one question, in all repetitions. */
export function readTriples(
  line: JsonObject,
  place: LinePlace,
): { readonly rows: readonly ResultRow[]; readonly problems: readonly Problem[] } {
  const record = readRecord(line, place);
  const shared = sharedOf(record);
  const details = record.needed("run_details", record.list) ?? [];
  const usages = splitUsage(record, details.length);
  const read = details.map((value, i) =>
    readTriple(value, { ...place, shared, position: i, tokens: usages[i] ?? null }),
  );
  const problems = [...record.problems, ...read.flatMap((each) => each.problems)];
  return { rows: problems.length > 0 ? [] : read.map(({ row }) => row), problems };
}

interface Shared {
  readonly task: string | null;
  readonly condition: string;
  readonly question: string;
  readonly golden: string;
  readonly kind: string;
  readonly claims: readonly string[] | undefined;
  /** Reasons by repetition. */
  readonly reasons: ReadonlyMap<string, readonly Json[]>;
}

function sharedOf(record: RecordReader): Shared {
  const name = record.needed("evaluation_name", record.text) ?? "";
  const slash = name.indexOf("/");
  const details = "evaluation.details";
  const claims = record.list(`${details}.${claimsMetric}`);
  return {
    task: slash > 0 ? name.slice(0, slash) : null,
    condition: name.slice(slash + 1),
    question: record.needed("input.raw", record.text) ?? "",
    golden: record.needed("input.reference", record.text) ?? "",
    kind: record.text("interaction_type") ?? "",
    claims: claims?.filter((claim) => typeof claim === "string"),
    reasons: new Map(
      scales.map((scale) => [scale, record.list(`${details}.${scale}_reasonings`) ?? []]),
    ),
  };
}

interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** k-eval stores the sum over the repetitions: it is divided among them, and the first one gets the remainder. */
function splitUsage(record: RecordReader, parts: number): readonly Tokens[] {
  const input = record.number("token_usage.input_tokens");
  const output = record.number("token_usage.output_tokens");
  if (input === undefined && output === undefined) return [];
  const part = (total = 0, i = 0): number => {
    const each = Math.floor(total / parts);
    return i === 0 ? total - each * (parts - 1) : each;
  };
  return Array.from({ length: parts }, (_, i) => ({
    input: part(input, i),
    output: part(output, i),
  }));
}

interface TriplePlace extends LinePlace {
  readonly shared: Shared;
  readonly position: number;
  readonly tokens: Tokens | null;
}

function readTriple(
  value: Json,
  place: TriplePlace,
): { readonly row: ResultRow; readonly problems: readonly Problem[] } {
  const { shared, metrics, position } = place;
  const at = `${place.at}, run_details[${position}]`;
  const record = readRecord(isJsonObject(value) ? value : {}, { file: place.file, at });
  if (!isJsonObject(value)) record.complain("", { found: "no object", expected: "a repetition" });
  const result = outcomeOf(record);
  const scores = result.kind === "scored" ? scoresOf(record, shared) : {};
  const row: ResultRow = {
    at,
    task: shared.task,
    candidate: shared.condition,
    // `sample_idx` is a position, which does not identify a case.
    id: null,
    input: shared.question,
    repeat: record.number("repetition_index") ?? position,
    prompt: shared.question,
    target: shared.golden,
    output: record.text("agent_response") ?? null,
    result,
    scores: metrics.take(scores, knownMetric),
    explanation: explanationOf(shared, position),
    fields: shared.kind === "" ? {} : { interaction_type: shared.kind },
    usage: usageOf(record, place.tokens),
    latencyMs: record.number("duration_ms") ?? null,
  };
  return { row, problems: record.problems };
}

/** k-eval itself writes nothing if a single triple fails; other programs that write this format leave a gap. */
function outcomeOf(record: RecordReader): RowResult {
  if (record.value("agent_response") === undefined)
    return { kind: "failed", type: "no_output", message: "the agent gave no response" };
  const missing = scales.filter((scale) => record.value(scale) === undefined);
  if (missing.length === 0) return { kind: "scored" };
  const message = `the judge gave no ${missing.join(", ")}`;
  return { kind: "ungraded", type: "judge", message };
}

function scoresOf(record: RecordReader, { claims }: Shared): Scores {
  const judged = scales.map((scale) => [scale, record.number(scale) ?? 0] as const);
  return Object.fromEntries([
    ...judged,
    ...(claims === undefined ? [] : [[claimsMetric, claims.length] as const]),
  ]);
}

function knownMetric(id: string): Partial<ResultMetric> {
  if (scales.includes(id)) return { range: [1, 5], scale: "graded" };
  return { direction: "lower_is_better", scale: "graded" };
}

const longest = 4000;

function explanationOf({ reasons, claims }: Shared, position: number): string | null {
  const told = [...reasons].flatMap(([scale, texts]) => {
    const text = texts[position];
    return typeof text === "string" && text !== "" ? [`${scale}: ${text}`] : [];
  });
  const listed = (claims ?? []).map((claim) => `unverified claim: ${claim}`);
  const text = [...told, ...listed].join("\n");
  return text === "" ? null : text.slice(0, longest);
}

function usageOf(record: RecordReader, tokens: Tokens | null): Usage | null {
  const usd = record.number("cost_usd") ?? null;
  if (tokens === null && usd === null) return null;
  return {
    input_tokens: tokens?.input ?? 0,
    output_tokens: tokens?.output ?? 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
    usd,
  };
}
