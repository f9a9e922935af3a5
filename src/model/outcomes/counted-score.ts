import type { LedgerGroup } from "../figures/ledger.ts";
import { isSampleMetric } from "../definition/metric.ts";
import type { Scores } from "./sample.ts";
import type { MetricSpec } from "../definition/suite.ts";

/** Values that count for samples without a score of their own. */
export interface SubstituteScores {
  readonly invalid: number;
  readonly failed: number;
  /** Allowed range of a score; a score outside counts as invalid. null: any score. */
  readonly range: MetricSpec["range"];
}

/**
 * The value that a sample counts as in a metric. `scored`: its score; a score that the grader left out or that is outside
 * the declared range counts as invalid. `ungraded`: undefined. Time, tokens and dollars count as measured, whatever the
 * grader's outcome; unknown ones are not held against anyone. For a failed sample they count as the worst, because
 * failing fast is no gain.
 */
export function countedScore(
  group: LedgerGroup,
  i: number,
  metric: { readonly id: string; readonly substitutes: SubstituteScores },
): number | undefined {
  switch (group.outcome(i)) {
    case "ungraded":
      return undefined;
    case "scored":
      return scoreInRange(group, i, metric) ?? invalidScore(metric, metric.substitutes.invalid);
    case "invalid":
      return isSampleMetric(metric.id) ? group.measured(i, metric.id) : metric.substitutes.invalid;
    case "failed":
      return metric.substitutes.failed;
  }
}

/** The sample's own score; undefined if it has none, or if it lies outside the declared range. */
function scoreInRange(
  group: LedgerGroup,
  i: number,
  { id, substitutes: { range } }: { readonly id: string; readonly substitutes: SubstituteScores },
): number | undefined {
  const score = ownScore(group, i, id);
  return score === undefined || isInRange(score, range) ? score : undefined;
}

/** Tolerance for rounding errors: 0.1 + 0.2 + 0.7 is more than 1 in floating point. */
const tolerance = 1e-9;

/** Whether a score lies in the declared range. */
export function isInRange(score: number, range: MetricSpec["range"]): boolean {
  return range === null || (score >= range[0] - tolerance && score <= range[1] + tolerance);
}

/** The grader's score, or the measurement of that name if there is none. */
export function ownScore(group: LedgerGroup, i: number, metric: string): number | undefined {
  const score = group.score(i, metric);
  if (score !== undefined || !isSampleMetric(metric)) return score;
  return group.measured(i, metric);
}

function invalidScore({ id }: { readonly id: string }, invalid: number): number | undefined {
  return isSampleMetric(id) ? undefined : invalid;
}

/**
 * A failed sample counts as the worst of `range`; an invalid one as 0 or, if lower is better, as the worst of `range`.
 * Without a range the worst is 0 if higher is better, and the worst score in `groups` otherwise: pass the groups of
 * both sides of a comparison.
 */
export function substituteScores(
  metric: MetricSpec,
  groups: readonly LedgerGroup[],
): SubstituteScores {
  const { range } = metric;
  if (metric.higher_is_better) return { invalid: 0, failed: range?.[0] ?? 0, range };
  const worst = range?.[1] ?? highestScore(metric.id, groups);
  return { invalid: worst, failed: worst, range };
}

function highestScore(metric: string, groups: readonly LedgerGroup[]): number {
  let highest = 0;
  for (const group of groups.filter((each) => each.hasAny(metric))) {
    for (let i = 0; i < group.size; i += 1)
      highest = Math.max(highest, ownScore(group, i, metric) ?? 0);
  }
  return highest;
}

/**
 * An invalid result counts as zero or, if lower is better, as the worst of the range; without a range there the score
 * is left open.
 */
export function invalidScores(metrics: readonly MetricSpec[]): Scores {
  const scores: Record<string, number> = {};
  for (const metric of metrics) {
    if (isSampleMetric(metric.id)) continue;
    const score = metric.higher_is_better ? 0 : metric.range?.[1];
    if (score !== undefined) scores[metric.id] = score;
  }
  return scores;
}
