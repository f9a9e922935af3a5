import { normalQuantile } from "../distributions/normal.ts";
import { orderStatisticInterval } from "./quantile.ts";
import { between, quantilePosition, quantile, sortedOf } from "./quantile.ts";
import {
  type DeltaOf,
  type ShapeArithmetic,
  sizesOf,
  sortedOrder,
  type Swappable,
  type Units,
} from "./units.ts";

/** The quantile of type 7 at share p, as a shape. */
export function quantileShape(p: number): ShapeArithmetic {
  return {
    value: (values) => quantile(sortedOf(values), p),
    interval: (values, level) => orderStatisticInterval(sortedOf(values), p, level),
    influence: (values) => influence(values, p),
    resample: (units) => resample(units, p),
    swap: (sides) => swap(sides, p),
  };
}

/**
 * The influence values (p − [x ≤ q]) / f, with f the density at the quantile q, estimated from the distance of the
 * order statistics z·√(np(1 − p)) ranks to each side of np. If many scores equal q, so that this distance is 0, all
 * values are 0: the quantile does not move.
 */
function influence(values: ArrayLike<number>, p: number): Float64Array {
  const sorted = sortedOf(values);
  const n = sorted.length;
  const reach = normalQuantile(0.975) * Math.sqrt(n * p * (1 - p));
  const low = Math.max(0, Math.round(n * p - reach) - 1);
  const high = Math.min(n - 1, Math.round(n * p + reach) - 1);
  // The reciprocal of the density.
  const sparsity = (((sorted[high] ?? 0) - (sorted[low] ?? 0)) * n) / Math.max(1, high - low);
  const middle = quantile(sorted, p);
  return Float64Array.from(values, (value) => (p - (value <= middle ? 1 : 0)) * sparsity);
}

function resample({ values, clusters }: Units, p: number): (counts: Int32Array) => number {
  const order = sortedOrder(values);
  const sorted = Float64Array.from(order, (i) => values[i] ?? Number.NaN);
  const unitAt = Int32Array.from(order, (i) => clusters.of[i] ?? 0);
  const sizes = sizesOf(clusters);
  return (counts) => {
    let total = 0;
    for (let g = 0; g < sizes.length; g += 1) total += (counts[g] ?? 0) * (sizes[g] ?? 0);
    const { below, share } = quantilePosition(p, total);
    let [k, seen] = [0, counts[unitAt[0] ?? 0] ?? 0];
    while (seen <= below) seen += counts[unitAt[++k] ?? 0] ?? 0;
    const lower = sorted[k] ?? Number.NaN;
    if (share === 0) return lower;
    while (seen <= below + 1) seen += counts[unitAt[++k] ?? 0] ?? 0;
    return between(lower, sorted[k] ?? Number.NaN, share);
  };
}

/** The scores of both sides are sorted together, once; a pass over them then finds the side of each. */
function swap({ before, after, clusters }: Swappable, p: number): DeltaOf {
  const n = before.length;
  const all = Float64Array.from(
    { length: 2 * n },
    (_, i) => (i < n ? before[i] : after[i - n]) ?? 0,
  );
  const order = sortedOrder(all);
  const sorted = Float64Array.from(order, (i) => all[i] ?? 0);
  const unitAt = Int32Array.from(order, (i) => clusters.of[i % n] ?? 0);
  const headAt = Uint8Array.from(order, (i) => (i < n ? 0 : 1));
  const { below, share } = quantilePosition(p, n);
  // Number of sorted scores to pass until this many of head's, and this many of base's, are included.
  const passed = (swapped: Uint8Array, heads: number, bases: number): number => {
    let [k, seen] = [0, 0];
    while (seen < heads || k - seen < bases) {
      seen += (headAt[k] ?? 0) ^ (swapped[unitAt[k] ?? 0] ?? 0);
      k += 1;
    }
    return k;
  };
  const at = (swapped: Uint8Array, rank: number): number =>
    (sorted[passed(swapped, rank, 0) - 1] ?? 0) - (sorted[passed(swapped, 0, rank) - 1] ?? 0);
  return (swapped) => {
    const delta = at(swapped, below + 1);
    return share === 0 ? delta : between(delta, at(swapped, below + 2), share);
  };
}
