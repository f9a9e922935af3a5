import type { Interval } from "../../model/figures/statistics.ts";
import { tailOf } from "../level.ts";
import { studentQuantile } from "../distributions/student.ts";
import { exactSum } from "./sum.ts";

/** Summary of `n` values, in their own unit. */
export interface MeanOf {
  readonly mean: number;
  /** √(Σ(x − mean)² / (n(n − 1))); undefined for one value, which shows no spread. */
  readonly stderr: number | undefined;
  readonly n: number;
}

/**
 * The arithmetic mean Σx / n, with the same bits in whatever order the values come. Throws a RangeError for an empty
 * list, which has no mean, and for a value that is not finite.
 */
export function mean(values: ArrayLike<number>): number {
  return meanWithin(values, extent(values));
}

function meanWithin(values: ArrayLike<number>, { lowest, highest }: Extent): number {
  // n·x/n is not x to the last bit: equal values must have a spread of 0 rather than 10⁻¹⁷.
  if (lowest === highest) return lowest;
  const unit = overflowScale(lowest, highest);
  if (unit === 1) return exactSum(values) / values.length;
  const sum = exactSum(Float64Array.from(values, (value) => value * unit));
  return sum / values.length / unit;
}

/** Mean and standard error of the mean. Throws as `mean` does. */
export function meanOf(values: ArrayLike<number>): MeanOf {
  const n = values.length;
  const range = extent(values);
  const centre = meanWithin(values, range);
  if (n === 1) return { mean: centre, stderr: undefined, n };
  const unit = overflowScale(range.lowest, range.highest);
  const squares = new Float64Array(n);
  for (let i = 0; i < n; i += 1) squares[i] = ((values[i] ?? 0) * unit - centre * unit) ** 2;
  return { mean: centre, stderr: Math.sqrt(exactSum(squares) / n / (n - 1)) / unit, n };
}

/**
 * Student's interval of a mean, mean ± t(df = n − 1)·stderr; undefined for one value.
 * A standard error of 0 gives an interval of width 0: all values were equal, and that is a result. The
 * interval is not cut to the metric's range: near an edge it may reach beyond, which says that few
 * or lopsided values carry it. A limit beyond the largest double is that double.
 *
 * Student, "The Probable Error of a Mean", Biometrika 6 (1908), 1–25.
 */
export function tInterval(
  { mean: centre, stderr, n }: MeanOf,
  level: number,
): Interval | undefined {
  const tail = tailOf(level);
  if (stderr === undefined) return undefined;
  if (stderr === 0) return { lower: centre, upper: centre };
  const reach = -studentQuantile(tail, n - 1) * stderr;
  return {
    lower: Math.max(-Number.MAX_VALUE, centre - reach),
    upper: Math.min(Number.MAX_VALUE, centre + reach),
  };
}

interface Extent {
  readonly lowest: number;
  readonly highest: number;
}

/** The lowest and the highest value. */
export function extent(values: ArrayLike<number>): Extent {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  let broken = values.length === 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? Number.NaN;
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
    if (Number.isNaN(value)) broken = true;
  }
  if (broken || !Number.isFinite(lowest) || !Number.isFinite(highest))
    throw new RangeError("only a list of finite numbers, with at least one, has a mean");
  return { lowest, highest };
}

/** A power of two that keeps squares and sums of huge values from overflowing; 1 for ordinary values. */
export function overflowScale(lowest: number, highest: number): number {
  return Math.max(-lowest, highest) > 1e140 ? 2 ** -600 : 1;
}
