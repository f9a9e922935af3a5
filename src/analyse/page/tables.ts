import { hasEarlier } from "../../model/outcomes/attempts.ts";
import { ownScore, substituteScores } from "../../model/outcomes/counted-score.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Ledger } from "../../model/figures/ledger.ts";
import { type CaseTable, widthOf } from "../../gate/pairing/cases.ts";
import { unmatched } from "../../gate/pairing/matching.ts";
import { pairCases, reducing, type PairedCell } from "../../gate/pairing/pairs.ts";
import { type Cell, type PinnedMetric, visitCells } from "../../gate/pairing/sides.ts";
import { statistics } from "../../stats/statistics.ts";
import { baselineSide, type Baseline } from "../../verdict/conclude.ts";
import { judgedOf } from "../../verdict/describe.ts";
import { caseScore } from "../../gate/pairing/case-scores.ts";

/** The cases of a task and candidate, with their scores before and now in each metric that rules are about. */
export interface PlaceTable {
  readonly cell: Cell;
  readonly metrics: readonly MetricTable[];
}

/** Scores of a metric before and now, indexed by the case's position; NaN if there is no score. */
export interface MetricTable {
  readonly metric: PinnedMetric;
  readonly before: Float64Array;
  readonly now: Float64Array;
  /** True if the case is compared with one of the baseline. */
  readonly isPaired: (position: number) => boolean;
}

/** Builds one table for each task and candidate of a run. `isMain`: the first metric is the deciding one. */
export function* tabulate(run: Run, ledger: Ledger, baseline: Baseline): Generator<PlaceTable> {
  const judged = judgedOf(run, ledger);
  const head = {
    ledger,
    tasks: judged.tasks,
    candidates: judged.candidates,
    hasAttempts: hasEarlier(run.attempts),
    recorded: judged.recorded ?? [],
  };
  const sides = {
    head,
    baseline: baselineSide(baseline, judged.tasks),
    leftOut: { tasks: [], candidates: [] },
  };
  for (const cell of visitCells(sides))
    yield { cell, metrics: metricsOf(run, cell).map((metric) => tableOf(cell, metric)) };
}

/**
 * The metrics that rules apply to, the blocking ones first; without rules, the task's own. Regrade's own measurements
 * can't break a case.
 */
function metricsOf(run: Run, { task, candidate, metrics }: Cell): readonly PinnedMetric[] {
  const rules = run.gate.rules.filter(
    (rule) => rule.task === task && rule.candidate === candidate && !isSampleMetric(rule.metric),
  );
  const ranked = [
    ...rules.filter(({ level, outcome }) => level === "block" && outcome === "missed"),
    ...rules.filter(({ level }) => level === "block"),
    ...rules,
  ].map(({ metric }) => metric);
  const own = metrics.filter(({ id }) => !isSampleMetric(id)).map(({ id }) => id);
  const ids = [...new Set([...ranked, ...own])];
  return ids.flatMap((id) => metrics.find((metric) => metric.id === id) ?? []);
}

function tableOf(cell: Cell, metric: PinnedMetric): MetricTable {
  const { cases, counterpart } = cell;
  const size = cases.ids.length;
  const before = new Float64Array(size).fill(Number.NaN);
  const now = new Float64Array(size).fill(Number.NaN);
  const substitutes = substituteScores(metric, [cases.group]);
  const reading = {
    id: metric.id,
    substitutes,
    reduce: reducing(metric, statistics),
    mean: statistics.mean,
    ungradedAs: "nothing",
  } as const;
  for (let i = 0; i < size; i += 1) now[i] = caseScore(cases, i, reading) ?? Number.NaN;
  if (counterpart.kind === "absent") return { metric, before, now, isPaired: () => false };
  const paired: PairedCell = { ...cell, counterpart };
  const pairs = pairCases(paired, metric, { ungradedAs: "nothing", statistics });
  for (const [i, position] of pairs.positions.entries()) {
    before[position] = pairs.before[i] ?? Number.NaN;
    now[position] = pairs.after[i] ?? Number.NaN;
  }
  return {
    metric,
    before,
    now,
    isPaired: (position) => (pairs.pairAt[position] ?? unmatched) !== unmatched,
  };
}

/** The repeats of a case that have a sample in the journal. */
export function repeatsOf(table: CaseTable, position: number): readonly number[] {
  const width = widthOf(table);
  const at = position * width;
  return Array.from({ length: width }, (_, repeat) => repeat).filter(
    (repeat) => (table.samples[at + repeat] ?? unmatched) !== unmatched,
  );
}

/** The mean of a measurement over a case's samples; null if no sample has it. */
export function measuredMean(
  table: CaseTable,
  position: number,
  metric: "latency_seconds" | "usd",
): number | null {
  const at = position * widthOf(table);
  const values = repeatsOf(table, position).flatMap((repeat) => {
    const value = ownScore(table.group, table.samples[at + repeat] ?? 0, metric);
    return value === undefined ? [] : [value];
  });
  return values.length === 0 ? null : statistics.mean(values);
}
