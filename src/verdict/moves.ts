import { createLedger } from "../ledger/ledger.ts";
import type { LedgerGroup } from "../model/figures/ledger.ts";
import type { BaselineMove } from "../model/outcomes/compared.ts";
import { isAggregated, isSampleMetric } from "../model/definition/metric.ts";
import type { MetricValue, RunTask } from "../model/outcomes/run.ts";
import type { MetricSpec } from "../model/definition/suite.ts";
import { aggregate, type MeasuredTask } from "../stats/aggregates/aggregate.ts";
import { wilsonInterval } from "../stats/inference/proportion.ts";

/** The same outputs of a task and candidate, graded twice. */
interface GradedTwice {
  readonly stored: LedgerGroup;
  readonly regraded: LedgerGroup;
  /** The task as the baseline has it. */
  readonly base: RunTask;
  /** The task's metrics in this run. */
  readonly metrics: readonly MetricSpec[];
  readonly hasAttempts: boolean | undefined;
}

/**
 * Metrics of the baseline, over all cases and over each slice, that the second grading moves outside of the 95 % interval
 * of the first: a comparison then says more about the grader than about the change. Pure.
 */
export function findMoves(twice: GradedTwice): readonly BaselineMove[] {
  const { stored, regraded, base } = twice;
  const task: MeasuredTask = {
    id: stored.task,
    metrics: comparedMetrics(twice),
    slices: Object.keys(stored.size === 0 ? {} : stored.slices(0)),
    repeatsOfAttempt: twice.hasAttempts === true ? base.repeats : undefined,
  };
  const again = new Map(valuesOf(regraded, task).map((each) => [keyOf(each), each]));
  return valuesOf(stored, task).flatMap((value) => moveOf(value, again.get(keyOf(value))));
}

/** The metrics as the baseline has them, so that the values differ only by the grading. */
function comparedMetrics({ base, metrics }: GradedTwice): readonly MetricSpec[] {
  return metrics.flatMap((here) => {
    const there = base.metrics.find(({ id }) => id === here.id);
    if (there === undefined || isSampleMetric(here.id)) return [];
    return [isAggregated(there) ? there : { ...here, range: there.range ?? here.range }];
  });
}

function valuesOf(group: LedgerGroup, task: MeasuredTask): readonly MetricValue[] {
  return aggregate({ ...createLedger(), groups: () => [group] }, [task]);
}

function keyOf({ metric, slice }: MetricValue): string {
  return JSON.stringify([metric, slice]);
}

function moveOf(before: MetricValue, after: MetricValue | undefined): readonly BaselineMove[] {
  const { candidate, metric, slice, value: stored } = before;
  const regraded = after?.value ?? null;
  if (stored === null || regraded === null) return [];
  const ci = spreadOf(before, stored);
  const [low, high] = ci ?? [stored, stored];
  const slack = rounding * Math.max(1, Math.abs(stored));
  if (regraded >= low - slack && regraded <= high + slack) return [];
  return [{ candidate, metric, slice, stored, ci, regraded }];
}

/** Two means of the same scores may differ in their last digits. */
const rounding = 1e-9;

/**
 * The interval of a value. If it has none, or one without a width (one case, equal scores, a batch grader's own
 * number), the interval is computed as if the cases had scored only the ends of the range: no scores within the range
 * vary more.
 */
function spreadOf({ ci, range, n }: MetricValue, value: number): BaselineMove["ci"] {
  if (ci !== null && ci[1] > ci[0]) return ci;
  if (range === null || n === 0) return null;
  const [lowest, highest] = range;
  const width = highest - lowest;
  if (width <= 0 || value < lowest || value > highest) return null;
  const { lower, upper } = wilsonInterval(((value - lowest) / width) * n, n, 0.95);
  return [lowest + width * lower, lowest + width * upper];
}
