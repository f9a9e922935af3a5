import type { Interval } from "../../model/figures/statistics.ts";
import { tailOf } from "../level.ts";
import { normalQuantile } from "../distributions/normal.ts";
import { betaQuantile } from "../distributions/beta.ts";

/**
 * Wilson's score interval of a proportion, inside [0, 1]:
 * ((p + z²/2n) ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n), p = successes / n.
 * Exactly 0 if there is no success, exactly 1 if there is no failure; [0, 1] for n = 0.
 *
 * E. B. Wilson, JASA 22 (1927), 209–212; R. G. Newcombe, Statistics in Medicine 17 (1998), 857–872,
 * method 3.
 */
export function wilsonInterval(successes: number, n: number, level: number): Interval {
  if (n === 0) return { lower: 0, upper: 1 };
  const z = -normalQuantile(tailOf(level));
  const p = successes / n;
  const middle = p + (z * z) / (2 * n);
  const reach = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  return {
    lower: successes === 0 ? 0 : Math.max(0, (middle - reach) / scale),
    upper: successes === n ? 1 : Math.min(1, (middle + reach) / scale),
  };
}

/**
 * Clopper and Pearson's interval of a proportion, inside [0, 1]: beta quantiles of (x, n − x + 1) and (x + 1, n − x).
 * It covers the truth at least as often as `level` says, whatever the truth is; Wilson's is narrower and covers it as
 * often on average. Exactly 0 if there is no success, exactly 1 if there is no failure; [0, 1] for n = 0.
 *
 * C. J. Clopper, E. S. Pearson, Biometrika 26 (1934), 404–413.
 */
export function clopperPearson(successes: number, n: number, level: number): Interval {
  const tail = tailOf(level);
  const failures = n - successes;
  return {
    lower: successes === 0 ? 0 : betaQuantile(tail, { a: successes, b: failures + 1 }),
    // Computed from the failures, so that the upper limit keeps its digits close to 1.
    upper: failures === 0 ? 1 : 1 - betaQuantile(tail, { a: failures, b: successes + 1 }),
  };
}
