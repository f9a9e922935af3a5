import type { Shape } from "../../model/definition/aggregations.ts";
import { mean } from "./mean.ts";
import { momentShape } from "./moment-shape.ts";
import { quantileShape } from "./quantile-shape.ts";
import type { ShapeArithmetic, Units } from "./units.ts";

/** Statistics that can be resampled. */
export type Resampled = Shape | { readonly kind: "mean" };

/** The calculations of each shape. */
export function shapeOf(kind: Resampled): ShapeArithmetic {
  switch (kind.kind) {
    case "quantile":
      return quantileShape(kind.p);
    case "mean":
    case "stddev":
      return momentShape(kind.kind);
  }
}

/**
 * The value of an aggregation over a resample: the function gets the number of times that each unit is in it. The
 * scores are sorted once, so that a resample costs one pass. NaN if the resample has no value; the NaN does not leave
 * `src/stats`.
 */
export function resampler(units: Units, kind: Resampled): (counts: Int32Array) => number {
  return shapeOf(kind).resample(units);
}

/**
 * Contribution of each score to an aggregation, to first order (influence values): the aggregation of many cases is its
 * true value plus the mean of these. So its standard error is that of their mean, paired, clustered or neither. They have
 * the mean 0.
 *
 * F. R. Hampel, JASA 69 (1974), 383–393; J. W. McKean, R. M. Schrader, Communications in Statistics B 13 (1984), 751–773.
 * For some thousands of scores and more.
 */
export function influenceOf(values: ArrayLike<number>, kind: Shape): Float64Array {
  const each = shapeOf(kind).influence(values);
  const centre = mean(each);
  return each.map((value) => value - centre);
}
