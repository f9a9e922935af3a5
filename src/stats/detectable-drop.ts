import { normalQuantile } from "./normal.ts";

const power = 0.8;

/**
 * The smallest drop that a one-sided test at `alpha` proves 4 times in 5, in the metric's unit:
 * (z₁₋α + z₀.₈)·√(variance per case / n). The variance is that of one case's difference head − base: for
 * 0/1 metrics the share of discordant pairs, else the square of the differences' standard deviation.
 * An approximation for many cases: with no variance seen it is 0, which no test can hold to.
 *
 * R. J. Connor, "Sample Size for Testing Differences in Proportions for the Paired-Sample Design",
 * Biometrics 43 (1987), 207–211; E. Miller, arXiv:2411.00640, §5. Throws a RangeError without cases.
 */
export function detectableDrop(spread: {
  readonly perCaseVariance: number;
  readonly n: number;
  readonly alpha: number;
}): number {
  const { perCaseVariance, n, alpha } = spread;
  if (n < 1) throw new RangeError("no cases detect no drop, however large");
  const quantiles = normalQuantile(1 - alpha) + normalQuantile(power);
  return quantiles * Math.sqrt(perCaseVariance / n);
}
