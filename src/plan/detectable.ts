import type { Noise } from "../model/statistics.ts";
import { normalCdf, normalQuantile } from "../stats/normal.ts";
import { statistics } from "../stats/statistics.ts";

/** What a comparison of unchanged runs is like, and what its p-value has to be below: alpha over the comparisons that share it. */
export interface Reach {
  readonly noise: Noise;
  readonly alpha: number;
}

/** 4 times in 5. */
export const usualPower = 0.8;

/** More cases than any suite has. */
const mostCases = 1e9;

/** How many cases, like those that there are, prove a drop with the given power (0.8); the rule's limit is another matter. */
export function casesFor(drop: number, { noise, alpha }: Reach, power = usualPower): number {
  const isEnough = (n: number): boolean =>
    statistics.provingChance(drop, withCases(noise, n), alpha) >= power;
  let [no, yes] = [0, 1];
  while (!isEnough(yes) && yes < mostCases) [no, yes] = [yes, 2 * yes];
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2);
    if (isEnough(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

/** As many cases in clusters of the same sizes. */
function withCases(noise: Noise, n: number): Noise {
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

/** The same cases with other repeats, where all that differs between unchanged runs is noise within cases. */
export function repeated(reach: Reach, from: number, to: number): Reach {
  const { noise } = reach;
  const variance = (noise.variance * from) / to;
  // With one repeat the means of 0/1 scores are 0/1 scores.
  const bits = noise.lost > 0 && noise.clusters === null && to === 1;
  return { ...reach, noise: { ...noise, bits, variance } };
}

/** Of a rule without a test: the true drop that is seen to be at least the limit 4 times in 5. */
export function smallestSeen({ n, variance, lost }: Noise, limit: number): number {
  const isEnough = (drop: number): boolean => {
    const own = Math.max(0, drop * (lost - drop));
    return drop - normalQuantile(usualPower) * Math.sqrt((variance + own) / n) >= limit;
  };
  let [no, yes] = [0, Math.max(limit, 1e-9)];
  while (!isEnough(yes)) [no, yes] = [yes, 2 * yes];
  while (yes - no > yes * 1e-5) {
    const middle = (no + yes) / 2;
    if (isEnough(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

/** What two unchanged runs of a suite are like, and the level of the rule that compares them. */
interface Unchanged {
  readonly n: number;
  readonly variance: number;
  readonly alpha: number;
}

/**
 * How often a `prove: no_drop` rule passes a run that changed nothing. Its proof is that of a drop turned round, about a loss
 * of the limit, so that the same formula holds.
 */
export function passingChance(limit: number, { n, variance, alpha }: Unchanged): number {
  if (variance === 0) return 1;
  return normalCdf(limit * Math.sqrt(n / variance) - normalQuantile(1 - alpha));
}

/** With how many cases it passes an unchanged run that often. */
export function casesToPass(
  limit: number,
  { variance, alpha }: Omit<Unchanged, "n">,
  power = usualPower,
): number {
  return Math.ceil(
    statistics.casesNeeded({ perCaseVariance: variance, drop: limit, alpha, power }),
  );
}

/** The fewest broken cases, none fixed, that McNemar's mid-p calls a proof: (1/2)^(b + 1) < alpha. */
export function fewestBroken(alpha: number): number {
  let broken = 1;
  while (statistics.mcnemarMidP(broken, 0) >= alpha) broken += 1;
  return broken;
}
