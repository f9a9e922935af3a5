import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { OpenedResults, ResultRow } from "../model/results.ts";
import { createComplaints } from "./complaints.ts";
import { readResultLines } from "./json-lines.ts";
import { readJsonFile } from "./json-stream.ts";
import { kEvalMetrics, readTriples } from "./k-eval-rows.ts";
import { metricId } from "./metric-id.ts";
import type { LooksLike, OpenResults, ResultSource } from "./source.ts";
import { createToolMetrics, type ToolMetrics } from "./tool-metrics.ts";

/**
 * Reads the output of `k-eval run`: `<name>.detailed.jsonl` with a line per question and condition, and next to it
 * `<name>.json`, which has only the means and names the other file.
 */
export const openKEval: OpenResults = async (source, shape): Promise<OpenedResults> => {
  const metrics = createToolMetrics(source.path, shape.metrics.map(metricId), kEvalMetrics);
  const found = await findDetails(source);
  return { tool: found.tool, rows: rowsOf(found.details, metrics), metrics: metrics.list };
};

async function findDetails(
  source: ResultSource,
): Promise<{ readonly details: ResultSource; readonly tool: string }> {
  if (!(await isAggregate(source))) return { details: source, tool: "k-eval" };
  const texts = new Map<string, Json>();
  const [version, file] = ["eval_library.version", "detailed_evaluation_results.file_path"];
  for await (const { path, value } of readJsonFile(source, [`$.${version}`, `$.${file}`]))
    texts.set(path.join("."), value);
  const name = texts.get(file);
  if (typeof name !== "string" || name === "") throw notKEval(source.path);
  const own = name.split(/[\\/]/).at(-1) ?? "";
  const details = own === "" ? undefined : await source.beside(own);
  if (details === undefined) throw noDetails(source.path, name);
  const number = texts.get(version);
  const isVersion = typeof number === "string" && /^[\w.+-]{1,40}$/.test(number);
  return { details, tool: isVersion ? `k-eval ${number}` : "k-eval" };
}

const headBytes = 64 * 1024;

/** Recognized by its first keys: the lines of the other file include `sample_idx`. */
async function isAggregate(source: ResultSource): Promise<boolean> {
  const file = await source.open();
  try {
    return holdsAggregate(new TextDecoder().decode(await file.read(0, headBytes)));
  } finally {
    await file.close();
  }
}

function holdsAggregate(text: string): boolean {
  return (
    /"eval_library"\s*:/.test(text) && /"evaluation_results"\s*:/.test(text) && !hasLines(text)
  );
}

function hasLines(text: string): boolean {
  return /^\s*\{[^\n]*"schema_version"\s*:\s*"instance_level_eval_/.test(text);
}

function noDetails(file: string, name: string): Refusal {
  const said = {
    at: "detailed_evaluation_results",
    field: "file_path",
    found: `${JSON.stringify(name)}, which is not beside it`,
    expected: "k-eval's detailed file in the same folder (means can't be compared case by case)",
  };
  return new Refusal(problem("results_field", said, { file }));
}

function notKEval(file: string): Refusal {
  const expected =
    'lines with "evaluation_name", "sample_idx" and "run_details" (<name>.detailed.jsonl), or the <name>.json beside them';
  return new Refusal(problem("results_not_format", { format: "k-eval", expected }, { file }));
}

async function* rowsOf(source: ResultSource, metrics: ToolMetrics): AsyncGenerator<ResultRow> {
  const complaints = createComplaints(source.path);
  for await (const { value, at } of readResultLines(source)) {
    requireVersion(value, { file: source.path, at });
    const { rows, problems } = readTriples(value, { file: source.path, at, metrics });
    complaints.add(problems);
    if (!complaints.any()) yield* rows;
  }
  complaints.refuse();
}

function requireVersion(
  line: JsonObject,
  { file, at }: { readonly file: string; readonly at: string },
): void {
  const { schema_version: found } = line;
  if (found === undefined || !isJsonObject(line["input"])) throw notKEval(file);
  if (typeof found === "string" && /^instance_level_eval_0\.2\.\d+$/.test(found)) return;
  const said = {
    tool: "k-eval",
    found: `schema_version ${JSON.stringify(found)}`,
    known: ["instance_level_eval_0.2.1 (k-eval 1.1 and 1.2)"],
  };
  throw new Refusal(problem("results_version", said, { file, path: `${at}: schema_version` }));
}

/** Recognizes k-eval by its own name for a question's number, or by means with the tool's name. */
export const looksLikeKEval: LooksLike = ({ text }) =>
  (hasLines(text) && /"sample_idx"\s*:/.test(text)) ||
  (/^\s*\{/.test(text) && /"source_name"\s*:\s*"k-eval"/.test(text) && holdsAggregate(text));
