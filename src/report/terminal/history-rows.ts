import { historyKey, meaningOf, type HistoryPoint } from "../../model/outcomes/history.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import type { ValuePlace } from "../../model/place.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Verdict } from "../../model/outcomes/verdict.ts";

/** An earlier run with one of its measured values. */
export interface HistoryRow {
  readonly suite: string;
  /** null, as are `directory` and `verdict`, for a run of the base branch that is known only from another run's history. */
  readonly run_id: string | null;
  readonly directory: string | null;
  /** When the run ended, ISO 8601. */
  readonly at: string | null;
  readonly commit: string | null;
  readonly status: Run["status"];
  readonly verdict: Verdict | null;
  readonly metrics: readonly HistoryMetric[];
}

interface HistoryMetric {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  readonly value: number;
  readonly ci: readonly [number, number] | null;
  readonly n: number | null;
  /** Difference from the suite's previous run of the same cases; null if there is none, or if its scores had another meaning. */
  readonly difference: number | null;
  /** True if the grader, the data set or the judge differs from the run before. */
  readonly break: boolean;
}

/** A run and its location. */
export interface PastRun {
  readonly directory: string;
  readonly run: Run;
  /** Stands for a run of the base branch that is known only from the history in `run`. */
  readonly point?: HistoryPoint;
}

/** The base branch's runs in the history of each suite's newest run, without those that are listed themselves. */
export function carriedRuns(runs: readonly PastRun[]): readonly PastRun[] {
  const newestFirst = runs.toSorted((a, b) => compareText(atOf(b), atOf(a)));
  const known = new Set(runs.map(({ run }) => JSON.stringify([run.git.sha, run.completed_at])));
  const bySuite = Map.groupBy(newestFirst, ({ run }) => run.suite.name);
  return [...bySuite.values()].flatMap(([newest]) => {
    const points = newest?.run.baseline?.history ?? [];
    const others = points.filter(({ sha, at }) => !known.has(JSON.stringify([sha, at])));
    return newest === undefined ? [] : others.map((point) => Object.assign({ point }, newest));
  });
}

/** The runs of each suite as rows, newest first, each compared with the one before it. */
export function historyRows(runs: readonly PastRun[]): readonly HistoryRow[] {
  const sorted = runs.toSorted((a, b) => compareText(atOf(a), atOf(b)));
  const bySuite = Map.groupBy(sorted, ({ run }) => run.suite.name);
  const rows = [...bySuite.values()].flatMap((some) =>
    some.map((past, i) => rowOf(past, some.slice(0, i).toReversed())),
  );
  return rows.toSorted((a, b) => compareText(b.at ?? "", a.at ?? ""));
}

/** Points of earlier versions have no time: they count as the oldest. */
function atOf({ run, point }: PastRun): string {
  return point === undefined ? run.completed_at : (point.at ?? "");
}

function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function rowOf(past: PastRun, earlier: readonly PastRun[]): HistoryRow {
  const { directory, run, point } = past;
  const own =
    point === undefined
      ? { run_id: run.id, directory, verdict: run.gate.verdict, status: run.status }
      : { run_id: null, directory: null, verdict: null, status: "completed" as const };
  return {
    suite: run.suite.name,
    ...own,
    at: atOf(past) || null,
    commit: point === undefined ? run.git.sha : point.sha,
    metrics: valuesOf(past)
      .filter(({ slice, metric }) => slice === null && !isSampleMetric(metric))
      .map((value) => metricOf(past, value, earlier)),
  };
}

interface Value extends ValuePlace {
  readonly value: number;
  readonly ci: readonly [number, number] | null;
  readonly n: number | null;
}

function valuesOf({ run, point }: PastRun): readonly Value[] {
  if (point !== undefined)
    return point.values.map(({ task, candidate, metric, slice, value }) => {
      return { task, candidate, metric, slice, value, ci: null, n: null };
    });
  return run.metrics.flatMap(({ value, ...of }) => (value === null ? [] : [{ ...of, value }]));
}

/** A run that was stopped has measured only a part: nothing is compared with it. */
function isWhole({ run, point }: PastRun): boolean {
  return point !== undefined || run.status === "completed";
}

function metricOf(past: PastRun, found: Value, earlier: readonly PastRun[]): HistoryMetric {
  const { task, candidate, metric, value, ci, n } = found;
  const cases = selectionIn(past, task);
  const alike = earlier.filter((other) => isWhole(other) && selectionIn(other, task) === cases);
  const last = alike.flatMap((other) => {
    const before = valuesOf(other).find((each) => historyKey(each) === historyKey(found));
    return before === undefined ? [] : [{ value: before.value, past: other }];
  })[0];
  const isBreak = last !== undefined && isOther(meaningIn(past, task), meaningIn(last.past, task));
  const isCompared = last !== undefined && !isBreak && isWhole(past);
  const difference = isCompared ? value - last.value : null;
  return { task, candidate, metric, value, ci, n, difference, break: isBreak };
}

/** How the cases of a task were chosen (`--case`, `max_samples`). Runs of different cases are not compared. */
function selectionIn({ run, point }: PastRun, task: string): string {
  const chosen = run.suite.not_selected.cases?.find((each) => each.task === task);
  return point !== undefined || chosen === undefined
    ? "all"
    : JSON.stringify([chosen.up_to, chosen.only ?? []]);
}

function meaningIn({ run, point }: PastRun, task: string): string | undefined {
  return (point === undefined ? meaningOf(run) : point.meaning)?.[task];
}

/** An unknown mark, as in points of earlier versions, is no break. */
function isOther(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

const heads =
  "suite,run_id,directory,at,commit,status,verdict,task,candidate,metric,value,ci_low,ci_high,n,difference,break";
const emptyMetric = Array.from({ length: 9 }, () => "");

/** A line per run and metric; a run without metrics has one line. */
export function historyCsv(rows: readonly HistoryRow[]): string {
  const lines = rows.flatMap((row) => {
    const { suite, run_id: id, directory, at, commit, status, verdict, metrics } = row;
    const given = [suite, id, directory, at, commit, status, verdict];
    const start = given.map((each): Field => each ?? "");
    if (metrics.length === 0) return [start.concat(emptyMetric)];
    return metrics.map((one): readonly Field[] => start.concat(metricFields(one)));
  });
  return `${[heads, ...lines.map((line) => line.map(field).join(","))].join("\n")}\n`;
}

type Field = string | number | boolean;

function metricFields(one: HistoryMetric): readonly Field[] {
  const [low = "", high = ""] = one.ci ?? [];
  const figures = [one.value, low, high, one.n ?? "", one.difference ?? "", one.break];
  return [one.task, one.candidate, one.metric, ...figures];
}

/** An apostrophe is put before a text that a spreadsheet would read as a formula. */
function field(value: Field): string {
  const text =
    typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
