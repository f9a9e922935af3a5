import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Problem } from "../../model/refusal.ts";
import type { ResultMetric, ResultRow } from "../../model/results.ts";
import type { Scores, Usage } from "../../model/outcomes/sample.ts";
import { metricId } from "../metric-id.ts";
import { readRecord, type RecordReader } from "../record.ts";
import type { ToolMetrics } from "../tool-metrics.ts";
import { runOutcome, triggerOutcome } from "./waza-outcome.ts";
import { transcriptOf } from "./waza-session.ts";

export interface ReadRows {
  readonly rows: readonly ResultRow[];
  readonly problems: readonly Problem[];
}

interface RowPlace {
  readonly at: string;
  readonly file: string;
  readonly task: string;
  readonly candidate: string | null;
  readonly metrics: ToolMetrics;
}

/** waza's metrics: whether every grader passed, which decides in waza, and the weighted mean of the graders' scores. */
export const wazaMetrics = ["passed", "score"];

/** A task's runs: repeats of one case. */
export function readTask(task: JsonObject, place: RowPlace): ReadRows {
  const record = readRecord(task, place);
  const id = record.needed("test_id", record.text) ?? "";
  if (id === "" && record.value("test_id") === "")
    record.complain("test_id", { found: "an empty text", expected: "the task's id" });
  const fields = groupsOf(record);
  // Left out, so that a task that ran before counts as missing.
  if (record.value("status") === "skipped") return { rows: [], problems: record.problems };
  const runs = record.needed("runs", record.list) ?? [];
  if (runs.length === 0 && record.problems.length === 0)
    return { rows: [withoutRun({ ...place, id, fields })], problems: [] };
  const read = runs.map((run, i) => readRun(run, { ...place, id, fields, position: i }));
  return {
    rows: read.flatMap(({ rows }) => rows),
    problems: [...record.problems, ...read.flatMap(({ problems }) => problems)],
  };
}

/** The row of a task that was never asked: a hook before it failed, or the evaluation was stopped. */
function withoutRun(place: TaskPlace): ResultRow {
  const message = "waza recorded no run of the task (a hook before it failed?)";
  return {
    at: place.at,
    task: place.task,
    candidate: place.candidate,
    id: place.id,
    input: null,
    repeat: 0,
    prompt: null,
    target: null,
    output: null,
    result: { kind: "ungraded", type: "no_run", message },
    scores: {},
    explanation: null,
    fields: place.fields,
    usage: null,
    latencyMs: null,
  };
}

/** Fields for slices and clusters. */
function groupsOf(record: RecordReader): Readonly<Record<string, string>> {
  const flags = ["golden", "adversarial"].flatMap((name) => {
    const flag = record.flag(name);
    return flag === undefined ? [] : [[name, String(flag)] as const];
  });
  const tags = (record.list("tags") ?? []).filter((tag) => typeof tag === "string");
  const group = record.text("group") ?? "";
  return Object.fromEntries([
    ...flags,
    ...(group === "" ? [] : [["group", group] as const]),
    ...tags.map((tag) => [`tag.${tag}`, "yes"] as const),
  ]);
}

interface TaskPlace extends RowPlace {
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface RunPlace extends TaskPlace {
  /** Used if the run has no number of its own. */
  readonly position: number;
}

function readRun(value: Json, place: RunPlace): ReadRows {
  const at = `${place.at}.runs[${place.position}]`;
  const record = readRecord(isJsonObject(value) ? value : {}, { file: place.file, at });
  if (!isJsonObject(value)) record.complain("", { found: "no object", expected: "a run" });
  if (record.value("status") === "skipped") return { rows: [], problems: record.problems };
  const graded = gradedBy(record, place.file);
  const result = runOutcome(record, graded.length);
  const scores = result.kind === "scored" ? scoresOf(record, graded) : {};
  const row: ResultRow = {
    at,
    task: place.task,
    candidate: place.candidate,
    id: place.id,
    input: null,
    repeat: repeatOf(record, place.position),
    prompt: askedIn(record),
    target: null,
    output: record.text("final_output") ?? null,
    result,
    scores: place.metrics.take(scores, known),
    explanation: explanationOf(record, graded),
    ...(result.kind === "scored" && judgingOf(graded)),
    ...(graded.length > 0 && { checks: graded.map(checkOf) }),
    ...workOf(record),
    fields: place.fields,
    usage: usageOf(record),
    latencyMs: record.number("duration_ms") ?? null,
  };
  return record.problems.length > 0
    ? { rows: [], problems: record.problems }
    : { rows: [row], problems: [] };
}

function workOf(record: RecordReader): Pick<ResultRow, "transcript"> {
  const transcript = transcriptOf(record);
  return transcript === undefined ? {} : { transcript };
}

/** waza counts repeats from 1. */
function repeatOf(record: RecordReader, position: number): number {
  const number = record.number("run_number");
  if (number === undefined) return position;
  if (Number.isSafeInteger(number) && number >= 1) return number - 1;
  record.complain("run_number", { found: String(number), expected: "a whole number from 1 on" });
  return position;
}

/** Result of one grader. */
interface Graded {
  readonly name: string;
  readonly id: string;
  readonly score: number;
  readonly weight: number;
  readonly passed: boolean;
  readonly feedback: string;
  readonly type: string;
  readonly details: JsonObject;
}

function gradedBy(record: RecordReader, file: string): readonly Graded[] {
  const taken = new Set(wazaMetrics);
  return Object.entries(record.object("validations") ?? {}).flatMap(([name, value]) => {
    const field = `validations.${name}`;
    if (!isJsonObject(value)) {
      record.complain(field, { found: "no object", expected: "what a grader gave" });
      return [];
    }
    const grade = readRecord(value, { file, at: field });
    const id = metricId(name);
    const score = grade.needed("score", grade.number) ?? 0;
    const passed = grade.needed("passed", grade.flag) ?? false;
    const weight = grade.number("weight") ?? 1;
    // The oldest versions have it in `message`.
    const feedback = grade.text("feedback") ?? grade.text("message") ?? "";
    if (score < 0 || score > 1)
      grade.complain("score", { found: String(score), expected: "a number from 0 to 1" });
    for (const { message } of grade.problems)
      record.complain(field, { found: message, expected: "what waza writes" });
    if (taken.has(id) || taken.has(`${id}.passed`)) {
      const found = `a metric with the id '${id}', which is taken`;
      record.complain(field, { found, expected: "another name for the grader" });
    }
    taken.add(id).add(`${id}.passed`);
    const type = grade.text("type") ?? "code";
    const details = detailsIn(value);
    return [{ name, id, score, weight: weight > 0 ? weight : 1, passed, feedback, type, details }];
  });
}

/** Kinds and weights of the graders: the options are not in the file. */
function judgingOf(graded: readonly Graded[]): Pick<ResultRow, "judgedBy"> {
  if (graded.length === 0) return {};
  const judgedBy = graded
    .map(({ name, type, weight }): Json => [name, type, weight])
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return { judgedBy };
}

/** A grader's result as `row_checks` gives it. */
function checkOf({ name, type, weight, score, passed, feedback, details }: Graded): JsonObject {
  return { check: name, type, weight, score, passed, judge: { ...details, feedback } };
}

/** Longer details are left out: they repeat files and answers. */
const longestDetails = 16_384;

function detailsIn({ details }: JsonObject): JsonObject {
  if (!isJsonObject(details) || JSON.stringify(details).length > longestDetails) return {};
  return details;
}

/** A run has passed if its status says so and each grader passed: a run with an error has not, whatever the graders say. */
function scoresOf(record: RecordReader, graded: readonly Graded[]): Scores {
  const weights = graded.reduce((sum, { weight }) => sum + weight, 0);
  const total = graded.reduce((sum, { score, weight }) => sum + score * weight, 0);
  const isPassed = record.value("status") === "passed" && graded.every(({ passed }) => passed);
  return Object.fromEntries([
    ["passed", isPassed ? 1 : 0],
    // Without a grader there is no mean, although waza writes 0.
    ...(graded.length === 0 ? [] : [["score", total / weights] as const]),
    ...graded.flatMap(({ id, score, passed }) => [
      [id, score] as const,
      [`${id}.passed`, passed ? 1 : 0] as const,
    ]),
  ]);
}

function known(id: string): Partial<ResultMetric> {
  const isBinary = id === "passed" || id.endsWith(".passed");
  return { range: [0, 1], ...(isBinary && { scale: "binary" }) };
}

const longest = 4000;

/** The error, and the feedback of each grader that did not pass; of all graders if the run passed. */
function explanationOf(record: RecordReader, graded: readonly Graded[]): string | null {
  const error = record.text("error_msg") ?? "";
  const missed = graded.filter(({ passed }) => !passed);
  const told = (missed.length > 0 ? missed : graded).flatMap(({ name, feedback }) =>
    feedback === "" ? [] : [`${name}: ${feedback}`],
  );
  const text = [...(error === "" ? [] : [error]), ...told].join("\n");
  return text === "" ? null : text.slice(0, longest);
}

/** The task's prompt; only the transcript has it. */
function askedIn(record: RecordReader): string | null {
  const asked = record
    .list("transcript")
    ?.find((event) => isJsonObject(event) && event["type"] === "user.message");
  const { content, message } = isJsonObject(asked) ? asked : {};
  return [content, message].find((text) => typeof text === "string") ?? null;
}

/** `tokens_in` and `tokens_out`: versions before 0.12. */
function usageOf(record: RecordReader): Usage | null {
  const inside = record.object("usage") === undefined ? "session_digest.usage" : "usage";
  const tokens = (name: string): number | undefined => record.number(`${inside}.${name}`);
  const input = tokens("input_tokens") ?? record.number("session_digest.tokens_in");
  const output = tokens("output_tokens") ?? record.number("session_digest.tokens_out");
  if (input === undefined && output === undefined) return null;
  const cached = tokens("cache_read_tokens") ?? 0;
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    cached_tokens: cached,
    reasoning_tokens: 0,
    usd: null,
  };
}

/** A prompt of `trigger_tests.yaml`: whether the skill was invoked where it should be, and only there. */
export function readTrigger(test: JsonObject, place: RowPlace): ReadRows {
  const record = readRecord(test, place);
  const prompt = record.needed("prompt", record.text) ?? "";
  const should = record.needed("should_trigger", record.flag);
  // waza has the key for every prompt that was run.
  const isBroken = (record.text("error_msg") ?? "") !== "";
  const told = isBroken ? record.flag("did_trigger") : record.needed("did_trigger", record.flag);
  const did = told ?? false;
  const result = triggerOutcome(record);
  const scores: Scores = result.kind === "scored" ? { correct: did === should ? 1 : 0 } : {};
  const confidence = record.text("confidence") ?? "";
  const said = `the skill ${did ? "was" : "was not"} triggered`;
  const row: ResultRow = {
    at: place.at,
    task: place.task,
    candidate: place.candidate,
    id: null,
    input: prompt,
    repeat: null,
    prompt,
    target: should === true ? "triggers" : "does not trigger",
    output: record.text("final_output") ?? said,
    result,
    scores: place.metrics.take(scores, () => ({ range: [0, 1], scale: "binary" })),
    explanation: said,
    fields: {
      should_trigger: String(should ?? ""),
      ...(confidence !== "" && { confidence }),
    },
    usage: null,
    latencyMs: null,
  };
  return record.problems.length > 0
    ? { rows: [], problems: record.problems }
    : { rows: [row], problems: [] };
}
