import type { Noise, Statistics } from "../../model/figures/statistics.ts";
import { normalCdf, normalQuantile } from "../distributions/normal.ts";
import { mcnemarPower } from "./power.ts";
import { studentQuantile } from "../distributions/student.ts";

/** The default power: 4 of 5 runs. */
const usualPower = 0.8;
/**
 * Noise within repeats consists of small steps rather than whole cases. It hides broken cases less than the enumeration
 * assumes, by this many cases (scripts/simulate-gates.ts).
 */
const finerNoise = 0.25;
/** Above this number of changed pairs the normal approximation is as good as the enumeration, and faster. */
const mostEnumerated = 400;

/**
 * Whether a drop, however large, can be proven: flipping the signs of n differences, or of G clusters, gives no p below
 * 2⁻ⁿ⁻¹ (mid-p), or 2⁻ᴳ. With clusters, half of one pattern would be no proof, because there are so few patterns.
 */
export const canProve: Statistics["canProve"] = ({ n, clusters }, alpha) =>
  n > 0 && (clusters === null ? 2 ** -(n + 1) : 2 ** -clusters.count) < alpha;

/**
 * Chance that a true drop is proven at `alpha`, by the test in use, including the discordance that the drop itself adds.
 *
 * Shares: a case breaks with the chance ψ/2 + D and is fixed with ψ/2, ψ the share that changes where nothing changed.
 * McNemar's mid-p by exact enumeration; above some 400 discordant pairs Φ((D√n − z₁₋α√(ψ + D)) / √(ψ + D − D²)). Means of
 * repeats of such shares: the same, in units of what a case loses that breaks. Others: the t test on f = n − 1 degrees of
 * freedom, or with clusters (Σn)² / Σn² − 1, by a normal approximation of the noncentral t distribution that reckons with
 * the noise being an estimate by as many: Φ((δ − t)·(1 − 1/4f) / √(1 + (t² + δ²)/2f)), t the quantile of the test and δ =
 * D / SE. With clusters the drop's own variance is multiplied by the design effect. Weighted by repeats: the smaller one
 * of the chances of the weighted differences at alpha and of the differences at 2·alpha, which is a little more than that
 * of both.
 *
 * R. J. Connor, Biometrics 43 (1987), 207–211; Abramowitz & Stegun 26.7.10.
 */
export const provingChance: Statistics["provingChance"] = (drop, noise, alpha) => {
  if (!(drop > 0) || !canProve(noise, alpha)) return 0;
  if (alpha >= 1) return 1;
  const { weights, ...plain } = noise;
  if (weights === undefined) return unweightedChance(drop, plain, alpha);
  const lost = plain.lost * weights.lost;
  const finer = (finerNoise * lost ** 2) / plain.n;
  const variance = Math.max(0, plain.variance * weights.variance - finer);
  const weighted = { ...plain, variance, lost };
  return Math.min(
    unweightedChance(drop, weighted, alpha),
    unweightedChance(drop, plain, Math.min(0.5, 2 * alpha)),
  );
};

function unweightedChance(drop: number, noise: Noise, alpha: number): number {
  const { n, variance, clusters, lost } = noise;
  if (clusters === null && lost > 0)
    return byPairs(drop / lost, { n, variance: variance / lost ** 2 }, alpha);
  return byT(drop, noise, alpha);
}

/** Cases that change anyway can't all change further: the two chances exclude each other. */
function byPairs(
  drop: number,
  { n, variance }: Pick<Noise, "n" | "variance">,
  alpha: number,
): number {
  if (drop > 1) return 1;
  const fixes = Math.max(0, Math.min(variance / 2, (1 - drop) / 2));
  const breaks = Math.min(1 - fixes, fixes + drop);
  const discordant = breaks + fixes;
  if (n * discordant <= mostEnumerated) return mcnemarPower({ breaks, fixes, n, alpha });
  const spread = Math.sqrt(Math.max(Number.MIN_VALUE, discordant - drop * drop));
  const reach = drop * Math.sqrt(n) - normalQuantile(1 - alpha) * Math.sqrt(discordant);
  return normalCdf(reach / spread);
}

function byT(drop: number, noise: Noise, alpha: number): number {
  const { n, variance, clusters, lost, design } = noise;
  const freedom = (clusters?.effective ?? n) - 1;
  if (freedom <= 0) return 0;
  const own = design * Math.max(0, drop * (lost - drop));
  const total = variance + own;
  if (total === 0) return 1;
  const [least, seen] = [-studentQuantile(alpha, freedom), drop / Math.sqrt(total / n)];
  const units = (clusters?.count ?? n) - 1;
  const spread = Math.sqrt(1 + (least * least) / (2 * freedom) + (seen * seen) / (2 * units));
  return normalCdf(((seen - least) * (1 - 1 / (4 * freedom))) / spread);
}

/**
 * The minimum detectable effect: the smallest true drop with a `provingChance` of `power`. undefined if no drop has it,
 * and for graded scores without observed noise, because the detectable drop is then unknown.
 */
export const smallestDrop: Statistics["smallestDrop"] = (noise, alpha, power = usualPower) => {
  if (noise.lost === 0 && noise.variance === 0) return undefined;
  // If one cluster outweighs the others, it decides alone, and the detectable drop is unknown.
  if (noise.clusters !== null && 2 ** -noise.clusters.effective >= alpha) return undefined;
  const isEnough = (drop: number): boolean => provingChance(drop, noise, alpha) >= power;
  let yes = widestDrop(noise);
  if (!isEnough(yes)) return undefined;
  let no = 0;
  while (yes - no > yes * 1e-5) {
    const middle = (no + yes) / 2;
    if (isEnough(middle)) yes = middle;
    else no = middle;
  }
  return yes;
};

/** Upper bound of the search: the whole share, or a number of standard errors beyond which more make no difference. */
function widestDrop({ lost, n, variance }: Noise): number {
  return lost > 0 ? lost : 1e6 * Math.sqrt(variance / Math.max(1, n));
}
