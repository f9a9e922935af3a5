import type { Interval } from "../model/statistics.ts";
import { betaQuantile } from "./beta.ts";
import { tailOf } from "./level.ts";

/**
 * Clopper and Pearson's interval of a proportion, inside [0, 1]: beta quantiles of (x, n − x + 1) and (x + 1, n − x).
 * It covers the truth at least as often as `level` says, whatever the truth is; Wilson's is narrower and covers it as
 * often on average. Exactly 0 where there is no success, exactly 1 where there is no failure; [0, 1] for n = 0.
 *
 * C. J. Clopper, E. S. Pearson, Biometrika 26 (1934), 404–413.
 */
export function clopperPearson(successes: number, n: number, level: number): Interval {
  const tail = tailOf(level);
  const failures = n - successes;
  return {
    lower: successes === 0 ? 0 : betaQuantile(tail, { a: successes, b: failures + 1 }),
    // By the failures, so that the upper limit keeps its digits where it is close to 1.
    upper: failures === 0 ? 1 : 1 - betaQuantile(tail, { a: failures, b: successes + 1 }),
  };
}
