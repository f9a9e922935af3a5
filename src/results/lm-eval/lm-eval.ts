import { isJsonObject } from "../../model/json.ts";
import { parseJsonText } from "../../base/json-text.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { OpenedResults, ResultMetric, ResultRow } from "../../model/results.ts";
import { createComplaints } from "../complaints.ts";
import { readResultLines } from "../json-lines.ts";
import { describeLmEvalRun, type LmEvalRun } from "./lm-eval-run.ts";
import { createFilterReader, type FilterReader } from "./lm-eval-row.ts";
import { filteredId } from "../metric-id.ts";
import type { LooksLike, OpenResults, ResultSource } from "../source.ts";
import { createToolMetrics, type ToolMetrics } from "../tool-metrics.ts";

/**
 * Reads the output of `lm_eval --log_samples`: `samples_<task>_<date>.jsonl`. The `results_<date>.json` next to it names
 * the model and the metrics where lower is better.
 */
export const openLmEval: OpenResults = async (source, shape): Promise<OpenedResults> => {
  await requireSamples(source);
  const run = await describeLmEvalRun(source);
  const wanted = shape.metrics.map(filteredId);
  const metrics = createToolMetrics(source.path, wanted);
  const reader = createFilterReader(source.path, wanted);
  return {
    tool: run.version === undefined ? "lm-eval" : `lm-eval ${run.version}`,
    rows: rowsOf(source, { run, reader, metrics, wanted }),
    metrics: metrics.list,
  };
};

interface Reading {
  readonly run: LmEvalRun;
  readonly reader: FilterReader;
  readonly metrics: ToolMetrics;
  readonly wanted: readonly string[];
}

/**
 * Each filter of a task has its own rows, one filter after the other: a first pass stores the later filters' scores,
 * and checks whether the documents have ids.
 */
async function* rowsOf(source: ResultSource, reading: Reading): AsyncGenerator<ResultRow> {
  const { run, reader, metrics, wanted } = reading;
  const complaints = createComplaints(source.path);
  for await (const line of readResultLines(source)) complaints.add(reader.note(line));
  complaints.add(reader.lost());
  complaints.refuse();
  const known = (id: string): Partial<ResultMetric> => {
    if (wanted.length > 0 && !wanted.includes(id)) return {};
    const { name, isFlag } = reader.nameOf(id);
    return { range: rangeOf(name, isFlag), direction: directionOf(name, { run, source }) };
  };
  for await (const line of readResultLines(source)) {
    const row = reader.read(line);
    if (row === undefined) continue;
    const { task, candidate, judgedBy } = run;
    const scores = metrics.take(row.scores, known);
    yield { ...row, task, candidate, scores, ...(judgedBy !== undefined && { judgedBy }) };
  }
}

/** The tool's own metrics with a range of 0 to 1. Others are defined by users. */
const shares = ["acc", "acc_norm", "acc_mutual_info", "acc_bytes", "acc_all", "exact_match", "em"];
const lower = [
  "perplexity",
  "word_perplexity",
  "byte_perplexity",
  "bits_per_byte",
  "ter",
  "brier_score",
];
const higher = [...shares, "likelihood", "mcc", "f1", "bleu", "chrf", "chrf++", "bypass"];

function rangeOf(name: string, isFlag: boolean): readonly [number, number] | null {
  return isFlag || shares.includes(name) ? [0, 1] : null;
}

function directionOf(
  name: string,
  { run, source }: { readonly run: LmEvalRun; readonly source: ResultSource },
): ResultMetric["direction"] {
  const isHigher = run.higherIsBetter(name) ?? (lower.includes(name) ? false : undefined);
  if (isHigher === true || (isHigher === undefined && higher.includes(name)))
    return "higher_is_better";
  if (isHigher === false) return "lower_is_better";
  const found = { metric: name, beside: run.resultsName ?? "results_<date>.json" };
  throw new Refusal(problem("results_direction_unknown", found, { file: source.path }));
}

/** Refuses the file of totals: people confuse it with the samples, though it has another name and structure. */
async function requireSamples(source: ResultSource): Promise<void> {
  const file = await source.open();
  try {
    const text = new TextDecoder().decode(await file.read(0, 4096)).replace(/^\ufeff/, "");
    if (/^\s*\{\s*"/.test(text) && !isTotals(text)) return;
  } finally {
    await file.close();
  }
  const expected = "a samples_<task>_<date>.jsonl, which `lm_eval --log_samples` writes,";
  const found = { format: "lm-eval", expected };
  throw new Refusal(problem("results_not_format", found, { file: source.path }));
}

/** Whether a text begins like a file of totals. */
function isTotals(text: string): boolean {
  return /^\s*\{\s*"(?:results|groups)"\s*:/.test(text);
}

/** Recognizes a row of the tool, and also the totals, for which opening explains which file is needed. */
export const looksLikeLmEval: LooksLike = ({ path, text, whole }) => {
  if (isTotals(text)) return /(?:^|[/\\])results_\d{4}-[^/\\]*\.json$/.test(path);
  if (!/^\s*\{\s*"doc_id"\s*:/.test(text)) return false;
  const end = text.indexOf("\n");
  if (end === -1 && !whole) return /"doc"\s*:/.test(text);
  const first = parseJsonText(end === -1 ? text : text.slice(0, end), () => false);
  return first.kind === "json" && isJsonObject(first.value) && "filtered_resps" in first.value;
};
