import { aggregations, type Shape } from "../../model/definition/aggregations.ts";
import type {
  AggregateChange,
  Clustered,
  PairedSides,
  Statistics,
} from "../../model/figures/statistics.ts";
import { aggregateValue } from "./aggregation.ts";
import { bootstrap, describe } from "../inference/bootstrap.ts";
import { clusterT } from "../inference/cluster-t.ts";
import { type Clusters, clustersOf } from "../clusters.ts";
import { dropTest } from "../inference/drop-test.ts";
import { pairedT } from "../inference/paired-t.ts";
import { influenceOf, resampler } from "./shapes.ts";
import { sideSwap } from "../inference/swap.ts";

/** Up to this number of cases, resampling takes less than a second. */
export const resampledUpTo = 5_000;
/** Below this number of cases or clusters a bootstrap is too optimistic. */
export const leastForBootstrap = 20;
export const draws = 10_000;
/** The seed may be any constant, but must not change. */
export const bootstrapSeed = [0x626f6f74, 0x73747261, 0x70706564] as const;

/**
 * Head against base under an aggregation, over the same cases on both sides, in the metric's unit.
 *
 * `mean` and `sum`: `dropTest`; `interval` is Student's. Others (quantiles, `stddev`): `interval` by the percentiles of
 * 10,000 bootstrap samples of cases (or clusters), none below 20 of them, and p by 9,999 swaps of the sides. Above 5,000
 * cases, by a t test of each case's contribution to the aggregation (`large_sample`), which then gives the same result.
 * All seeded, and independent of the order of the cases.
 *
 * Bootstrap: B. Efron, R. J. Tibshirani, 1993; below some 20 cases it under-covers: S. Bowyer et al., "Position: Don't
 * Use the CLT in LLM Evals With Fewer Than a Few Hundred Datapoints", 2025, arXiv:2503.01747. undefined if there is no
 * value: no case, the spread of one, a sum beyond the largest double. Throws a RangeError where the sides differ in
 * length, and for a score that is not finite.
 */
export const aggregateChange: Statistics["aggregateChange"] = (sides, aggregation, level) => {
  const { before, after } = sides;
  if (before.length !== after.length)
    throw new RangeError(`${before.length} cases can't be paired with ${after.length}`);
  const baseline = aggregateValue(before, aggregation);
  const value = aggregateValue(after, aggregation);
  if (baseline === undefined || value === undefined) return undefined;
  const kind = aggregations[aggregation].arithmetic;
  const values = { baseline, value, delta: finite(value - baseline) };
  if (kind.kind === "mean") return { ...values, ...byMeans(sides, level, 1) };
  if (kind.kind === "sum") return { ...values, ...byMeans(sides, level, before.length) };
  return before.length > resampledUpTo
    ? { ...values, ...byInfluence({ sides, delta: values.delta }, kind, level) }
    : { ...values, ...byResampling(sides, kind, level) };
};

type Tested = Omit<AggregateChange, "baseline" | "value" | "delta">;

function byMeans(sides: PairedSides, level: number, factor: number): Tested {
  const { before, after, clusters } = sides;
  const differences = Float64Array.from(after, (value, i) => finite(value - (before[i] ?? 0)));
  const tested = testMeans(differences, clusters, level);
  if (factor === 1) return tested;
  const { stderr, interval } = tested;
  return {
    ...tested,
    stderr: stderr === undefined ? undefined : finite(stderr * factor),
    interval: interval && {
      lower: finite(interval.lower * factor),
      upper: finite(interval.upper * factor),
    },
  };
}

function testMeans(
  values: Float64Array,
  clusters: Clustered["clusters"] | undefined,
  level: number,
): Tested {
  const t = clusters === undefined ? pairedT(values, level) : clusterT({ values, clusters }, level);
  const { test, p: pLess } = dropTest(values, clusters);
  const turned = values.map((value) => 0 - value);
  const { stderr, interval } = t;
  return { stderr, interval, test, pLess, pGreater: dropTest(turned, clusters).p };
}

function byResampling(sides: PairedSides, kind: Shape, level: number): Tested {
  const { before, after } = sides;
  const clusters = unitsOf(sides);
  const p = sideSwap({ before, after, clusters }, kind);
  const common = { test: "side_swap_seeded" as const, ...p };
  if (clusters.size < leastForBootstrap)
    return { ...common, stderr: undefined, interval: undefined };
  const base = resampler({ values: before, clusters }, kind);
  const head = resampler({ values: after, clusters }, kind);
  const drawing = { units: clusters.size, draws, seed: bootstrapSeed };
  const deltas = bootstrap(drawing, (counts) => finite(head(counts) - base(counts)));
  return { ...common, ...describe(deltas, level) };
}

/** Sorted by the scores, so that the same cases in another order give the same samples. */
function unitsOf({ before, after, clusters }: PairedSides): Clusters {
  const n = before.length;
  return clustersOf(
    clusters ?? Array.from({ length: n }, () => null),
    n,
    (i, j) => (before[i] ?? 0) - (before[j] ?? 0) || (after[i] ?? 0) - (after[j] ?? 0),
  );
}

function byInfluence(
  { sides, delta }: { readonly sides: PairedSides; readonly delta: number },
  kind: Shape,
  level: number,
): Tested {
  const base = influenceOf(sides.before, kind);
  const changes = influenceOf(sides.after, kind).map((head, i) => head - (base[i] ?? 0) + delta);
  return { ...testMeans(changes, sides.clusters, level), test: "large_sample" };
}

/** Differences of huge scores are limited to the largest double. */
function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}
