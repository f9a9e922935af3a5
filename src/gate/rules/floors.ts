import type { TooFewPairs } from "../../model/outcomes/remark.ts";
import type { Gate } from "../../model/definition/gate.ts";
import type { MeasuredRule } from "./measure.ts";

const leastAllowed = 2;
const shareAllowed = 0.1;

/**
 * Blocking comparisons with too few graded pairs to represent all cases. Of the cases that both sides have with the
 * same row, all but the larger of 2 and 10 % must have a grade on both sides, and at least `min_cases`.
 * `gate.min_paired` sets another share. A larger declared `gate.max_error_rate` widens it, because a side with that
 * many ungraded cases counts as complete. Cases whose row has changed don't count. There is one problem for each task
 * and candidate: that of the comparison that lacks most.
 */
export function findTooFewPairs(
  measured: readonly MeasuredRule[],
  minCases: (task: string) => number,
  gate: Gate,
): readonly TooFewPairs[] {
  const worst = new Map<string, TooFewPairs>();
  for (const { rule, target, slice, finding } of measured) {
    if (rule.level !== "block" || (finding.kind !== "comparison" && finding.kind !== "given"))
      continue;
    const { n, lost } = finding.kind === "given" ? finding : finding.comparison;
    const expected = n + lost;
    const least = slice === null ? minCases(target.task) : 1;
    const allowed = allowedLost(expected, gate);
    if (lost <= allowed && n >= least) continue;
    const key = JSON.stringify([target.task, target.candidate, rule.against]);
    const { against } = rule;
    const found = {
      ...target,
      ...(against !== undefined && { against }),
      paired: n,
      expected,
      allowed,
      minCases: least,
    };
    const known = worst.get(key);
    if (known === undefined || known.paired > n)
      worst.set(key, { kind: "too_few_pairs", ...found });
  }
  return [...worst.values()];
}

/**
 * Number of pairs that may be missing, never all of them. The floor needs a tolerance: 0.07 × 100 is 7.000000000000001,
 * and 0.29 × 100 is 28.999999999999996.
 */
function allowedLost(expected: number, gate: Gate): number {
  const { min_paired: declared, max_error_rate: rate = 0 } = gate === "none" ? {} : gate;
  const share = declared === undefined ? shareAllowed : 1 - declared;
  const least = declared === undefined ? leastAllowed : 0;
  const allowed = Math.max(least, Math.floor(Math.max(share, rate) * expected + 1e-9));
  return Math.min(allowed, expected - 1);
}
