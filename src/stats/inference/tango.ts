import type { Interval } from "../../model/figures/statistics.ts";
import { bisect } from "../distributions/bisect.ts";
import { tailOf } from "../level.ts";
import { normalQuantile } from "../distributions/normal.ts";

/** Pairs of 0/1 scores: `broke` went from 1 to 0, `fixed` from 0 to 1, of `n` in total. */
interface BinaryPairs {
  readonly broke: number;
  readonly fixed: number;
  readonly n: number;
}

/**
 * Tango's score interval of (fixed − broke) / n, inside [−1, 1]: the differences D whose score is between
 * −z and z. It keeps its width where no pair is discordant. n = 0 excludes nothing: [−1, 1].
 *
 * T. Tango, "Equivalence test and confidence interval for the difference in proportions for the
 * paired-sample design", Statistics in Medicine 17 (1998), 891–908.
 */
export function tangoInterval(pairs: BinaryPairs, level: number): Interval {
  const z = -normalQuantile(tailOf(level));
  if (pairs.n === 0) return { lower: -1, upper: 1 };
  const seen = (pairs.fixed - pairs.broke) / pairs.n;
  return {
    lower: bisect({ lower: -1, upper: seen }, (difference) => tangoScore(pairs, difference) > z),
    upper: bisect({ lower: seen, upper: 1 }, (difference) => tangoScore(pairs, difference) > -z),
  };
}

/**
 * The score of the hypothesis that the true difference is D:
 * (fixed − broke − nD) / √(n(2q + D(1 − D))), q the likeliest P(1 → 0) under D:
 * q = (√(B² − 4AC) − B) / 2A, A = 2n, B = −fixed − broke + (2n − fixed + broke)·D, C = −broke·D(1 − D).
 * For D = −margin its upper tail is the test of non-inferiority. Infinite where D is impossible, 0 where
 * it is exactly what was seen.
 */
export function tangoScore({ broke, fixed, n }: BinaryPairs, difference: number): number {
  const above = fixed - broke - n * difference;
  if (above === 0) return 0;
  const a = 2 * n;
  const b = -fixed - broke + (2 * n - fixed + broke) * difference;
  const c = -broke * difference * (1 - difference);
  const root = Math.sqrt(Math.max(0, b * b - 4 * a * c));
  // The larger root, in a form in which nothing cancels.
  const q = b > 0 ? (-2 * c) / (b + root) : (root - b) / (2 * a);
  return above / Math.sqrt(n * Math.max(0, 2 * q + difference * (1 - difference)));
}
