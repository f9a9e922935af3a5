import { readField } from "../base/fields.ts";
import { nearest } from "../base/nearest.ts";
import type { JsonObject } from "../model/json.ts";
import { sampleMetricIds } from "../model/definition/metric.ts";
import { problem, Refusal, type Place, type Problem } from "../model/refusal.ts";
import type { OpenedResults, ResultMetric, ResultRow } from "../model/results.ts";
import { inMetricOrder, missingMetric } from "./metric-names.ts";
import { fieldKeysOf, readResult, type ReadTable } from "./rows.ts";
import type { RowReading } from "./fields.ts";
import type { ResultShape, ResultSource, LooksLike } from "./source.ts";

/** A table of results: JSON lines or CSV. */
interface Table {
  readonly tool: string;
  readonly source: ResultSource;
  readonly shape: ResultShape;
  readonly read: ReadTable;
  readonly texts: boolean;
  /** Explains an unreadable row, if the file may have been cut off. */
  readonly explain?: (found: Problem) => Promise<Problem>;
}

/** Limit of reported problems per file. */
const toldAtMost = 20;

/** Reads a table row by row. Its metrics are the requested ones, otherwise those of its rows. */
export function openTable(table: Table): OpenedResults {
  const seen = createMetrics(table.shape.metrics);
  return { tool: table.tool, rows: rowsOf(table, seen), metrics: () => seen.metrics(table) };
}

async function* rowsOf(table: Table, seen: MetricsSeen): AsyncGenerator<ResultRow> {
  const { source, shape, read, texts } = table;
  const reading: RowReading = { file: source.path, shape, texts, known: seen.known };
  const told: { readonly line: number; readonly problem: Problem }[] = [];
  let more = 0;
  const complain = (line: number, found: readonly Problem[]): void => {
    const room = Math.max(0, toldAtMost - told.length);
    told.push(...found.slice(0, room).map((each) => ({ line, problem: each })));
    more += Math.max(0, found.length - room);
  };
  let isFirst = texts;
  for await (const batch of read(source.bytes(), source.path)) {
    for (const each of batch) {
      // Every row of a CSV file has all columns: one that the first lacks is misspelt.
      if (isFirst && each.kind === "row") {
        complain(1, missingColumns(each.row, shape, source.path));
        isFirst = false;
      }
      if (each.kind === "bad") {
        const line = each.problem.place?.line ?? Number.POSITIVE_INFINITY;
        complain(line, [withLine((await table.explain?.(each.problem)) ?? each.problem)]);
        continue;
      }
      const result = readResult(each, reading);
      if ("problems" in result) complain(each.line, result.problems);
      else {
        seen.add(result);
        if (told.length === 0) yield result;
      }
    }
  }
  if (told.length === 0) return;
  // A batch reports its rows in an arbitrary order, so problems are sorted by line.
  const problems = told.toSorted((a, b) => a.line - b.line || 0).map((each) => each.problem);
  const last = problem("dataset_more_problems", { count: more }, { file: source.path });
  throw new Refusal(more > 0 ? [...problems, last] : problems);
}

/**
 * Columns that the manifest names and the file lacks: what stands there would not be seen. A tool may write the column
 * of errors only if it had one: that is refused only if another column has nearly its name.
 */
function missingColumns(row: JsonObject, { fields }: ResultShape, file: string): Problem[] {
  const known = Object.keys(row);
  return fieldKeysOf(fields).flatMap((key) => {
    const named = fields[key] ?? [];
    const columns: readonly string[] = typeof named === "string" ? [named] : named;
    return columns.flatMap((column) => {
      const meant = nearest(column, known);
      if (readField(row, column) !== undefined || (key === "error" && meant === undefined))
        return [];
      return [problem("results_column_missing", { key, column, known, nearest: meant }, { file })];
    });
  });
}

/** Adds the line to the text, like problems of fields: problems with a line of their own are shown separately. */
function withLine(found: Problem): Problem {
  const { message, place } = found;
  if (place?.line === undefined) return found;
  const column = place.column === undefined ? "" : `, column ${place.column}`;
  const { file } = place;
  return { ...found, message: `line ${place.line}${column}: ${message}`, place: { file } };
}

interface MetricsSeen {
  /** Names of the fields in rows without a score. */
  readonly known: Set<string>;
  readonly add: (row: ResultRow) => void;
  /** Throws a Refusal if no row has a requested metric. */
  readonly metrics: (table: Table) => readonly ResultMetric[];
}

interface Seen {
  low: number;
  high: number;
}

function createMetrics(wanted: readonly string[]): MetricsSeen {
  const seen = new Map<string, Seen>();
  const others = new Set<string>();
  let scored = 0;
  return {
    known: others,
    add: ({ scores, result }) => {
      if (result.kind === "scored") scored += 1;
      for (const [id, score] of Object.entries(scores)) {
        const range = seen.get(id);
        if (range === undefined) seen.set(id, { low: score, high: score });
        else {
          range.low = Math.min(range.low, score);
          range.high = Math.max(range.high, score);
        }
      }
    },
    metrics: ({ source }) => {
      const place = { file: source.path };
      const known = [...new Set([...seen.keys(), ...others])];
      if (wanted.length === 0 && scored > 0 && seen.size === 0)
        throw new Refusal(noScores(known, place));
      const missing = scored === 0 ? [] : wanted.filter((id) => !seen.has(id));
      if (missing.length > 0)
        throw new Refusal(missing.map((metric) => missingMetric(metric, known, place)));
      const found = inMetricOrder(
        [...seen.keys()].map((id) => ({ id })),
        [mainMetric],
      );
      return (wanted.length > 0 ? wanted.map((id) => ({ id })) : found).map(({ id }) => ({
        id,
        range: rangeOf(seen.get(id)),
        direction: lessIsBetter.has(id)
          ? ("lower_is_better" as const)
          : ("higher_is_better" as const),
      }));
    },
  };
}

/** Fields of usage and time, whose meaning is known: more of them is worse. */
const lessIsBetter: ReadonlySet<string> = new Set([
  ...sampleMetricIds,
  "latency_ms",
  "cost",
  "cached_tokens",
  "reasoning_tokens",
]);

/** The main metric unless another is named. */
const mainMetric = "score";

/** The problem of rows without a number under the usual names: lists the numbers that they have, if any. */
function noScores(known: readonly string[], place: Place): readonly Problem[] {
  const none = problem("results_no_scores", undefined, place);
  return known.length === 0 ? [none] : [none, missingMetric(mainMetric, known, place)];
}

/** A table has no ranges: if all scores are from 0 to 1, they count as shares. */
function rangeOf(seen: Seen | undefined): ResultMetric["range"] {
  return seen !== undefined && seen.low >= 0 && seen.high <= 1 ? [0, 1] : null;
}

/** Opens CSV with a header and a row for each answer. `read`: reads the rows. */
export async function openCsv(
  source: ResultSource,
  shape: ResultShape,
  read: ReadTable,
): Promise<OpenedResults> {
  return openTable({ tool: "csv", source, shape, read, texts: true });
}

/** Recognizes CSV by the file's name: any text may be a CSV file. */
export const looksLikeCsv: LooksLike = ({ path, text }) =>
  path.toLowerCase().endsWith(".csv") && !/^\s*[[{<]/.test(text);
