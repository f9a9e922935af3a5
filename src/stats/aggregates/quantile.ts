import type { Interval } from "../../model/figures/statistics.ts";
import { binomialAtLeast, binomialAtMost } from "../distributions/binomial.ts";
import { tailOf } from "../level.ts";

/**
 * The quantile of sorted values at share `p`: linear between the two nearest, with the lowest at 0 and the highest
 * at 1 (type 7 of R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50
 * (1996), 361–365; the default of R, NumPy and Excel). In the values' unit. Throws a RangeError for no values and
 * for a share outside [0, 1].
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const { below, share } = quantilePosition(p, sorted.length);
  return between(sorted[below] ?? 0, sorted[below + 1] ?? sorted[below] ?? 0, share);
}

/** Position of a quantile among n values: `share` of the way from the value at `below` (from 0) to the next. */
interface QuantilePosition {
  readonly below: number;
  readonly share: number;
}

/** See `quantile`. */
export function quantilePosition(p: number, n: number): QuantilePosition {
  if (n < 1 || !(p >= 0 && p <= 1))
    throw new RangeError(`a quantile needs values and a share from 0 to 1, not ${n} and ${p}`);
  const position = p * (n - 1);
  // Without rounding, 0.9·10 could be slightly below 9, and the quantile would include a bit of the 9th value.
  const nearest = Math.round(position);
  if (Math.abs(position - nearest) < 1e-9) return { below: nearest, share: 0 };
  const below = Math.floor(position);
  return { below, share: position - below };
}

/** Interpolates from `lower` to `upper` by `share`; without overflow, and exact if both are equal. */
export function between(lower: number, upper: number, share: number): number {
  if (share === 0 || lower === upper) return lower;
  return Number.isFinite(upper - lower)
    ? lower + share * (upper - lower)
    : lower * (1 - share) + upper * share;
}

/** The values sorted in ascending order. Throws a RangeError for a value that is not finite. */
export function sortedOf(values: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(values).toSorted();
  // Sorting puts infinities at the ends, and NaN last.
  if (!Number.isFinite(sorted[0] ?? 0) || !Number.isFinite(sorted.at(-1) ?? 0))
    throw new RangeError("only finite numbers have a quantile");
  return sorted;
}

/**
 * The interval of a quantile between two of the sorted values, for any continuous distribution: the k-th smallest (from
 * 1) is above the true p-quantile with P(X ≤ k − 1), X ~ Bin(n, p). The ends are the largest k that leaves at most (1 −
 * level) / 2 below, and the smallest that leaves at most as much above; so the interval covers the truth at least as
 * often as `level` says. undefined if a limit would lie beyond the values: 20 values don't show how high a 95th
 * percentile may be. Ties only widen the interval.
 *
 * H. A. David, H. N. Nagaraja, "Order Statistics", 2003, §7.1. Needs 0 < p < 1.
 */
export function orderStatisticInterval(
  sorted: ArrayLike<number>,
  p: number,
  level: number,
): Interval | undefined {
  const n = sorted.length;
  const tail = tailOf(level);
  const binomial = { trials: n, probability: p };
  // Ranks from 1: the truth is below the k-th value if at most k − 1 of all are below the truth.
  const lower = lastTrue(n, (k) => binomialAtMost(k - 1, binomial) <= tail);
  const upper = n + 1 - lastTrue(n, (k) => binomialAtLeast(n + 1 - k, binomial) <= tail);
  const [low, high] = [sorted[lower - 1], sorted[upper - 1]];
  return low === undefined || high === undefined ? undefined : { lower: low, upper: high };
}

/** The last k from 1 to n for which `holds`, which turns from true to false once; 0 if it never holds. */
function lastTrue(n: number, holds: (k: number) => boolean): number {
  let [yes, no] = [0, n + 1];
  while (no - yes > 1) {
    const middle = (yes + no) >> 1;
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}
