import { incompleteBeta } from "./beta.ts";
import { bisect } from "./bisect.ts";

/**
 * P(T > t) of Student's t distribution with `df` degrees of freedom, with full relative accuracy in the
 * upper tail (the lower one is `studentUpperTail(-t, df)`).
 * ½·Iₓ(df/2, ½), x = df / (df + t²), for t ≥ 0: Abramowitz & Stegun 26.7.1.
 */
export function studentUpperTail(t: number, df: number): number {
  if (t < 0) return 1 - studentUpperTail(-t, df);
  const shape = { a: df / 2, b: 0.5 };
  // Both x and 1 − x are computed as quotients: for a large df one is so close to 1 that the other would lose its
  // digits.
  return incompleteBeta(shape, 1 / (1 + (t / df) * t), 1 / (1 + df / t / t)) / 2;
}

/**
 * The t with P(T ≤ t) = p, to the last digits even if p is close to 0; for the upper tail use `-studentQuantile(tail,
 * df)`. By bisection. Throws a RangeError unless 0 < p < 1 and df > 0.
 */
export function studentQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1 && df > 0))
    throw new RangeError(`a t quantile needs 0 < p < 1 and df > 0, not p ${p}, df ${df}`);
  if (p === 0.5) return 0;
  if (p > 0.5) return -studentQuantile(1 - p, df);
  let upper = 1;
  while (upper < 1e150 && studentUpperTail(upper, df) > p) upper *= 2;
  const lower = upper === 1 ? 0 : upper / 2;
  return -bisect({ lower, upper }, (t) => studentUpperTail(t, df) > p);
}
