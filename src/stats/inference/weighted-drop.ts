import type {
  Noise,
  RepeatedDifferences,
  Statistics,
  PairedTest,
} from "../../model/figures/statistics.ts";
import { dropTest } from "./drop-test.ts";
import { meanOf } from "../aggregates/mean.ts";
import { exactSum } from "../aggregates/sum.ts";

/** Weights are tenths, so that differences of means over repeats stay multiples of one unit, and their flips exact. */
const steps = 10;
/** The p-value of the unweighted differences must be at most this many times alpha. */
const meanFactor = 2;
/**
 * Level at which the cases of lower weight count as better. A stricter level catches fewer mixed changes; a looser one
 * loses power.
 */
const gainLevel = 0.35;

/**
 * The test of a drop if each case has several repeats, which show the certainty of its score: with vᵢ the variance of
 * case i between its repeats, both sides together, and c the mean of all vᵢ, its difference has the weight wᵢ = c / (c +
 * vᵢ), in tenths, 0.1 at least. A case that answers the same each time has 1, one that flickers as much as they do on
 * average ½.
 *
 * p = max(p of the differences wᵢ·dᵢ, ½·p of the differences dᵢ), each by `dropTest`. If nothing changed the sides of
 * each case are exchangeable, and swapping them turns the sign of dᵢ and leaves wᵢ unchanged: so the first p is as exact
 * as the second. The second limits the chance that a change is blocked which breaks steady cases and fixes flickering
 * ones without changing the mean: 2·alpha. Where flickering cases are seen to have got better, by the same test of −(max w − wᵢ)·dᵢ
 * at 0.35, the whole p of the dᵢ counts instead of its half.
 *
 * undefined if all cases have one weight. Weights by precision: W. G. Cochran, Supplement to the Journal of the Royal
 * Statistical Society 4 (1937), 102–118.
 */
export const weightedDropTest: Statistics["weightedDropTest"] = (repeated) => {
  const weights = weightsOf(repeated);
  if (weights === undefined) return undefined;
  const { differences } = repeated;
  const weighted = dropTest(multiplied(differences, weights));
  const { p } = dropTest(differences);
  const ofMean = isGainOfOthers(differences, weights) ? p : p / meanFactor;
  return {
    test: weightedNames[weighted.test] ?? weighted.test,
    p: Math.max(weighted.p, ofMean),
  };
};

/** Whether cases of lower weight got better, so that the weighted loss may not be a loss of the mean. */
function isGainOfOthers(differences: ArrayLike<number>, weights: Float64Array): boolean {
  const most = weights.reduce((highest, weight) => Math.max(highest, weight), 0);
  const losses = Float64Array.from(
    weights,
    (weight, i) => -(differences[i] ?? 0) * (most - weight),
  );
  return dropTest(losses).p < gainLevel;
}

const weightedNames: Partial<Record<PairedTest, PairedTest>> = {
  sign_flip_exact: "weighted_flip_exact",
  sign_flip_seeded: "weighted_flip_seeded",
  paired_t: "weighted_t",
};

function weightsOf({ within }: RepeatedDifferences): Float64Array | undefined {
  const usual = usualWithin(within);
  if (!(usual > 0) || !Number.isFinite(usual)) return undefined;
  const weights = Float64Array.from(within.before, (before, i) =>
    weightOf(before + (within.after[i] ?? 0), usual),
  );
  return weights.every((weight) => weight === weights[0]) ? undefined : weights;
}

function usualWithin({ before, after }: RepeatedDifferences["within"]): number {
  return (exactSum(before) + exactSum(after)) / before.length;
}

function weightOf(variance: number, usual: number): number {
  return Math.max(1, Math.round((steps * usual) / (usual + variance))) / steps;
}

function multiplied(values: ArrayLike<number>, weights: ArrayLike<number>): Float64Array {
  return Float64Array.from(values, (value, i) => value * (weights[i] ?? 1));
}

/** Effect of the weights on the noise of a comparison with several repeats: `noiseOfWeights`. */
export const weightedNoise: Statistics["weightedNoise"] = (repeated, losses) => {
  const weights = weightsOf(repeated);
  const { differences, within } = repeated;
  if (weights === undefined) return undefined;
  const usual = usualWithin(within);
  const broken = Float64Array.from(within.before, (variance) => weightOf(variance, usual));
  return noiseOfWeights({ differences, weights, broken }, losses);
};

/** Weighted differences, and the weight that each case has after it broke for good. */
interface Weighted {
  readonly differences: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
  readonly broken: ArrayLike<number>;
}

/**
 * Effect of the weights on a comparison's noise and on a drop's addition to it: factors of `variance` and of `lost`.
 * Weighted, a drop D shows as ρ·D, with ρ = Σ aᵢwᵢ / Σ aᵢ, aᵢ the possible loss of case i (`losses`) and wᵢ its weight
 * after it broke for good; without `losses` all cases drop alike, and ρ is the mean weight.
 */
export function noiseOfWeights(
  { differences, weights, broken }: Weighted,
  losses: ArrayLike<number> | undefined,
): Noise["weights"] {
  const plain = meanOf(differences).stderr ?? 0;
  const now = meanOf(multiplied(differences, weights)).stderr ?? 0;
  const { part, lost } = losses === undefined ? evenly(weights) : ofBroken(losses, broken, weights);
  if (plain === 0 || !(part > 0)) return undefined;
  return { variance: (now / plain / part) ** 2, lost: lost / part };
}

/**
 * `part`: ρ. `lost`: the weighted mean square of broken cases' losses over their mean, relative to the same without
 * weights.
 */
interface Shown {
  readonly part: number;
  readonly lost: number;
}

function evenly(weights: ArrayLike<number>): Shown {
  return { part: exactSum(weights) / weights.length, lost: 1 };
}

function ofBroken(
  losses: ArrayLike<number>,
  broken: ArrayLike<number>,
  weights: ArrayLike<number>,
): Shown {
  const all = exactSum(losses);
  if (!(all > 0)) return evenly(weights);
  const weighted = multiplied(losses, broken);
  const lost = exactSum(multiplied(weighted, weighted)) / exactSum(weighted);
  const plain = exactSum(multiplied(losses, losses)) / all;
  return { part: exactSum(weighted) / all, lost: lost / plain };
}
