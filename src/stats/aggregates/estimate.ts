import { aggregations, type Shape, type Aggregation } from "../../model/definition/aggregations.ts";
import type { Clustered, Interval } from "../../model/figures/statistics.ts";
import type { MetricValue } from "../../model/outcomes/run.ts";
import { bootstrapSeed, draws, leastForBootstrap, resampledUpTo } from "./aggregate-change.ts";
import { bootstrap, describe } from "../inference/bootstrap.ts";
import { clusterMeanOf } from "../inference/cluster-t.ts";
import { apart, clustersOf } from "../clusters.ts";
import { meanOf, tInterval } from "./mean.ts";
import { influenceOf, resampler, shapeOf } from "./shapes.ts";

/** The scores of cases, with `clusters` if the cases are not independent. */
export interface CaseScores {
  readonly values: Float64Array;
  readonly clusters: Clustered["clusters"] | undefined;
}

/** Uncertainty of a value. All undefined if there are too few cases. */
interface Certainty {
  readonly stderr: number | undefined;
  readonly interval: Interval | undefined;
  readonly method: MetricValue["ci_method"];
}

const untold: Certainty = { stderr: undefined, interval: undefined, method: null };

/**
 * Standard error and interval of an aggregation over the scores of cases, in their unit.
 *
 * `mean` and `sum`: Student's, or cluster-robust with clusters; a sum is that of as many cases. Quantiles: between two of
 * the scores (`orderStatisticInterval`), which has no standard error. Quantiles of clustered cases, and `stddev`: by 10,000
 * seeded bootstrap samples, none below 20 cases or clusters; above 5,000 cases by what each adds (`influenceOf`).
 */
export function certaintyOf(
  scores: CaseScores,
  aggregation: Aggregation,
  level: number,
): Certainty {
  if (scores.values.length === 0) return untold;
  const kind = aggregations[aggregation].arithmetic;
  if (kind.kind === "mean") return ofMean(scores, level, 1);
  if (kind.kind === "sum") return ofMean(scores, level, scores.values.length);
  return ofShape(scores, kind, level);
}

function ofMean({ values, clusters }: CaseScores, level: number, factor: number): Certainty {
  const summary = clusters ? clusterMeanOf({ values, clusters }) : meanOf(values);
  const interval = tInterval(summary, level);
  if (interval === undefined || summary.stderr === undefined) return untold;
  return {
    stderr: within(summary.stderr * factor),
    interval: { lower: within(interval.lower * factor), upper: within(interval.upper * factor) },
    method: clusters ? "cluster_t" : "t",
  };
}

/** Sums of huge scores are limited to the largest double. */
function within(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

function ofShape(scores: CaseScores, kind: Shape, level: number): Certainty {
  const { interval: fromScores } = shapeOf(kind);
  if (fromScores === undefined || scores.clusters !== undefined)
    return resampled(scores, kind, level);
  const interval = fromScores(scores.values, level);
  return { stderr: undefined, interval, method: interval ? "order_statistic" : null };
}

function resampled({ values, clusters: names }: CaseScores, kind: Shape, level: number): Certainty {
  // Sorted by value, so that the same cases in another order give the same samples.
  const order = names ? values : values.toSorted();
  const clusters = names
    ? clustersOf(names, values.length, (i, j) => (values[i] ?? 0) - (values[j] ?? 0))
    : apart(values.length);
  if (clusters.size < leastForBootstrap) return untold;
  if (values.length > resampledUpTo) return byInfluence({ values, clusters: names }, kind, level);
  const statistic = resampler({ values: order, clusters }, kind);
  const drawn = bootstrap({ units: clusters.size, draws, seed: bootstrapSeed }, statistic);
  return { ...describe(drawn, level), method: "bootstrap" };
}

function byInfluence(scores: CaseScores, kind: Shape, level: number): Certainty {
  const values = influenceOf(scores.values, kind);
  const { clusters } = scores;
  const summary = clusters ? clusterMeanOf({ values, clusters }) : meanOf(values);
  const whole = resampler({ values: scores.values, clusters: apart(values.length) }, kind);
  const centre = whole(new Int32Array(values.length).fill(1));
  return {
    stderr: summary.stderr,
    interval: tInterval({ ...summary, mean: centre }, level),
    method: "large_sample",
  };
}
