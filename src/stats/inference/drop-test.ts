import type { Clustered, Statistics } from "../../model/figures/statistics.ts";
import { clusterFlip, clusterSums, clusterT } from "./cluster-t.ts";
import { effective } from "./effective.ts";
import { pairedT } from "./paired-t.ts";
import { exactFlip, signFlip } from "./sign-flip.ts";

/** Below this number of pairs the mean of the differences is not close enough to normal for a t test. */
const leastPairs = 30;
/** Below these numbers of changes, a few of the differences determine the mean. */
const leastChanges = { cases: 20, clusters: 10 };
/**
 * Below this number of clusters, or with some much larger than the others, the cluster-robust t test is too optimistic.
 */
const leastClusters = 20;

/**
 * The test of a drop of the mean, one-sided, on differences head − base, one a case. It is chosen by what changed, so that the
 * same scores have the same p under whatever name and scale: sign flips with mid-p where they are exact (differences of one
 * size, as of 0/1 scores, which is McNemar's mid-p; multiples of one unit; up to 30 that are not 0), and where the differences
 * are in effect fewer than 20, (Σ|d|)² / Σd²; else the paired t test.
 *
 * With clusters: the cluster-robust t test where the clusters are in effect at least 20, (Σn)² / Σn² with n the cases of a
 * cluster, and the sums of at least 10 changed; else flips of whole clusters.
 *
 * C. A. Carter, K. T. Schnepel, D. G. Steigerwald, "Asymptotic Behavior of a t-Test Robust to Cluster Heterogeneity", Review of
 * Economics and Statistics 99 (2017), 698–709 (clusters in effect). Throws a RangeError without a difference.
 */
export const dropTest: Statistics["dropTest"] = (differences, clusters) =>
  clusters === undefined ? testCases(differences) : testClusters({ values: differences, clusters });

type Tested = ReturnType<Statistics["dropTest"]>;

function testCases(differences: ArrayLike<number>): Tested {
  const flip = exactFlip(differences);
  if (flip !== undefined) return { test: "sign_flip_exact", p: flip.pMid };
  if (differences.length >= leastPairs && effective(differences) >= leastChanges.cases)
    return { test: "paired_t", p: pairedT(differences, anyLevel).pLess };
  return { test: "sign_flip_seeded", p: signFlip(differences).pMid };
}

function testClusters(clustered: Clustered): Tested {
  const { sizes, sums } = clusterSums(clustered);
  if (effective(sizes) >= leastClusters && effective(sums) >= leastChanges.clusters)
    return { test: "cluster_t", p: clusterT(clustered, anyLevel).pLess };
  const { pMid, exact } = clusterFlip(clustered);
  return { test: exact ? "cluster_flip_exact" : "cluster_flip_seeded", p: pMid };
}

/** Level of an interval that is not used. */
const anyLevel = 0.9;
