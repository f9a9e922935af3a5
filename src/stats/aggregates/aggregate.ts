import { countedScore, substituteScores } from "../../model/outcomes/counted-score.ts";
import type { LedgerGroup, LedgerReader } from "../../model/figures/ledger.ts";
import {
  type AggregatedMetric,
  countsPasses,
  isAggregated,
  isSampleMetric,
  keepsBits,
  valueRange,
} from "../../model/definition/metric.ts";
import type { MetricValue } from "../../model/outcomes/run.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import { aggregateValue } from "./aggregation.ts";
import {
  type Cases,
  caseScores,
  casesOf,
  clustersOfCases,
  type CaseSlice,
  slicesOf,
} from "./cases.ts";
import { type CaseScores, certaintyOf } from "./estimate.ts";
import { wilsonInterval } from "../inference/proportion.ts";

/** Facts about a task that metrics need. */
export interface MeasuredTask {
  readonly id: string;
  readonly metrics: readonly MetricSpec[];
  readonly slices: readonly string[];
  /** Number of repeats reserved for each attempt, if the ledger holds several attempts one after the other. */
  readonly repeatsOfAttempt?: number | undefined;
}

const level = 0.95;

/**
 * The value of every metric that has an aggregation, or that a batch grader returned, of every candidate that has samples: over all cases (`slice` null),
 * then over the cases of each `field=value`. Tasks and metrics in the order given, candidates and slices sorted; the
 * order of the samples in the ledger leaves no trace. Measurements (seconds, tokens, dollars) are left out for a
 * candidate if they are unknown for one case.
 *
 * The unit is the case: its score is the metric's reducer (the mean) over what each of its repeats counts as. `value` is
 * the aggregation over the cases, `stderr` its standard error, both in the metric's own unit; `ci` holds at 95 %. It is
 * Wilson's for the mean of scores that can only be 0 or 1, else as `certaintyOf` says, cluster-robust where the cases
 * have clusters. Student's is not cut to `range`: a limit beyond it says that few or lopsided cases carry the mean.
 * Unknown values are null: all of them without a scored case, and of a metric that the grader never gave; `stderr` and `ci` with only one.
 *
 * `scale` is the declared one, else `binary` if all that was counted in the task, over its candidates, is 0 or 1. Scores
 * other than 0 and 1 of a metric that was declared `binary` get Student's interval. `range` is that of the value: a sum
 * and a spread have none.
 *
 * A batch grader's number is the value of its metric, with the aggregation `returned`: over all cases only, because it
 * has no scores by case, and with the grader's own interval, if any; `n` counts the cases with a graded sample.
 */
export function aggregate(
  ledger: LedgerReader,
  tasks: readonly MeasuredTask[],
): readonly MetricValue[] {
  const groups = ledger.groups().toSorted((a, b) => (a.candidate < b.candidate ? -1 : 1));
  return tasks.flatMap((task) =>
    aggregateTask(
      task,
      groups.filter((group) => group.task === task.id),
    ),
  );
}

function aggregateTask(task: MeasuredTask, groups: readonly LedgerGroup[]): MetricValue[] {
  const { metrics } = task;
  const scales = metrics.map(
    (metric) => metric.scale ?? (isAggregated(metric) ? scaleFound(metric, groups) : "graded"),
  );
  return groups.flatMap((group) => {
    const cases = casesOf(group, task.repeatsOfAttempt);
    const slices = slicesOf(group, cases, task.slices);
    const clusters = clustersOfCases(group, cases);
    return metrics.flatMap((metric, i) => {
      const given = group.given(metric.id);
      if (given !== undefined) return [returnedValue(metric, given, { group, cases })];
      if (!isAggregated(metric)) return [];
      const measured = { group, cases, metric, scale: scales[i] ?? "graded", clusters };
      return aggregateMetric(measured, slices);
    });
  });
}

function returnedValue(
  metric: MetricSpec,
  value: number,
  { group, cases }: { readonly group: LedgerGroup; readonly cases: Cases },
): MetricValue {
  const graded = caseScores(cases, (i) => (group.outcome(i) === "ungraded" ? undefined : 1));
  const interval = toldInterval(metric, group);
  return {
    task: group.task,
    candidate: group.candidate,
    metric: metric.id,
    slice: null,
    aggregation: "returned",
    higher_is_better: metric.higher_is_better,
    range: valueRange(metric),
    scale: metric.scale ?? "graded",
    value,
    n: graded.reduce((n, score) => n + (Number.isNaN(score) ? 0 : 1), 0),
    stderr: null,
    ci: interval ?? null,
    ci_method: interval === undefined ? null : "returned",
  };
}

/** A grader that counts samples treats each as an independent case: with repeats or clusters its interval is too narrow. */
function toldInterval(metric: MetricSpec, group: LedgerGroup): MetricValue["ci"] | undefined {
  const isPlain = group.size === group.caseIds().length && !group.hasClusters();
  return isPlain ? group.givenInterval(metric.id) : undefined;
}

function aggregateMetric(measured: Measured, slices: readonly CaseSlice[]): MetricValue[] {
  const { group, cases, metric } = measured;
  if (isSampleMetric(metric.id) && !group.hasAny(metric.id)) return [];
  const counted = isNeverGiven(metric, group) ? () => undefined : counting(metric, group);
  const scores = caseScores(cases, counted, metric.reducer);
  if (isSampleMetric(metric.id) && scores.every(Number.isNaN)) return [];
  return slicesFor(metric, slices).map(({ slice, members }) =>
    metricValue(measured, slice, presentOf(scores, members, measured.clusters)),
  );
}

/**
 * A metric that the grader gave to no sample, although it scored some, has no value: 0 would claim that all were wrong.
 * The gate counts these samples as wrong, and says so.
 */
function isNeverGiven({ id }: MetricSpec, group: LedgerGroup): boolean {
  if (isSampleMetric(id) || group.hasAny(id)) return false;
  for (let i = 0; i < group.size; i += 1) if (group.outcome(i) === "scored") return true;
  return false;
}

/**
 * Regrade's measurements are aggregated over all cases only, because they are informative and every task has four of
 * them.
 */
function slicesFor({ id }: MetricSpec, slices: readonly CaseSlice[]): readonly CaseSlice[] {
  return isSampleMetric(id) ? slices.filter(({ slice }) => slice === null) : slices;
}

/** The scores of the cases with a score, and their clusters. */
function presentOf(
  scores: Float64Array,
  members: ArrayLike<number>,
  clusters: readonly (string | null)[] | undefined,
): CaseScores {
  const present = new Float64Array(members.length);
  const names: (string | null)[] = [];
  let n = 0;
  for (let i = 0; i < members.length; i += 1) {
    const member = members[i] ?? 0;
    const score = scores[member] ?? Number.NaN;
    if (Number.isNaN(score)) continue;
    present[n] = score;
    n += 1;
    if (clusters) names.push(clusters[member] ?? null);
  }
  return { values: present.subarray(0, n), clusters: clusters && names };
}

/** The value that each sample of a group counts as in a metric. */
function counting(metric: MetricSpec, group: LedgerGroup): (i: number) => number | undefined {
  const counted = { id: metric.id, substitutes: substituteScores(metric, [group]) };
  return (i) => countedScore(group, i, counted);
}

function scaleFound(metric: MetricSpec, groups: readonly LedgerGroup[]): MetricValue["scale"] {
  let any = false;
  for (const group of groups) {
    const score = counting(metric, group);
    for (let i = 0; i < group.size; i += 1) {
      const counted = score(i);
      if (counted !== undefined && !isBinary(counted)) return "graded";
      any ||= counted !== undefined;
    }
  }
  return any ? "binary" : "graded";
}

function isBinary(score: number): boolean {
  return score === 0 || score === 1;
}

interface Measured {
  readonly group: LedgerGroup;
  readonly cases: Cases;
  readonly metric: AggregatedMetric;
  readonly scale: MetricValue["scale"];
  /** The cluster of each case. */
  readonly clusters: readonly (string | null)[] | undefined;
}

function metricValue(measured: Measured, slice: string | null, scores: CaseScores): MetricValue {
  const { group, metric, scale } = measured;
  return {
    task: group.task,
    candidate: group.candidate,
    metric: metric.id,
    slice,
    aggregation: metric.aggregation,
    higher_is_better: metric.higher_is_better,
    range: valueRange(metric),
    scale,
    ...estimate(measured, scores),
  };
}

type Estimate = Pick<MetricValue, "value" | "n" | "stderr" | "ci" | "ci_method">;

function estimate(measured: Measured, scores: CaseScores): Estimate {
  const { aggregation } = measured.metric;
  const n = scores.values.length;
  const value = aggregateValue(scores.values, aggregation);
  if (value === undefined) return { value: null, n, stderr: null, ci: null, ci_method: null };
  const { stderr = null, interval, method } = certaintyOf(scores, aggregation, level);
  if (isProportion(measured, scores)) {
    const { lower, upper } = wilsonInterval(Math.round(value * n), n, level);
    return { value, n, stderr, ci: [lower, upper], ci_method: "wilson" };
  }
  const units = constantUnits(measured, scores);
  if (units !== undefined) {
    const { lower, upper } = wilsonInterval(Math.round(value) * units, units, level);
    return { value, n, stderr, ci: [lower, upper], ci_method: "wilson" };
  }
  const ci = interval && atLeastZero(interval, measured.metric);
  return { value, n, stderr, ci: ci ?? null, ci_method: ci ? method : null };
}

/**
 * Cases (or clusters, each of which counts as one) of a 0/1 metric that are all right, or all wrong: without spread, an
 * interval would have no width and claim certainty. Treated as this number of independent answers, it has a width.
 */
function constantUnits(
  { metric, scale }: Measured,
  { values, clusters }: CaseScores,
): number | undefined {
  const bits = scale === "binary" || countsPasses(metric);
  const [first] = values;
  if (metric.aggregation !== "mean" || !bits || first === undefined || !isBinary(first))
    return undefined;
  if (!values.every((value) => value === first)) return undefined;
  return clusters === undefined ? values.length : countNamed(clusters);
}

/** A case without a cluster is its own cluster. */
function countNamed(clusters: NonNullable<CaseScores["clusters"]>): number {
  const all = Array.from(clusters);
  const named = all.filter((cluster) => cluster !== null);
  return new Set(named).size + all.length - named.length;
}

/**
 * Time can't be negative. For declared metrics a limit beyond the range stays: it shows that few cases determine the
 * mean.
 */
function atLeastZero(
  { lower, upper }: { readonly lower: number; readonly upper: number },
  { id }: MetricSpec,
): readonly [number, number] {
  return [isSampleMetric(id) ? Math.max(0, lower) : lower, upper];
}

/** True for the mean of independent cases that can only be 0 or 1. */
function isProportion(
  { metric, scale, cases }: Measured,
  { values, clusters }: CaseScores,
): boolean {
  if (metric.aggregation !== "mean" || clusters !== undefined) return false;
  const bits = scale === "binary" || countsPasses(metric);
  return bits && keepsBits(metric, cases.repeats) && values.every(isBinary);
}
