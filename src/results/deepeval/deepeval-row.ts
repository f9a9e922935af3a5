import { cutText } from "../../base/cut-text.ts";
import { valueText } from "../../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import type { ResultMetric, ResultRow, RowResult } from "../../model/results.ts";
import type { Scores, Usage } from "../../model/outcomes/sample.ts";
import { metricId } from "../metric-id.ts";
import { readRecord, type RecordReader } from "../record.ts";
import type { ToolMetrics } from "../tool-metrics.ts";

export interface DeepevalReader {
  /** `byPytest`: the file comes from `deepeval test run`, which names tests after their functions. */
  readonly read: (
    value: Json,
    about: { readonly at: string; readonly byPytest: boolean },
  ) => ResultRow | { readonly problems: readonly Problem[] };
  /** A metric's description as learned from the rows; call it after the last row. */
  readonly learned: (id: string) => ResultMetric;
}

/** A reader for the test cases of one file, which takes the scores of `metrics`. */
export function createDeepevalReader(file: string, metrics: ToolMetrics): DeepevalReader {
  const evidence = createEvidence();
  return {
    learned: evidence.learned,
    read: (value, { at, byPytest }) => {
      if (!isJsonObject(value)) {
        const found = { at, field: "", found: "no object", expected: "a test case" };
        return { problems: [problem("results_field", found, { file })] };
      }
      const record = readRecord(value, { file, at });
      const given = metricsOf(record, file);
      for (const metric of given) evidence.note(metric);
      const result = resultOf(record, given);
      const scores = result.kind === "scored" ? metrics.take(scoresOf(record, given)) : {};
      const row: ResultRow = {
        at,
        task: null,
        candidate: null,
        ...nameOf(record, byPytest),
        repeat: null,
        prompt: record.text("input") ?? record.text("scenario") ?? null,
        target: record.text("expectedOutput") ?? record.text("expectedOutcome") ?? null,
        output: record.text("actualOutput") ?? turnsOf(record, "assistant") ?? null,
        result,
        scores,
        explanation: explanationOf(given),
        ...judgingOf(record, given),
        fields: fieldsOf(record),
        usage: usageOf(record),
        latencyMs: latencyOf(record),
      };
      return record.problems.length === 0 ? row : { problems: record.problems };
    },
  };
}

/** Result of one metric. */
interface Given {
  readonly id: string;
  readonly name: string;
  readonly score: number | undefined;
  readonly threshold: number | undefined;
  readonly success: boolean | undefined;
  readonly isFlaky: boolean;
  readonly reason: string | undefined;
  readonly error: string | undefined;
}

/** Whether the test passed as a whole: the main metric unless another is named. */
export const ownMetric = "pass";

function metricsOf(record: RecordReader, file: string): readonly Given[] {
  const taken = new Set([ownMetric]);
  return (record.list("metricsData") ?? []).flatMap((value, i) => {
    const at = `metricsData[${i}]`;
    if (!isJsonObject(value)) {
      record.complain(at, { found: "no object", expected: "what a metric gave" });
      return [];
    }
    const metric = readRecord(value, { file, at });
    const name = metric.needed("name", metric.text) ?? "";
    const id = metricId(name);
    const given: Given = {
      id,
      name,
      score: metric.number("score"),
      threshold: metric.number("threshold"),
      success: metric.flag("success"),
      isFlaky: metric.flag("flaky") ?? false,
      reason: metric.text("reason"),
      error: metric.text("error"),
    };
    for (const { message } of metric.problems)
      record.complain("metricsData", { found: message, expected: "what deepeval writes" });
    if (taken.has(id)) {
      const found = `the name ${JSON.stringify(name)}, which is taken`;
      record.complain(`${at}.name`, { found, expected: "a name of its own for each metric" });
    }
    taken.add(id);
    return [given];
  });
}

/** Limit, strictness and model of each metric; nothing if one broke, because it may then lack them. */
function judgingOf(record: RecordReader, given: readonly Given[]): Pick<ResultRow, "judgedBy"> {
  if (given.length === 0 || given.some(({ score }) => score === undefined)) return {};
  const keys = ["name", "threshold", "strictMode", "evaluationModel"];
  const judgedBy = (record.list("metricsData") ?? [])
    .map((each) => keys.map((key) => (isJsonObject(each) ? (each[key] ?? null) : null)))
    .toSorted((one, other) => (valueText(one) < valueText(other) ? -1 : 1));
  return { judgedBy };
}

/** A broken metric says nothing about the answer; if no metric has a score, nothing was graded. */
function resultOf(record: RecordReader, given: readonly Given[]): RowResult {
  if (given.some(({ score }) => score !== undefined)) return { kind: "scored" };
  const broken = given.find(({ error }) => error !== undefined);
  const isConversation = record.value("turns") !== undefined;
  if (!isConversation && record.value("actualOutput") === undefined)
    return { kind: "failed", type: "no_output", message: broken?.error ?? "No actual output" };
  const message = broken?.error ?? "No metric has a score";
  return {
    kind: "invalid",
    type: broken ? "metric_error" : "no_score",
    message: cutText(message, longest),
  };
}

/** The test's own result comes first. If a metric broke, that result is about the metric and is ignored. */
function scoresOf(record: RecordReader, given: readonly Given[]): Scores {
  const success = record.flag("success");
  const isBroken = given.some(({ score, isFlaky }) => score === undefined && !isFlaky);
  return Object.fromEntries([
    ...(success === undefined || isBroken ? [] : [[ownMetric, success ? 1 : 0] as const]),
    ...given.flatMap(({ id, score }) => (score === undefined ? [] : [[id, score] as const])),
  ]);
}

/** Names that deepeval makes up from positions, which don't identify a case. */
const positionOnly = /^(?:conversational_)?test_case_(?:\d+|None)$/;

/**
 * A name that the user gave is the case's id. pytest's name is that of the test function, with the position of its
 * parameters: it only distinguishes tests with the same input.
 */
function nameOf(record: RecordReader, byPytest: boolean): Pick<ResultRow, "id" | "input"> {
  const name = record.text("name") ?? "";
  const asked = askedOf(record);
  if (name === "" || positionOnly.test(name)) return { id: null, input: asked };
  if (!byPytest) return { id: name, input: asked };
  return { id: null, input: { test: name.replace(/\[.*\]$/s, ""), ...asked } };
}

function askedOf(record: RecordReader): JsonObject {
  if (record.value("turns") === undefined)
    return { input: record.needed("input", record.text) ?? "" };
  const scenario = record.text("scenario");
  const user = record.text("userDescription");
  if (scenario === undefined) return { turns: turnsOf(record, "user") ?? "" };
  return { scenario, ...(user !== undefined && { user }) };
}

function turnsOf(record: RecordReader, role: string): string | undefined {
  const turns = record.list("turns")?.flatMap((turn) => {
    const isHis = isJsonObject(turn) && turn["role"] === role;
    return isHis ? [valueText(turn["content"])] : [];
  });
  return turns?.join("\n\n");
}

const longest = 4000;

/** Reasons of each metric that failed or broke; of all metrics if the test passed. */
function explanationOf(given: readonly Given[]): string | null {
  const notMet = given.filter(({ success }) => success !== true);
  const told = (notMet.length > 0 ? notMet : given).flatMap(({ name, reason, error }) => {
    const said = error === undefined ? reason : `it broke: ${error}`;
    return said === undefined || said === "" ? [] : [`${name}: ${said}`];
  });
  return told.length === 0 ? null : cutText(told.join("\n"), longest);
}

/** Longer values are texts rather than groups to count by. */
const longestField = 200;

function fieldsOf(record: RecordReader): Readonly<Record<string, string>> {
  const short = Object.entries(record.object("metadata") ?? {}).flatMap(([name, value]) => {
    const text = valueText(value);
    const isShort = !isJsonObject(value) && text !== "" && text.length <= longestField;
    return isShort ? [[name, text] as const] : [];
  });
  return Object.fromEntries(short);
}

function usageOf(record: RecordReader): Usage | null {
  const input = record.number("inputTokenCount");
  const output = record.number("outputTokenCount");
  const usd = record.number("tokenCost");
  if (input === undefined && output === undefined && usd === undefined) return null;
  const none = { cached_tokens: 0, reasoning_tokens: 0 };
  return { ...none, input_tokens: input ?? 0, output_tokens: output ?? 0, usd: usd ?? null };
}

function latencyOf(record: RecordReader): number | null {
  const seconds = record.number("completionTime");
  return seconds === undefined || seconds < 0 ? null : seconds * 1000;
}

interface Evidence {
  readonly note: (given: Given) => void;
  readonly learned: DeepevalReader["learned"];
}

/**
 * deepeval stores no direction. A metric passes from its threshold on; if passes are only below it, and failures only
 * above, lower is better. Its documentation gives scores from 0 to 1: this range is used until a score is outside.
 */
function createEvidence(): Evidence {
  const seen = new Map<string, { higher: number; lower: number; isShare: boolean }>();
  return {
    note: ({ id, score, threshold, success }) => {
      if (score === undefined) return;
      const known = seen.get(id) ?? { higher: 0, lower: 0, isShare: true };
      seen.set(id, known);
      if (score < 0 || score > 1) known.isShare = false;
      if (threshold === undefined || success === undefined || score === threshold) return;
      if (score > threshold === success) known.higher += 1;
      else known.lower += 1;
    },
    learned: (id) => {
      const { higher, lower, isShare } = seen.get(id) ?? { higher: 0, lower: 0, isShare: true };
      return {
        id,
        range: isShare ? [0, 1] : null,
        direction: lower > 0 && higher === 0 ? "lower_is_better" : "higher_is_better",
      };
    },
  };
}
