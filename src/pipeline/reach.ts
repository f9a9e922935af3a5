import { pairsNeeded } from "../metrics/power.ts";
import { statistics } from "../metrics/statistics.ts";

/** What a comparison of unchanged runs is like, and what its rule asks for. */
export interface Reach {
  readonly n: number;
  /** Of one case's difference head − base where nothing changed, in squares of the metric's unit. */
  readonly variance: number;
  /** What one comparison's p-value has to be below: alpha over the number of comparisons. 1: nothing is to be proven. */
  readonly alpha: number;
  /** The smallest drop that the rule blocks. */
  readonly limit: number;
  /**
   * `bits`: 0/1 scores of cases, judged by McNemar's test; a drop breaks cases, which adds to the variance.
   * `shares`: means of 0/1 scores over repeats, where a drop may break whole cases too.
   * `graded`: a drop is taken to lower all cases alike.
   */
  readonly scores: "bits" | "shares" | "graded";
}

/** Above so many pairs the normal approximation is as good as the enumeration, and faster. */
const mostEnumerated = 2000;

/** How often a rule blocks a true drop: it has to be proven, and to be seen to be at least the limit. */
export function blockingChance(drop: number, reach: Reach): number {
  if (!(drop > 0) || isOutOfReach(reach)) return 0;
  const { n, alpha, limit } = reach;
  if (reach.scores === "bits" && n <= mostEnumerated)
    return statistics.mcnemarPower({ ...chancesOf(drop, reach), n, alpha, limit });
  const perCaseVariance = varianceAt(drop, reach);
  const proven =
    alpha < 1 ? statistics.powerOfDrop({ perCaseVariance, drop, n, alpha }) : above(drop, reach);
  return Math.min(proven, above(drop - limit, { ...reach, variance: perCaseVariance }));
}

/** P(seen loss ≥ limit) where the true one is `margin` above the limit. */
function above(margin: number, { variance: perCaseVariance, n }: Reach): number {
  if (margin === 0) return 0.5;
  const half = { perCaseVariance, drop: Math.abs(margin), n, alpha: 0.5 };
  const chance = statistics.powerOfDrop(half);
  return margin > 0 ? chance : 1 - chance;
}

/** So few cases prove nothing, whatever happens to them: flipping all their signs is not rare enough. */
function isOutOfReach({ n, alpha, scores }: Reach): boolean {
  return n < 1 || (scores !== "bits" && n < 30 && 0.5 ** n >= alpha);
}

/** The chances that a case breaks, and that it is fixed. */
function chancesOf(
  drop: number,
  { variance }: Reach,
): { readonly breaks: number; readonly fixes: number } {
  // Cases that disagree anyway cannot all disagree more: the two chances exclude each other.
  const fixes = Math.max(0, Math.min(variance / 2, (1 - drop) / 2));
  return { fixes, breaks: Math.min(1 - fixes, fixes + drop) };
}

function varianceAt(drop: number, { variance, scores }: Reach): number {
  return scores === "graded" ? variance : variance + Math.max(0, drop * (1 - drop));
}

/** 4 times in 5. */
export const usualPower = 0.8;

/** The smallest true drop that the rule blocks with the given power (0.8); undefined where none is. */
export function smallestDrop(reach: Reach, power = usualPower): number | undefined {
  const widest = widestDrop(reach);
  if (widest === 0 || blockingChance(widest, reach) < power) return undefined;
  let [no, yes] = [0, widest];
  while (yes - no > widest * 1e-4) {
    const middle = (no + yes) / 2;
    if (blockingChance(middle, reach) >= power) yes = middle;
    else no = middle;
  }
  return yes;
}

/** A drop that is blocked if any is: the whole range, or many standard errors more than the limit. */
function widestDrop({ n, variance, limit, scores, alpha }: Reach): number {
  if (scores !== "graded") return 1;
  const quantiles = statistics.detectableDrop({ perCaseVariance: 1, n: 1, alpha: alpha / 4 });
  return 1.000001 * limit + 2 * quantiles * Math.sqrt(variance / Math.max(1, n));
}

/** How many cases prove a drop with the given power; the rule's limit is another matter. */
export function casesFor(drop: number, reach: Reach, power = usualPower): number {
  const { alpha, scores } = reach;
  const chances = chancesOf(drop, reach);
  const needed =
    scores === "bits"
      ? pairsNeeded(chances, { alpha, power })
      : statistics.casesNeeded({ perCaseVariance: varianceAt(drop, reach), drop, alpha, power });
  return Math.max(fewest(alpha), Math.ceil(needed));
}

/** What two unchanged runs of a suite are like, and the level of the rule that compares them. */
export type Unchanged = Pick<Reach, "n" | "variance" | "alpha">;

/**
 * How often a `prove: no_drop` rule passes a run that changed nothing. Its proof is that of a drop turned round, about a loss
 * of the limit, so that the same formula holds.
 */
export function passingChance(limit: number, { n, variance, alpha }: Unchanged): number {
  return statistics.powerOfDrop({ perCaseVariance: variance, drop: limit, n, alpha });
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

/** With fewer changes, all to the worse, no test is sure. */
function fewest(alpha: number): number {
  return Math.ceil(Math.log2(1 / (2 * alpha))) || 1;
}

/** The fewest broken cases, none fixed, that McNemar's mid-p calls a proof: (1/2)^(b + 1) < alpha. */
export function fewestBroken(alpha: number): number {
  let broken = 1;
  while (statistics.mcnemarMidP(broken, 0) >= alpha) broken += 1;
  return broken;
}
