/** Formula of an aggregation: the mean, a multiple of the mean (sum), or a statistic of the distribution's shape. */
type Arithmetic = { readonly kind: "mean" } | { readonly kind: "sum" } | Shape;

/** A statistic that is neither a mean nor a multiple of one. */
export type Shape = { readonly kind: "stddev" } | { readonly kind: "quantile"; readonly p: number };

/** Traits of an aggregation. */
interface AggregationTraits {
  readonly arithmetic: Arithmetic;
  /** Whether its value always lies within the range of the scores. */
  readonly keepsRange: boolean;
  /** Whether it needs at least two cases. */
  readonly needsTwo: boolean;
}

const keeping = { keepsRange: true, needsTwo: false };

/**
 * The aggregations. A new one needs a row here; if its arithmetic is new, also a file in `src/stats` that `shapes.ts`
 * names.
 */
const table = {
  mean: { arithmetic: { kind: "mean" }, ...keeping },
  median: { arithmetic: { kind: "quantile", p: 0.5 }, ...keeping },
  p50: { arithmetic: { kind: "quantile", p: 0.5 }, ...keeping },
  p90: { arithmetic: { kind: "quantile", p: 0.9 }, ...keeping },
  p95: { arithmetic: { kind: "quantile", p: 0.95 }, ...keeping },
  sum: { arithmetic: { kind: "sum" }, keepsRange: false, needsTwo: false },
  stddev: { arithmetic: { kind: "stddev" }, keepsRange: false, needsTwo: true },
} as const satisfies Readonly<Record<string, AggregationTraits>>;

/** How the scores of a task's cases are combined. `p50` is the median; `stddev` the sample standard deviation. */
export type Aggregation = keyof typeof table;

export const aggregations: Readonly<Record<Aggregation, AggregationTraits>> = table;

export function isAggregation(name: string): name is Aggregation {
  return Object.hasOwn(aggregations, name);
}
