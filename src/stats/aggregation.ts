import type { Statistics } from "../model/statistics.ts";
import type { Aggregation } from "../model/suite.ts";
import { extent, mean, meanOf } from "./mean.ts";
import { quantile } from "./quantile.ts";
import { exactSum } from "./sum.ts";

/** An aggregation as arithmetic. */
export type Kind = { readonly kind: "mean" } | { readonly kind: "sum" } | Shape;

/** One that is no mean and no multiple of one. */
export type Shape = { readonly kind: "stddev" } | { readonly kind: "quantile"; readonly p: number };

export function kindOf(aggregation: Aggregation): Kind {
  switch (aggregation) {
    case "mean":
    case "sum":
    case "stddev":
      return { kind: aggregation };
    case "median":
    case "p50":
      return { kind: "quantile", p: 0.5 };
    case "p90":
      return { kind: "quantile", p: 0.9 };
    case "p95":
      return { kind: "quantile", p: 0.95 };
  }
}

/**
 * The value of an aggregation over the scores of cases, in their unit, the same whatever their order. Quantiles are
 * of type 7 (`quantile`); `stddev` is √(Σ(x − mean)² / (n − 1)). undefined where there is none: of no score, the
 * spread of one, and a sum beyond the largest double. Throws a RangeError for a score that is not finite.
 */
export const aggregateValue: Statistics["aggregateValue"] = (values, aggregation) => {
  const kind = kindOf(aggregation);
  const n = values.length;
  if (n === 0) return undefined;
  switch (kind.kind) {
    case "mean":
      return mean(values);
    case "sum":
      return sumOf(values);
    case "stddev":
      return n === 1 ? undefined : finite((meanOf(values).stderr ?? 0) * Math.sqrt(n));
    case "quantile":
      return quantile(sortedOf(values), kind.p);
  }
};

function sumOf(values: ArrayLike<number>): number | undefined {
  extent(values);
  return finite(exactSum(values) + 0);
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** Smallest first. Throws a RangeError for a value that is not finite. */
export function sortedOf(values: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(values).toSorted();
  // Infinities are sorted to the ends, NaN to the last place.
  if (!Number.isFinite(sorted[0] ?? 0) || !Number.isFinite(sorted.at(-1) ?? 0))
    throw new RangeError("only finite numbers have a quantile");
  return sorted;
}
