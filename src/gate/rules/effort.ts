import type { Effort } from "../../model/figures/effort.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import type { Statistics } from "../../model/figures/statistics.ts";
import { caseOutcome } from "../pairing/cases.ts";
import { unmatched } from "../pairing/matching.ts";
import type { MetricCell } from "./measure.ts";
import type { Pairs } from "../pairing/pairs.ts";

/**
 * Average effort per case on both sides, for metrics that both measured. Only cases that both sides answered count,
 * because a failed case only tells the time until its failure.
 */
export function compareEffort(
  places: readonly MetricCell[],
  statistics: Statistics,
): readonly Effort[] {
  return places.flatMap((place): readonly Effort[] => {
    const { cell, metric } = place;
    const { id } = metric;
    if (!isSampleMetric(id) || !isMeasured(place)) return [];
    const pairs = place.pairs();
    if ("kind" in pairs) return [];
    const answered = answeredPairs(place, pairs);
    if (answered.length === 0) return [];
    const mean = (scores: readonly number[]): number =>
      statistics.mean(answered.map((i) => scores[i] ?? Number.NaN));
    const at = { task: cell.task, candidate: cell.candidate, metric: id };
    const [baseline, value] = [mean(pairs.before), mean(pairs.after)];
    return [{ ...at, baseline, value, n: answered.length }];
  });
}

/** Indexes of the pairs in which neither side failed. */
function answeredPairs({ cell }: MetricCell, { positions }: Pairs): readonly number[] {
  const { cases, counterpart } = cell;
  if (counterpart.kind === "absent") return [];
  const { cases: other, matching } = counterpart;
  const answered: number[] = [];
  for (const [i, position] of positions.entries()) {
    const partner = matching.partner[position] ?? unmatched;
    const isAnswered =
      partner !== unmatched &&
      caseOutcome(cases, position) !== "failed" &&
      caseOutcome(other, partner) !== "failed";
    if (isAnswered) answered.push(i);
  }
  return answered;
}

function isMeasured({ cell: { cases, counterpart }, metric: { id } }: MetricCell): boolean {
  return cases.group.hasAny(id) && counterpart.kind === "run" && counterpart.cases.group.hasAny(id);
}
