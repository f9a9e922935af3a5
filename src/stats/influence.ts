import { type Shape, sortedOf } from "./aggregation.ts";
import { mean, meanOf } from "./mean.ts";
import { normalQuantile } from "./normal.ts";
import { quantile } from "./quantile.ts";

/**
 * What each score adds to an aggregation, to first order: the aggregation of many cases is its true value plus the mean
 * of these. So its standard error is that of their mean, paired, clustered or neither. They have the mean 0.
 *
 * Mean: x − mean. `stddev` s: ((x − mean)² − s²) / 2s. Quantile q at share p: (p − [x ≤ q]) / f, f the density at q,
 * from the distance of the order statistics z·√(np(1 − p)) ranks to each side of np. Where scores crowd at q,
 * so that they have no distance, all are 0: the quantile does not move.
 *
 * F. R. Hampel, JASA 69 (1974), 383–393; J. W. McKean, R. M. Schrader, Communications in Statistics B 13 (1984),
 * 751–773. For some thousands of scores and more.
 */
export function influenceOf(values: ArrayLike<number>, kind: Shape): Float64Array {
  const each = kind.kind === "quantile" ? onQuantile(values, kind.p) : onDeviation(values);
  const centre = mean(each);
  return each.map((value) => value - centre);
}

function onDeviation(values: ArrayLike<number>): Float64Array {
  const { mean: centre, stderr = 0, n } = meanOf(values);
  const deviation = stderr * Math.sqrt(n);
  return Float64Array.from(values, (value) =>
    deviation === 0 ? 0 : ((value - centre) ** 2 / deviation - deviation) / 2,
  );
}

function onQuantile(values: ArrayLike<number>, p: number): Float64Array {
  const sorted = sortedOf(values);
  const n = sorted.length;
  const reach = normalQuantile(0.975) * Math.sqrt(n * p * (1 - p));
  const low = Math.max(0, Math.round(n * p - reach) - 1);
  const high = Math.min(n - 1, Math.round(n * p + reach) - 1);
  // One over the density.
  const sparsity = (((sorted[high] ?? 0) - (sorted[low] ?? 0)) * n) / Math.max(1, high - low);
  const middle = quantile(sorted, p);
  return Float64Array.from(values, (value) => (p - (value <= middle ? 1 : 0)) * sparsity);
}
