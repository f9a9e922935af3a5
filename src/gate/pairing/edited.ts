import { substituteScores } from "../../model/outcomes/counted-score.ts";
import type { EditedResult } from "../../model/outcomes/remark.ts";
import type { Statistics } from "../../model/figures/statistics.ts";
import { caseScore, type ScorePolicy } from "./case-scores.ts";
import { reducing } from "./pairs.ts";
import type { Cell } from "./sides.ts";

/**
 * How the cases whose row was edited since the baseline score in the task's first metric, on both sides; undefined if
 * a side has no scores of them.
 */
export function editedResult(
  { cases, counterpart, metrics }: Cell,
  statistics: Statistics,
): EditedResult | undefined {
  const [metric] = metrics;
  if (counterpart.kind === "absent" || metric === undefined) return undefined;
  const reading: ScorePolicy = {
    id: metric.id,
    substitutes: substituteScores(metric, [cases.group, counterpart.cases.group]),
    ungradedAs: "nothing",
    reduce: reducing(metric, statistics),
    mean: statistics.mean,
  };
  const now: number[] = [];
  const before: number[] = [];
  for (const [here, there] of counterpart.matching.edited) {
    const [score, former] = [
      caseScore(cases, here, reading),
      caseScore(counterpart.cases, there, reading),
    ];
    if (score !== undefined) now.push(score);
    if (former !== undefined) before.push(former);
  }
  if (now.length === 0 || before.length === 0) return undefined;
  const { range, scale, higher_is_better: upwards } = metric;
  const bad = upwards ? 0 : 1;
  const isBits = scale === "binary" && [...now, ...before].every((one) => one === 0 || one === 1);
  const failing = (scores: readonly number[]): number => scores.filter((one) => one === bad).length;
  return {
    metric: metric.id,
    range,
    now: statistics.mean(now),
    before: statistics.mean(before),
    failing: isBits ? { now: failing(now), before: failing(before) } : undefined,
  };
}
