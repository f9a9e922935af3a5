import { clip, escapeLogLine } from "../escape.ts";
import type { HistoryRow, PastRun } from "./history-rows.ts";
import { columns, naturalWidth, type TextCell } from "./text-table.ts";
import { difference, figure, unitOf } from "../words/figures.ts";
import { ruleName } from "../words/rules.ts";
import { breakMark } from "../sparkline.ts";
import { verdictMarks } from "../words/titles.ts";

interface HistoryLayout {
  readonly width: number;
  /** The runs that the rows come from. */
  readonly runs: readonly PastRun[];
}

/** Earlier runs for a terminal: a table per suite, a line per run, newest first. */
export function renderHistory(rows: readonly HistoryRow[], layout: HistoryLayout): string {
  const suites = [...Map.groupBy(rows, ({ suite }) => suite)];
  const tables = suites.map(([suite, some]) => suiteTable(suite, some, layout));
  const isBroken = rows.some(({ metrics }) => metrics.some((one) => one.break));
  const legend = isBroken
    ? [`${breakMark} the grader, the data set or the judge is another than in the run before`]
    : [];
  return `${[...tables, ...legend].join("\n\n")}\n`;
}

/** Limit of metrics in the table; the CSV has all. */
const metricsShown = 3;

function suiteTable(suite: string, rows: readonly HistoryRow[], layout: HistoryLayout): string {
  const names = [...new Set(rows.flatMap((row) => namesOf(row, layout)))];
  const shown = names.slice(0, metricsShown);
  const more = names.length - shown.length;
  const head = ["ended (UTC)", "run", "commit", "verdict", ...shown].map((name) => cell(name));
  const table = [head, ...rows.map((row) => lineOf(row, shown, layout))];
  // The time is left out if the table would be too wide: a run's name begins with its time.
  const fits = naturalWidth(table) <= layout.width;
  const kept = fits ? table : table.map((line) => line.slice(1));
  const note = more > 0 ? `\nand ${more} more metrics: --csv or --json has them` : "";
  return `${escapeLogLine(clip(suite, 80))}\n${columns(kept, layout.width)}${note}`;
}

function namesOf(row: HistoryRow, layout: HistoryLayout): readonly string[] {
  return row.metrics.map((one) => nameOf(row, one, layout));
}

function nameOf(
  row: HistoryRow,
  one: HistoryRow["metrics"][number],
  { runs }: HistoryLayout,
): string {
  const run = runOf(row, runs);
  return run === undefined ? one.metric : ruleName(run, { ...one, slice: null });
}

/** The run of a row, or the run whose history has it. */
function runOf(row: HistoryRow, runs: readonly PastRun[]): PastRun["run"] | undefined {
  const own = runs.find(({ directory, point }) => !point && directory === row.directory);
  return (own ?? runs.find(({ run }) => run.suite.name === row.suite))?.run;
}

function lineOf(
  row: HistoryRow,
  names: readonly string[],
  layout: HistoryLayout,
): readonly TextCell[] {
  const values = names.map((name) => {
    const one = row.metrics.find((each) => nameOf(row, each, layout) === name);
    return cell(one === undefined ? "–" : metricWords(row, one, layout));
  });
  return [
    cell(row.at?.slice(0, 16).replace("T", " ") ?? "–"),
    cell(row.directory?.split(/[/\\]/).at(-1) ?? "–"),
    cell(row.commit?.slice(0, 7) ?? "–"),
    cell(verdictOf(row)),
    ...values,
  ];
}

function verdictOf({ status, verdict }: HistoryRow): string {
  if (verdict === null) return "(base branch)";
  return status === "cancelled" ? "➖ cancelled" : `${verdictMarks[verdict]} ${verdict}`;
}

/** `82.2%, −11.2 points`. */
function metricWords(
  row: HistoryRow,
  one: HistoryRow["metrics"][number],
  { runs }: HistoryLayout,
): string {
  const run = runOf(row, runs);
  const unit = run === undefined ? "number" : unitOf(run, one);
  const value = figure(one.value, unit);
  if (one.break) return `${value} ${breakMark}`;
  return one.difference === null ? value : `${value}, ${difference(one.difference, unit)}`;
}

function cell(text: string): TextCell {
  return { text: escapeLogLine(clip(text, 120)), align: "left" };
}
