import { isJsonObject, type Json } from "../../model/json.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type { OpenedResults, ResultRow } from "../../model/results.ts";
import { createComplaints } from "../complaints.ts";
import { formatJsonPath, readJsonFile, type JsonPart } from "../json-stream.ts";
import { metricId } from "../metric-id.ts";
import type { LooksLike, OpenResults, ResultSource } from "../source.ts";
import { createToolMetrics, type ToolMetrics } from "../tool-metrics.ts";
import { readTask, readTrigger, wazaMetrics, type ReadRows } from "./waza-rows.ts";

/**
 * Reads the output of `waza run -o results.json`: tasks with their runs, the runs without the skill, and trigger tests.
 */
export const openWaza: OpenResults = async (source, shape): Promise<OpenedResults> => {
  const metrics = createToolMetrics(source.path, shape.metrics.map(metricId), wazaMetrics);
  return { tool: "waza", rows: rowsOf(source, metrics), metrics: metrics.list };
};

/** Positions of evaluations: the top level, and `baseline_outcome` for the one without the skill. */
const places = ["$", "$.baseline_outcome"];

async function* rowsOf(source: ResultSource, metrics: ToolMetrics): AsyncGenerator<ResultRow> {
  const head = await readHead(source);
  const complaints = createComplaints(source.path);
  const wanted = [...places.map((place) => `${place}.tasks.*`), "$.trigger_results.*"];
  let tasks = 0;
  for await (const part of readJsonFile(source, wanted)) {
    if (part.path[0] === "tasks") tasks += 1;
    const read = readPart(part, { head, metrics, file: source.path });
    complaints.add(read.problems);
    if (!complaints.any()) yield* read.rows;
  }
  complaints.add(lostTasks(head, tasks, source.path));
  complaints.refuse();
}

/** The file's own total is larger if tasks were removed from the file, or never written. */
function lostTasks({ total }: Head, tasks: number, file: string): readonly Problem[] {
  if (total === undefined || total <= tasks) return [];
  const said = {
    at: "summary",
    field: "total_tests",
    found: String(total),
    expected: `${tasks}, the number of tasks in the file,`,
  };
  return [problem("results_field", said, { file })];
}

/** Properties shared by all rows. Keys may be in any order, so they are read first. */
interface Head {
  readonly name: string;
  readonly model: string | null;
  /** Model of the runs without the skill. */
  readonly baseModel: string | null;
  /** Number of tasks, as the file says. */
  readonly total: number | undefined;
}

async function readHead(source: ResultSource): Promise<Head> {
  const texts = new Map<string, string>();
  const wanted = ["$.schemaVersion", "$.eval_name", "$.eval_id", "$.summary.total_tests"];
  let total: number | undefined;
  const models = places.map((place) => `${place}.config.model_id`);
  for await (const { path, value } of readJsonFile(source, [...wanted, ...models])) {
    const at = formatJsonPath(path);
    if (at === "schemaVersion") requireVersion(value, source.path);
    if (typeof value === "number") total = value;
    texts.set(at, typeof value === "string" ? value : "");
  }
  if (!texts.has("eval_name") && !texts.has("eval_id")) throw notWaza(source.path);
  const text = (at: string): string | null => texts.get(at) || null;
  const model = text("config.model_id");
  const baseModel = text("baseline_outcome.config.model_id") ?? model;
  return { name: text("eval_name") ?? "waza", model, baseModel, total };
}

/** Every waza reads files of its own major version; 0.11 and older wrote no version. */
function requireVersion(found: Json, file: string): void {
  if (typeof found === "string" && /^(?:1\.\d+|2\.0)?$/.test(found)) return;
  const said = {
    tool: "waza",
    found: `schemaVersion ${JSON.stringify(found)}`,
    known: ["schemaVersion 1.0 to 1.5", "2.0", "none at all"],
  };
  throw new Refusal(problem("results_version", said, { file, path: "schemaVersion" }));
}

function notWaza(file: string): Refusal {
  const expected =
    'an object with "eval_name", and "tasks" with their "runs" (not a transcript, a session log, or the summary of several skills)';
  return new Refusal(problem("results_not_format", { format: "waza", expected }, { file }));
}

function readPart(
  { path, value }: JsonPart,
  context: { readonly head: Head; readonly metrics: ToolMetrics; readonly file: string },
): ReadRows {
  const { head, metrics, file } = context;
  const at = formatJsonPath(path);
  if (!isJsonObject(value)) return { rows: [], problems: [noObject(at, file)] };
  const isBase = path[0] === "baseline_outcome";
  const named = isBase ? withoutSkill(head.baseModel) : head.model;
  const place = { at, file, metrics, candidate: named };
  if (path[0] === "trigger_results")
    return readTrigger(value, { ...place, task: `${head.name} trigger` });
  return readTask(value, { ...place, task: head.name });
}

function withoutSkill(model: string | null): string {
  return model === null ? "without skills" : `${model} without skills`;
}

function noObject(at: string, file: string): Problem {
  const said = { at, field: "", found: "no object", expected: "a task with its runs" };
  return problem("results_field", said, { file });
}

/** Recognized by its own key names near the top. */
export const looksLikeWaza: LooksLike = ({ text }) =>
  /^\s*\{/.test(text) &&
  /"eval_name"\s*:/.test(text) &&
  /"(?:runs_per_test|engine_type|test_id|session_digest)"\s*:/.test(text);
