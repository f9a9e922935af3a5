import type { Interval } from "../../model/figures/statistics.ts";
import type { Clusters } from "../clusters.ts";

/** Calculations of a shape that resampling, swapping and testing need. */
export interface ShapeArithmetic {
  /** Value of at least one score; undefined for none. */
  readonly value: (values: ArrayLike<number>) => number | undefined;
  /** An interval from the scores themselves, for independent cases; absent: cases are resampled. */
  readonly interval?: (values: ArrayLike<number>, level: number) => Interval | undefined;
  /** Contribution of each score to the value, to first order, up to a constant. */
  readonly influence: (values: ArrayLike<number>) => Float64Array;
  /** The value over a resample: the function gets the number of times that each unit is in it. */
  readonly resample: (units: Units) => (counts: Int32Array) => number;
  /** The difference head − base after swapping the sides of some units. */
  readonly swap: (sides: Swappable) => DeltaOf;
}

/** Scores of cases, grouped in units (cases or clusters). */
export interface Units {
  readonly values: ArrayLike<number>;
  readonly clusters: Clusters;
}

/** The scores of the same cases on both sides, and the units in which they are swapped. */
export interface Swappable {
  readonly before: ArrayLike<number>;
  readonly after: ArrayLike<number>;
  readonly clusters: Clusters;
}

/** Difference after swapping the sides of the units marked with 1. */
export type DeltaOf = (swapped: Uint8Array) => number;

/** The positions of the values, in ascending order of the values. */
export function sortedOrder(values: ArrayLike<number>): Int32Array {
  const order = Int32Array.from({ length: values.length }, (_, i) => i);
  return order.toSorted((i, j) => (values[i] ?? 0) - (values[j] ?? 0));
}

/** Number of scores in each unit. */
export function sizesOf({ size, of }: Clusters): Int32Array {
  const sizes = new Int32Array(size);
  for (const unit of of) sizes[unit] = (sizes[unit] ?? 0) + 1;
  return sizes;
}
