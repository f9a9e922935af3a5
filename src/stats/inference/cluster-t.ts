import type { Clustered, Statistics } from "../../model/figures/statistics.ts";
import { clustersOf, gather, type Gathered, perCluster } from "../clusters.ts";
import { signFlip } from "./sign-flip.ts";
import { extent, mean, type MeanOf, tInterval, overflowScale } from "../aggregates/mean.ts";
import { negligible } from "../rounding.ts";
import { studentUpperTail } from "../distributions/student.ts";
import { exactSum } from "../aggregates/sum.ts";

/**
 * The cluster-robust t test on differences head − base, in the metric's unit: the mean over all cases, its
 * standard error from the sums of the residuals in each of G clusters,
 * SE = (1/n)·√(Σ_g (Σ_{i∈g} (dᵢ − mean))²) · √(G / (G − 1)), t = mean / SE with G − 1 degrees of freedom.
 * With a cluster a case it is the paired t test. Below some 20 clusters it is too sure of itself where they differ
 * in size: flip whole clusters there (`clusterFlip`).
 *
 * Where every cluster has the mean of all, there is no t: `pLess` is then that of the exact cluster flip, and the
 * interval has the width 0. One cluster has no standard error and no interval. No case is a RangeError, and so is a
 * list of clusters of another length.
 *
 * K.-Y. Liang, S. L. Zeger, Biometrika 73 (1986), 13–22; E. Miller, "Adding Error Bars to Evals", 2024,
 * arXiv:2411.00640, §2.2; the factor is Stata's and inspect_ai's, called CR1.
 */
export const clusterT: Statistics["clusterT"] = (clustered, level) => {
  const summary = clusterMeanOf(clustered);
  const { mean: centre, stderr, n: clusters } = summary;
  const interval = tInterval(summary, level);
  const common = { mean: centre, stderr, interval, clusters };
  // The standard error shrinks with the cases, rounding does not.
  const nothing = negligible(largestOf(clustered.values)) / Math.sqrt(clusters);
  if (stderr === undefined || stderr <= nothing)
    return { ...common, pLess: clusterFlip(clustered).pLess };
  return { ...common, pLess: studentUpperTail(-centre / stderr, clusters - 1) };
};

/**
 * The sign-flip test for cases that are not independent: whole clusters change their sign, so it is the test of the
 * clusters' sums. Exact and seeded as `signFlip` is. No difference at all: p = 1.
 *
 * I. A. Canay, J. P. Romano, A. M. Shaikh, "Randomization Tests under an Approximate Symmetry Assumption",
 * Econometrica 85 (2017), 1013–1030.
 */
export const clusterFlip: Statistics["clusterFlip"] = ({ values, clusters }) => {
  const unit = values.length === 0 ? 1 : unitOf(values);
  const gathered = gather(values, clustersOf(clusters, values.length));
  const scaled = { ...gathered, values: gathered.values.map((value) => value * unit) };
  const nothing = values.length === 0 ? 0 : negligible(largestOf(values)) * unit;
  return signFlip(perCluster(scaled, (sums) => zeroBelow(exactSum(sums), nothing)));
};

/** The remainder of values that cancel counts as 0. */
function zeroBelow(sum: number, nothing: number): number {
  return Math.abs(sum) <= nothing ? 0 : sum;
}

/** The mean and its cluster-robust standard error; `n` is the number of clusters. Throws as `clusterT` does. */
export function clusterMeanOf({ values, clusters }: Clustered): MeanOf {
  const centre = mean(values);
  const gathered = gather(values, clustersOf(clusters, values.length));
  const size = gathered.starts.length - 1;
  if (size === 1) return { mean: centre, stderr: undefined, n: 1 };
  const unit = unitOf(values);
  const squares = residualSums(gathered, { centre, unit }).map((sum) => sum * sum);
  const correction = Math.sqrt(size / (size - 1));
  return {
    mean: centre,
    stderr: ((Math.sqrt(exactSum(squares)) / values.length) * correction) / unit,
    n: size,
  };
}

/** For each cluster: its number of cases, and the sum of their values as a share of the largest size. */
export function clusterSums({ values, clusters }: Clustered): {
  readonly sizes: Float64Array;
  readonly sums: Float64Array;
} {
  const unit = values.length === 0 ? 1 : unitOf(values);
  const gathered = gather(values, clustersOf(clusters, values.length));
  return {
    sizes: perCluster(gathered, (members) => members.length),
    sums: perCluster(gathered, (members) => exactSum(members.map((value) => value * unit))),
  };
}

function residualSums(
  gathered: Gathered,
  { centre, unit }: { readonly centre: number; readonly unit: number },
): Float64Array {
  return perCluster(gathered, (values) =>
    exactSum(values.map((value) => value * unit - centre * unit)),
  );
}

function unitOf(values: ArrayLike<number>): number {
  const { lowest, highest } = extent(values);
  return overflowScale(lowest, highest);
}

function largestOf(values: ArrayLike<number>): number {
  const { lowest, highest } = extent(values);
  return Math.max(-lowest, highest);
}
