import type { Interval } from "../../model/figures/statistics.ts";

/**
 * The point in `range` where `isBelow` turns from true to false, to the last bit of a double (for a point next to 0, to
 * 2⁻²⁰⁰ of the range).
 */
export function bisect(range: Interval, isBelow: (x: number) => boolean): number {
  let { lower, upper } = range;
  for (let step = 0; step < 200; step += 1) {
    const middle = lower + (upper - lower) / 2;
    if (middle <= lower || middle >= upper) break;
    if (isBelow(middle)) lower = middle;
    else upper = middle;
  }
  return lower + (upper - lower) / 2;
}
