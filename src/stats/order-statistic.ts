import type { Interval } from "../model/statistics.ts";
import { binomialAtLeast, binomialAtMost } from "./binomial.ts";
import { tailOf } from "./level.ts";

/**
 * The interval of a quantile between two of the sorted values, for any continuous distribution: the k-th smallest (from
 * 1) is above the true p-quantile with P(X ≤ k − 1), X ~ Bin(n, p). The largest k that leaves at most (1 − level) / 2
 * below, and the smallest that leaves as much above; so it covers the truth at least as often as `level` says. undefined
 * where a limit would lie beyond the values: 20 of them say nothing of how high a 95th percentile may be. Ties only
 * widen it.
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

/** The last k from 1 to n for which `holds`, which turns from true to false once; 0 where it never holds. */
function lastTrue(n: number, holds: (k: number) => boolean): number {
  let [yes, no] = [0, n + 1];
  while (no - yes > 1) {
    const middle = (yes + no) >> 1;
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}
