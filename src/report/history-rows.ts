import { historyKey, meaningOf } from "../model/history.ts";
import { isSampleMetric } from "../model/metric.ts";
import type { MetricValue, Run, Verdict } from "../model/run.ts";

/** A run of the past, with what it measured. */
export interface HistoryRow {
  readonly suite: string;
  readonly run_id: string;
  readonly directory: string;
  /** When it ended, ISO 8601. */
  readonly at: string;
  readonly commit: string | null;
  readonly status: Run["status"];
  readonly verdict: Verdict;
  readonly metrics: readonly HistoryMetric[];
}

interface HistoryMetric {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  readonly value: number;
  readonly ci: readonly [number, number] | null;
  readonly n: number;
  /** From the suite's run before; null: there is none, or its scores meant something else. */
  readonly difference: number | null;
  /** The grader, the data set or the judge was another than in the run before. */
  readonly break: boolean;
}

/** A run, and where it lies. */
export interface PastRun {
  readonly directory: string;
  readonly run: Run;
}

/** The runs of each suite as rows, the newest first, each beside the one before it. */
export function historyRows(runs: readonly PastRun[]): readonly HistoryRow[] {
  const sorted = runs.toSorted((a, b) => compareText(a.run.completed_at, b.run.completed_at));
  const bySuite = Map.groupBy(sorted, ({ run }) => run.suite.name);
  const rows = [...bySuite.values()].flatMap((some) =>
    some.map((past, i) => rowOf(past, some.slice(0, i).toReversed())),
  );
  return rows.toSorted((a, b) => compareText(b.at, a.at));
}

function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function rowOf({ directory, run }: PastRun, earlier: readonly PastRun[]): HistoryRow {
  const told = run.metrics.filter(
    ({ slice, metric, value }) => slice === null && value !== null && !isSampleMetric(metric),
  );
  return {
    suite: run.suite.name,
    run_id: run.id,
    directory,
    at: run.completed_at,
    commit: run.git.sha,
    status: run.status,
    verdict: run.gate.verdict,
    metrics: told.flatMap((value) => metricOf(run, value, earlier)),
  };
}

/** A run that was stopped has measured a part: nothing is compared with it. */
function metricOf(
  run: Run,
  found: MetricValue,
  earlier: readonly PastRun[],
): readonly HistoryMetric[] {
  const { task, candidate, metric, value, ci, n } = found;
  if (value === null) return [];
  const last = earlier.flatMap((past) => {
    const before = past.run.metrics.find((other) => historyKey(other) === historyKey(found));
    const isWhole = past.run.status === "completed" && typeof before?.value === "number";
    return isWhole ? [{ value: before.value, run: past.run }] : [];
  })[0];
  const isBreak = last !== undefined && meaningOf(run)[task] !== meaningOf(last.run)[task];
  const isCompared = last !== undefined && !isBreak && run.status === "completed";
  const difference = isCompared ? value - (last.value ?? value) : null;
  return [{ task, candidate, metric, value, ci, n, difference, break: isBreak }];
}

const heads =
  "suite,run_id,directory,at,commit,status,verdict,task,candidate,metric,value,ci_low,ci_high,n,difference,break";
const emptyMetric = Array.from({ length: 9 }, () => "");

/** A line a run and metric; a run without metrics has one line. */
export function historyCsv(rows: readonly HistoryRow[]): string {
  const lines = rows.flatMap((row) => {
    const { suite, run_id: id, directory, at, commit, status, verdict, metrics } = row;
    const start: readonly Field[] = [suite, id, directory, at, commit ?? "", status, verdict];
    if (metrics.length === 0) return [start.concat(emptyMetric)];
    return metrics.map((one) => start.concat(metricFields(one)));
  });
  return `${[heads, ...lines.map((line) => line.map(field).join(","))].join("\n")}\n`;
}

type Field = string | number | boolean;

function metricFields(one: HistoryMetric): readonly Field[] {
  const [low = "", high = ""] = one.ci ?? [];
  const figures = [one.value, low, high, one.n, one.difference ?? "", one.break];
  return [one.task, one.candidate, one.metric, ...figures];
}

/** A text that a table program would take for a formula begins with an apostrophe. */
function field(value: Field): string {
  const text =
    typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
