import type { Finding } from "../../model/outcomes/finding.ts";
import type { Noise, Statistics } from "../../model/figures/statistics.ts";
import type { MeasuredRule } from "./measure.ts";
import { type PlannedRule, sharesAlpha } from "./plan.ts";

/** The p-value of a rule's comparison, adjusted among the rules that share alpha. */
interface Adjusted {
  readonly pAdjusted: number | null;
  /** Number of comparisons that the p-value was adjusted for; 1 if it was not adjusted. */
  readonly family: number;
}

/**
 * Adjusts the p-values by Holm, in two families: blocking comparisons that must prove a drop, and blocking comparisons
 * that must show that there is none (which a proven drop fails). Only comparisons that could be made count, so that a
 * new slot, a new task or a rule without a baseline does not make the others harder to fail. `warn` and `info` rules
 * are not included. The result is in the order of `measured`.
 */
export function adjustFamilies(
  measured: readonly MeasuredRule[],
  statistics: Statistics,
): readonly Adjusted[] {
  const adjusted = measured.map((one): Adjusted => ({ pAdjusted: pOf(one), family: 1 }));
  for (const prove of ["drop", "no_drop"] as const) {
    const members = [...measured.entries()].filter(
      ([, { rule, finding }]) => sharesAlpha(rule, prove) && isMade(finding),
    );
    const known = members.filter(([, one]) => pOf(one) !== null);
    const ps = statistics.holm(
      known.map(([, one]) => pOf(one) ?? 1),
      members.length,
    );
    for (const [i] of members) adjusted[i] = { pAdjusted: null, family: members.length };
    for (const [k, [i]] of known.entries())
      adjusted[i] = { pAdjusted: ps[k] ?? 1, family: members.length };
  }
  return adjusted;
}

/** True for a comparison that was made. A number for all cases together that was not swapped counts, too. */
function isMade({ kind }: Finding): boolean {
  return kind === "comparison" || kind === "given";
}

/** The unadjusted p-value of a comparison; null if there is none. */
export function pOf({ rule, finding }: Pick<MeasuredRule, "rule" | "finding">): number | null {
  if (finding.kind === "given") return finding.prove === "nothing" ? null : pOfSwap(rule, finding);
  return finding.kind === "comparison" ? finding.comparison.p : null;
}

function pOfSwap(
  { kind }: PlannedRule,
  { swap }: Extract<Finding, { readonly kind: "given" }>,
): number | null {
  if (swap === undefined) return null;
  return kind === "max_rise" ? swap.p_greater : swap.p_less;
}

/** The noise that a drop has to exceed; null if nothing has to be proven, or if the noise is unknown. */
export function findingNoise(finding: Finding): Noise | null {
  if (finding.kind === "given") return finding.prove === "nothing" ? null : finding.noise;
  return finding.kind === "comparison" ? finding.comparison.noise : null;
}

/**
 * The noise without the cases that a proven drop of 0/1 scores broke: then twice the number of fixed cases counts as
 * noise.
 */
function withoutDrop(finding: Finding): Noise | null {
  const noise = findingNoise(finding);
  if (noise === null || !noise.bits || finding.kind !== "comparison") return noise;
  const { broke, fixed, n } = finding.comparison;
  return { ...noise, variance: Math.max(0, noise.variance - Math.abs(broke - fixed) / n) };
}

/** The effect that a rule could have detected. */
interface Detectable {
  /** The noise that a drop had to exceed. */
  readonly noise: Noise | null;
  /** The smallest drop that the rule would prove in 4 of 5 runs; null if there is none or it is unknown. */
  readonly mde: number | null;
}

/** The effect that a rule could have detected. `isProven`: the drop that was seen is proven. */
export function detectableOf(
  { rule, finding }: MeasuredRule,
  { family, isProven }: { readonly family: number; readonly isProven: boolean },
  statistics: Statistics,
): Detectable {
  const noise = isProven ? withoutDrop(finding) : findingNoise(finding);
  const mde = (noise && statistics.smallestDrop(noise, rule.alpha / family)) ?? null;
  return { noise, mde };
}
