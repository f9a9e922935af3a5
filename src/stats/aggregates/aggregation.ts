import { aggregations } from "../../model/definition/aggregations.ts";
import type { Statistics } from "../../model/figures/statistics.ts";
import { extent, mean } from "./mean.ts";
import { shapeOf } from "./shapes.ts";
import { exactSum } from "./sum.ts";

/**
 * The value of an aggregation over the scores of cases, in their unit, independent of their order. Quantiles are of
 * type 7 (`quantile`); `stddev` is √(Σ(x − mean)² / (n − 1)). undefined if there is no value: for no score, the spread
 * of one, and a sum beyond the largest double. Throws a RangeError for a score that is not finite.
 */
export const aggregateValue: Statistics["aggregateValue"] = (values, aggregation) => {
  const { arithmetic } = aggregations[aggregation];
  if (values.length === 0) return undefined;
  if (arithmetic.kind === "mean") return mean(values);
  if (arithmetic.kind === "sum") return sumOf(values);
  return shapeOf(arithmetic).value(values);
};

function sumOf(values: ArrayLike<number>): number | undefined {
  extent(values);
  const sum = exactSum(values) + 0;
  return Number.isFinite(sum) ? sum : undefined;
}
