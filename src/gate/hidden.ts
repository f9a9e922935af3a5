import type { Statistics } from "../model/figures/statistics.ts";
import type { JudgedRule } from "../model/outcomes/finding.ts";
import { detectableOf } from "./rules/families.ts";
import { measureRule, type MeasuredRule, type MetricCell } from "./rules/measure.ts";
import { isSeen } from "./rules/decide.ts";
import { ruleResult } from "./rules/rule-result.ts";
import { sliceCells } from "./pairing/slices.ts";

/** A measured rule, and where it was measured. */
export interface Sliced {
  readonly measured: MeasuredRule;
  readonly place: MetricCell;
  /** For a rule on a slice: positions of its cases; undefined means all cases. */
  readonly members?: readonly number[];
}

/**
 * Finds slices that dropped although the total did not: for each rule that must prove a drop and is met over all cases,
 * the slices with a drop of at least its limit that is proven after Benjamini and Hochberg's adjustment over the task's
 * slices. They inform and never block, because so many comparisons would find something in every run. `results` belong
 * to `sliced`, in the same order.
 */
export function findHidden(
  sliced: readonly Sliced[],
  results: readonly JudgedRule[],
  statistics: Statistics,
): readonly JudgedRule[] {
  return sliced.flatMap((one, i) => {
    const { rule, slice, finding } = one.measured;
    const proves = rule.prove === "drop" || rule.prove === "no_drop";
    if (!proves || slice !== null || finding.kind !== "comparison") return [];
    return results[i]?.outcome === "missed" ? [] : fallenSlices(one, statistics);
  });
}

function fallenSlices({ measured, place }: Sliced, statistics: Statistics): readonly JudgedRule[] {
  const rule = { ...measured.rule, prove: "drop" as const, level: "info" as const };
  const compared = sliceCells(place.cell, "*")
    .map((slice) => measureRule(place, { rule, slice }, statistics))
    .flatMap((one) => (one.finding.kind === "comparison" ? [{ one, ...one.finding }] : []));
  const adjusted = statistics.benjaminiHochberg(
    compared.map(({ comparison }) => comparison.p ?? 1),
  );
  return compared.flatMap(({ one, comparison }, i) => {
    const pAdjusted = adjusted[i] ?? 1;
    if (pAdjusted >= rule.alpha || !isSeen(rule, comparison.loss)) return [];
    const decided = { outcome: "missed", code: "drop_hidden" } as const;
    const family = compared.length;
    const detectable = detectableOf(one, { family, isProven: true }, statistics);
    return [ruleResult(one, { ...decided, pAdjusted, family, ...detectable })];
  });
}
