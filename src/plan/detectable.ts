import type { Noise } from "../model/figures/statistics.ts";
import { normalCdf, normalQuantile } from "../stats/distributions/normal.ts";
import { casesUnseen } from "../stats/sizing/power.ts";
import { statistics } from "../stats/statistics.ts";

/** The default power: 4 of 5 runs. */
export const usualPower = 0.8;

/** For a rule without a test: the true drop whose observed value reaches the limit in 4 of 5 runs. */
export function smallestSeen({ n, variance, lost }: Noise, limit: number): number {
  const isEnough = (drop: number): boolean => {
    const own = Math.max(0, drop * (lost - drop));
    return drop - normalQuantile(usualPower) * Math.sqrt((variance + own) / n) >= limit;
  };
  let [no, yes] = [0, Math.max(limit, 1e-9)];
  while (!isEnough(yes)) [no, yes] = [yes, 2 * yes];
  while (yes - no > yes * 1e-5) {
    const middle = (no + yes) / 2;
    if (isEnough(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

/** Properties of two unchanged runs of a suite, and the level of the rule that compares them. */
interface Unchanged {
  readonly n: number;
  readonly variance: number;
  readonly alpha: number;
  /** Largest possible loss of a case: 1 by default. */
  readonly width?: number;
}

/**
 * Chance that a `prove: no_drop` rule passes an unchanged run. Its proof mirrors that of a drop, around a loss of the
 * limit, so that the same formula holds. undefined if it depends on how many cases change: with fewer cases than the
 * exact bound needs.
 */
export function passingChance(
  limit: number,
  { n, variance, alpha, width = 1 }: Unchanged,
): number | undefined {
  if (n < casesUnseen(limit / width, alpha)) return undefined;
  if (variance === 0) return 1;
  return normalCdf(limit * Math.sqrt(n / variance) - normalQuantile(1 - alpha));
}

/** Number of cases with which such a rule passes an unchanged run in 4 of 5 runs. */
export function casesToPass(
  limit: number,
  { variance: perCaseVariance, alpha, width = 1 }: Omit<Unchanged, "n">,
): number {
  return statistics.casesToShow({ perCaseVariance, limit, alpha, width, power: usualPower });
}

/** The fewest broken cases, none fixed, that McNemar's mid-p calls a proof: (1/2)^(b + 1) < alpha. */
export function fewestBroken(alpha: number): number {
  let broken = 1;
  while (statistics.mcnemarMidP(broken, 0) >= alpha) broken += 1;
  return broken;
}
