import { manyRepeats } from "../../model/figures/detectable.ts";
import type { Noise } from "../../model/figures/statistics.ts";
import { provingChance, smallestDrop } from "./detectable.ts";

/**
 * Noise of a comparison of unchanged runs, and the limit for its p-value: alpha divided by the number of comparisons
 * that share it.
 */
export interface Reach {
  readonly noise: Noise;
  readonly alpha: number;
}

/** Smallest number of repeats with which cases have weights. */
const fewestWeighing = 3;

/** The default power: 4 of 5 runs. */
const usualPower = 0.8;

/** More cases than any suite has. */
const mostCases = 1e9;

/**
 * Number of cases, like the existing ones, that prove a drop with the given power (0.8); independent of the rule's limit.
 */
export function casesFor(drop: number, { noise, alpha }: Reach, power = usualPower): number {
  const isEnough = (n: number): boolean =>
    provingChance(drop, scaledToCases(noise, n), alpha) >= power;
  let [no, yes] = [0, 1];
  while (!isEnough(yes) && yes < mostCases) [no, yes] = [yes, 2 * yes];
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2);
    if (isEnough(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

/** The noise of `n` cases in clusters of the same sizes. */
export function scaledToCases(noise: Noise, n: number): Noise {
  const { clusters } = noise;
  const times = n / Math.max(1, noise.n);
  return {
    ...noise,
    n,
    clusters: clusters && {
      count: Math.floor(clusters.count * times),
      effective: clusters.effective * times,
    },
  };
}

/** The same cases with another number of repeats, if all differences between unchanged runs are noise within cases. */
export function repeated(reach: Reach, from: number, to: number): Reach {
  const { noise } = reach;
  const variance = (noise.variance * from) / to;
  // With one repeat, the means of 0/1 scores are 0/1 scores.
  const bits = noise.lost > 0 && noise.clusters === null && to === 1;
  const { weights, ...plain } = noise;
  // Too few repeats don't show the certainty of a case's score.
  const kept = to < fewestWeighing ? undefined : weights;
  return { ...reach, noise: { ...plain, bits, variance, ...(kept && { weights: kept }) } };
}

/**
 * The smallest drop that the same cases prove with `manyRepeats`; undefined if they prove none, or none smaller than
 * now.
 */
export function smallestRepeated(reach: Reach, repeats: number): number | undefined {
  const { noise, alpha } = reach;
  if (repeats >= manyRepeats || noise.variance === 0) return undefined;
  const now = smallestDrop(noise, alpha) ?? Infinity;
  const then = smallestDrop(repeated(reach, repeats, manyRepeats).noise, alpha);
  return then !== undefined && then < now ? then : undefined;
}
