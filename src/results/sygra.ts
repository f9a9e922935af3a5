import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { OpenedResults, ResultRow } from "../model/results.ts";
import type { Scores } from "../model/outcomes/sample.ts";
import { readResultLines } from "./json-lines.ts";
import { formatJsonPath, readJsonFile } from "./json-stream.ts";
import { metricId } from "./metric-id.ts";
import type { LooksLike, OpenResults, ResultSource } from "./source.ts";
import { createToolMetrics, type ToolMetrics } from "./tool-metrics.ts";
import { createRepeatCounter } from "./repeats.ts";

/**
 * Reads the records of a run of SyGra, `output_*.json` or `.jsonl`: each result of a unit metric is a metric named by
 * its field.
 */
export const openSygra: OpenResults = async (source, shape): Promise<OpenedResults> => {
  const metrics = createToolMetrics(source.path, shape.metrics.map(metricId));
  return { tool: "sygra", rows: rowsOf(source, metrics), metrics: metrics.list };
};

interface RecordOfSygra {
  readonly value: Json;
  readonly at: string;
}

async function* rowsOf(source: ResultSource, metrics: ToolMetrics): AsyncGenerator<ResultRow> {
  const repeats = createRepeatCounter();
  const golden = await goldenField(source);
  let scored = 0;
  for await (const { value, at } of recordsOf(source)) {
    if (!isJsonObject(value) || "evaluation_summary" in value) throw notRecords(source);
    const row = rowOf(value, { at, metrics, golden });
    if (row.result.kind === "scored") scored += 1;
    yield { ...row, repeat: repeats([row.id, row.input]) };
  }
  if (scored === 0) throw notRecords(source);
}

/** Reads a list of records, or a record per line, as SyGra writes beyond 25,000 records. */
async function* recordsOf(source: ResultSource): AsyncGenerator<RecordOfSygra> {
  if (/\.(?:jsonl|ndjson)$/i.test(source.path)) {
    yield* readResultLines(source);
    return;
  }
  for await (const { path, value } of readJsonFile(source, ["$.*"]))
    yield { value, at: formatJsonPath(path) };
}

function notRecords(source: ResultSource): Refusal {
  const expected =
    "records with results of unit metrics, as output_*.json has them (not the report beside it)";
  return new Refusal(
    problem("results_not_format", { format: "sygra", expected }, { file: source.path }),
  );
}

/** Number of records that are read to learn which field is the golden one. */
const looksAt = 50;

/**
 * The field that contains the golden text in each of the first results: it also gives the target of a record without a
 * result.
 */
async function goldenField(source: ResultSource): Promise<string | undefined> {
  let fields: readonly string[] | undefined;
  let seen = 0;
  for await (const { value } of recordsOf(source)) {
    const first = isJsonObject(value) ? Object.values(value).find(isResult) : undefined;
    if (first === undefined || !isJsonObject(value)) continue;
    const text = textOf(first["golden"]);
    const same = Object.keys(value).filter((field) => asText(value[field]) === text);
    fields = fields === undefined ? same : fields.filter((field) => same.includes(field));
    seen += 1;
    if (seen >= looksAt) break;
  }
  return fields?.find((field) => !/predict|response|output/i.test(field));
}

function asText(value: Json | undefined): string | null {
  return typeof value === "string" ? value : textOf(value);
}

interface UnitResult extends JsonObject {
  readonly correct: Json;
}

function isResult(value: Json | undefined): value is UnitResult {
  return isJsonObject(value) && "correct" in value && "golden" in value && "predicted" in value;
}

interface RowPlace {
  readonly at: string;
  readonly metrics: ToolMetrics;
  /** The field with the golden value. */
  readonly golden: string | undefined;
}

function rowOf(record: JsonObject, { at, metrics, golden }: RowPlace): Omit<ResultRow, "repeat"> {
  const results = Object.entries(record).flatMap(([field, value]) =>
    isResult(value) ? [[field, value] as const] : [],
  );
  const scores: Scores = Object.fromEntries(
    results.map(([field, { correct }]) => [metricId(field), isTrue(correct) ? 1 : 0]),
  );
  const first = results[0]?.[1];
  const taken = metrics.take(scores, () => ({ range: [0, 1], scale: "binary" }));
  return {
    at,
    task: null,
    candidate: null,
    id: idOf(record["id"]),
    input: inputOf(record, golden),
    prompt: null,
    target: textOf(first?.["golden"]) ?? (golden === undefined ? null : asText(record[golden])),
    output: textOf(first?.["predicted"]),
    result:
      first === undefined
        ? {
            kind: "failed",
            type: "no_result",
            message: "SyGra recorded no result of a unit metric",
          }
        : { kind: "scored" },
    scores: first === undefined ? {} : taken,
    explanation: null,
    fields: {},
    usage: null,
    latencyMs: null,
  };
}

/** Whether a result is true, by the same rule as in Python. */
function isTrue(value: Json): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** A random id, which SyGra gives to records without one: no other run has it again. */
const random = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function idOf(id: Json | undefined): string | null {
  if (typeof id === "number") return String(id);
  return typeof id === "string" && id !== "" && !random.test(id) ? id : null;
}

/** The fields of a record except results, answers, targets and ids, so that the question is the same in every run. */
function inputOf(record: JsonObject, golden: string | undefined): Json {
  const isAnswer = (field: string): boolean =>
    field === golden || /predict|response|output/i.test(field);
  return Object.fromEntries(
    Object.entries(record).filter(
      ([field, value]) => field !== "id" && value !== null && !isResult(value) && !isAnswer(field),
    ),
  );
}

function textOf(side: Json | undefined): string | null {
  if (!isJsonObject(side)) return null;
  const { text } = side;
  return typeof text === "string" ? text : JSON.stringify(text ?? side);
}

/** Recognizes records of which one of the first has a result with SyGra's four keys. */
export const looksLikeSygra: LooksLike = ({ text }) =>
  /^\s*(?:\[\s*)?\{/.test(text) &&
  /"correct"\s*:\s*(?:true|false)\s*,\s*"golden"\s*:/.test(text) &&
  /"predicted"\s*:/.test(text) &&
  !/^\s*\[\s*\{\s*"evaluation_summary"/.test(text);
