import type { Clusters } from "./clusters.ts";
import type { Shape } from "./aggregation.ts";
import { meanOf } from "./mean.ts";
import { between, placeOf } from "./quantile.ts";

/** What can be resampled. */
export type Resampled = Shape | { readonly kind: "mean" };

/** Scores of cases, and the units (cases or clusters) that they come in. */
export interface Units {
  readonly values: ArrayLike<number>;
  readonly clusters: Clusters;
}

/**
 * The value of an aggregation over a resample: the function gets how often each unit is in it. Sorted once, so that a
 * resample costs one walk. NaN where the resample has no value; it does not leave this room.
 */
export function resampler(units: Units, kind: Resampled): (counts: Int32Array) => number {
  switch (kind.kind) {
    case "quantile":
      return quantileOf(units, kind.p);
    case "mean":
    case "stddev":
      return momentOf(units, kind.kind);
  }
}

function quantileOf({ values, clusters }: Units, p: number): (counts: Int32Array) => number {
  const order = sortedOrder(values);
  const sorted = Float64Array.from(order, (i) => values[i] ?? Number.NaN);
  const unitAt = Int32Array.from(order, (i) => clusters.of[i] ?? 0);
  const sizes = sizesOf(clusters);
  return (counts) => {
    let total = 0;
    for (let g = 0; g < sizes.length; g += 1) total += (counts[g] ?? 0) * (sizes[g] ?? 0);
    const { below, share } = placeOf(p, total);
    let [k, seen] = [0, counts[unitAt[0] ?? 0] ?? 0];
    while (seen <= below) seen += counts[unitAt[++k] ?? 0] ?? 0;
    const lower = sorted[k] ?? Number.NaN;
    if (share === 0) return lower;
    while (seen <= below + 1) seen += counts[unitAt[++k] ?? 0] ?? 0;
    return between(lower, sorted[k] ?? Number.NaN, share);
  };
}

/** The positions of the values, the smallest value first. */
export function sortedOrder(values: ArrayLike<number>): Int32Array {
  const order = Int32Array.from({ length: values.length }, (_, i) => i);
  return order.toSorted((i, j) => (values[i] ?? 0) - (values[j] ?? 0));
}

function sizesOf({ size, of }: Clusters): Int32Array {
  const sizes = new Int32Array(size);
  for (const unit of of) sizes[unit] = (sizes[unit] ?? 0) + 1;
  return sizes;
}

/** Sums and squares around a centre near the mean, so that nothing cancels, by unit. */
export interface Moments {
  readonly sizes: Int32Array;
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

export function momentsOf({ values, clusters }: Units, centre: number): Moments {
  const sums = new Float64Array(clusters.size);
  const squares = new Float64Array(clusters.size);
  for (let i = 0; i < values.length; i += 1) {
    const unit = clusters.of[i] ?? 0;
    const value = (values[i] ?? Number.NaN) - centre;
    sums[unit] = (sums[unit] ?? 0) + value;
    squares[unit] = (squares[unit] ?? 0) + value * value;
  }
  return { sizes: sizesOf(clusters), sums, squares };
}

function momentOf(units: Units, kind: "mean" | "stddev"): (counts: Int32Array) => number {
  const centre = meanOf(units.values).mean;
  const { sizes, sums, squares } = momentsOf(units, centre);
  return (counts) => {
    let [n, sum, square] = [0, 0, 0];
    for (let g = 0; g < sizes.length; g += 1) {
      const count = counts[g] ?? 0;
      n += count * (sizes[g] ?? 0);
      sum += count * (sums[g] ?? 0);
      square += count * (squares[g] ?? 0);
    }
    return kind === "mean" ? centre + sum / n : deviationOf({ n, sum, square });
  };
}

/** The sample standard deviation of n values with this sum and these squares. */
export function deviationOf(of: { n: number; sum: number; square: number }): number {
  const { n, sum, square } = of;
  return Math.sqrt(Math.max(0, square - (sum * sum) / n) / (n - 1));
}
