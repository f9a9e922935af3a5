import { countedScore, type Ledger, type LedgerGroup, substituteScores } from "../domain/ledger.ts";
import type { MetricValue } from "../domain/run.ts";
import type { MetricSpec } from "../domain/suite.ts";
import { type Cases, caseScores, casesOf, slicesOf } from "./cases.ts";
import { meanOf, type MeanOf, tInterval } from "./mean.ts";
import { wilsonInterval } from "./wilson.ts";

/** What the metrics must know of a task. */
export interface MeasuredTask {
  readonly id: string;
  readonly metrics: readonly MetricSpec[];
  readonly slices: readonly string[];
}

const level = 0.95;

/**
 * The value of every metric with the aggregation `mean`, of every candidate that has samples: over all
 * cases (`slice` null), then over the cases of each `field=value`. Tasks and metrics in the order given,
 * candidates and slices sorted; the order of the samples in the ledger leaves no trace.
 *
 * The unit is the case: its score is the mean over its repeats of what each sample counts as. `value` is the
 * mean over the cases, `stderr` its standard error √(Σ(x − value)² / (n(n − 1))), both in the metric's own
 * unit; `ci` holds at 95 %. It is Wilson's for a 0/1 metric with one sample a case, Student's otherwise.
 * Student's is not cut to `range`: a limit beyond it says that few or lopsided cases carry the mean.
 * Without a case with a score `value`, `stderr` and `ci` are null; with one, `stderr` and Student's `ci`.
 *
 * `scale` is the declared one, else `binary` if all that was counted in the task, over its candidates, is 0
 * or 1. Scores other than 0 and 1 of a metric that was declared `binary` get Student's interval.
 */
export function aggregate(ledger: Ledger, tasks: readonly MeasuredTask[]): readonly MetricValue[] {
  const groups = ledger.groups().toSorted((a, b) => (a.candidate < b.candidate ? -1 : 1));
  return tasks.flatMap((task) =>
    aggregateTask(
      task,
      groups.filter((group) => group.task === task.id),
    ),
  );
}

function aggregateTask(task: MeasuredTask, groups: readonly LedgerGroup[]): MetricValue[] {
  const metrics = task.metrics.filter((metric) => metric.aggregation === "mean");
  const scales = metrics.map((metric) => metric.scale ?? scaleFound(metric, groups));
  return groups.flatMap((group) => {
    const cases = casesOf(group);
    const slices = slicesOf(group, cases, task.slices);
    return metrics.flatMap((metric, i) => {
      const measured = { group, cases, metric, scale: scales[i] ?? "graded" };
      const scores = caseScores(cases, counting(metric, group));
      return slices.map(({ slice, members }) =>
        metricValue(measured, slice, presentOf(scores, members)),
      );
    });
  });
}

/** The scores of those of the cases that have one. */
function presentOf(scores: Float64Array, members: ArrayLike<number>): Float64Array {
  const present = new Float64Array(members.length);
  let n = 0;
  for (let i = 0; i < members.length; i += 1) {
    const score = scores[members[i] ?? 0] ?? Number.NaN;
    if (Number.isNaN(score)) continue;
    present[n] = score;
    n += 1;
  }
  return present.subarray(0, n);
}

/** What the samples of a group count as in a metric. */
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
  readonly metric: MetricSpec;
  readonly scale: MetricValue["scale"];
}

function metricValue(
  { group, cases, metric, scale }: Measured,
  slice: string | null,
  scores: Float64Array,
): MetricValue {
  const proportion = scale === "binary" && !cases.repeated && scores.every(isBinary);
  return {
    task: group.task,
    candidate: group.candidate,
    metric: metric.id,
    slice,
    aggregation: metric.aggregation,
    higher_is_better: metric.higher_is_better,
    range: metric.range,
    scale,
    ...estimate(scores, proportion),
  };
}

type Estimate = Pick<MetricValue, "value" | "n" | "stderr" | "ci" | "ci_method">;

function estimate(scores: Float64Array, proportion: boolean): Estimate {
  if (scores.length === 0) return { value: null, n: 0, stderr: null, ci: null, ci_method: null };
  const summary = meanOf(scores);
  const { mean: value, n, stderr = null } = summary;
  return { value, n, stderr, ...confidence(summary, proportion) };
}

function confidence(summary: MeanOf, proportion: boolean): Pick<MetricValue, "ci" | "ci_method"> {
  const interval = proportion
    ? wilsonInterval(Math.round(summary.mean * summary.n), summary.n, level)
    : tInterval(summary, level);
  if (interval === undefined) return { ci: null, ci_method: null };
  return { ci: [interval.lower, interval.upper], ci_method: proportion ? "wilson" : "t" };
}
