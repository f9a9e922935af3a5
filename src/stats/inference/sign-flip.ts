import type { PermutationP, Statistics } from "../../model/figures/statistics.ts";
import { chancesUpTo, latticeOf } from "./lattice-flip.ts";
import { mcnemarExact, mcnemarMidP } from "./mcnemar.ts";
import { extent } from "../aggregates/mean.ts";
import { negligible } from "../rounding.ts";
import { sfc32 } from "../distributions/sfc32.ts";
import { exactSum } from "../aggregates/sum.ts";

const exactUpTo = 30;
/** Above this number of differences no common unit is searched for. */
const mostMultiples = 20_000;
const flips = 9_999;
/** The seed may be any constant, but must not change: a run that is judged again must give the same p. */
const seed = [0x52656772, 0x61646520, 0x666c6970] as const;
/** Sums that differ by less than this share of all magnitudes count as equal: they differ only by the order of adding. */
const tieShare = 1e-9;

/**
 * The sign-flip permutation test on differences head − base, one a case: if nothing changed, each
 * difference could as well have had the other sign. `pLess` = P(sum ≤ the sum seen), ties included; `pMid` counts half of
 * the ties, as McNemar's mid-p does: where sums are few, `pLess` finds a false drop in 1 to 3 % of runs instead of 5.
 *
 * Up to 30 differences that are not 0: exact, all 2ᵏ sign patterns counted. On 0/1 scores this is McNemar's
 * exact test, for however many. More of them are exact too where they are multiples of one unit, such as means over 5 repeats:
 * then the sums are few, and their distribution is computed. Else 9,999 seeded flips,
 * p = (1 + as extreme) / (1 + 9,999). All depend on the differences only, not on their order. No difference
 * but 0: p = 1.
 *
 * R. A. Fisher, "The Design of Experiments", 1935, §21; H. O. Lancaster, "Significance Tests in Discrete Distributions",
 * JASA 56 (1961), 223–234 (mid-p); B. Phipson, G. K. Smyth, "Permutation p-values
 * should never be zero", Statistical Applications in Genetics and Molecular Biology 9 (2010), 39.
 */
export const signFlip: Statistics["signFlip"] = (differences) => {
  const changes = changesOf(differences);
  return flipExactly(changes) ?? flipBySeed(changes);
};

/** As `signFlip`, where it is exact; undefined elsewhere. */
export function exactFlip(differences: ArrayLike<number>): PermutationP | undefined {
  return flipExactly(changesOf(differences));
}

function flipExactly(changes: readonly number[]): PermutationP | undefined {
  if (changes.length === 0) return { pLess: 1, pMid: 1, exact: true };
  // Listing all patterns is slower: for 30 changes it lists 2 × 2¹⁵ sums.
  if (changes.length <= exactUpTo) return flipMultiples(changes) ?? flipAll(changes);
  if (changes.every((change) => 1 - Math.abs(change) <= tieShare)) return flipSigns(changes);
  return changes.length > mostMultiples ? undefined : flipMultiples(changes);
}

function sizesOf(changes: readonly number[]): readonly number[] {
  return changes.map((change) => Math.abs(change)).toSorted((x, y) => x - y);
}

/** The range of sums that equal the sum of the changes, up to rounding. */
function seenSum(changes: readonly number[]): readonly [number, number] {
  const sum = exactSum(changes);
  const tie = tieShare * exactSum(changes.map((change) => Math.abs(change)));
  return [sum - tie, sum + tie];
}

function flipAll(changes: readonly number[]): PermutationP {
  const sizes = sizesOf(changes);
  const patterns = 2 ** sizes.length;
  const [low, high] = seenSum(changes);
  const [below, upTo] = [countAll(sizes, low) / patterns, countAll(sizes, high) / patterns];
  return { pLess: upTo, pMid: (below + upTo) / 2, exact: true };
}

/** Differences of equal size: only their signs matter. */
function flipSigns(changes: readonly number[]): PermutationP {
  const broke = changes.filter((change) => change < 0).length;
  const fixed = changes.length - broke;
  return { pLess: mcnemarExact(broke, fixed), pMid: mcnemarMidP(broke, fixed), exact: true };
}

function flipMultiples(changes: readonly number[]): PermutationP | undefined {
  const sizes = sizesOf(changes);
  const lattice = latticeOf(sizes);
  if (lattice === undefined) return undefined;
  const seen = lattice.total - sumOfDrops(changes, lattice.total / exactSum(sizes));
  const { below, upTo } = chancesUpTo(lattice, seen);
  return { pLess: upTo, pMid: (below + upTo) / 2, exact: true };
}

/** The observed pattern counts as one of the patterns too. */
function flipBySeed(changes: readonly number[]): PermutationP {
  const { below, upTo } = countSeeded(sizesOf(changes), seenSum(changes));
  const all = 1 + flips;
  return { pLess: (1 + upTo) / all, pMid: (1 + upTo + below) / 2 / all, exact: false };
}

/** The negative changes in units, without their sign. Up to rounding, the sum is a whole number. */
function sumOfDrops(changes: readonly number[], unitsPerSize: number): number {
  const drops = changes.filter((change) => change < 0).map((change) => -change);
  return Math.round(exactSum(drops) * unitsPerSize);
}

/** The differences that are not 0, as shares of the largest, so that huge ones do not overflow. */
function changesOf(differences: ArrayLike<number>): readonly number[] {
  if (differences.length === 0) return [];
  const { lowest, highest } = extent(differences);
  const largest = Math.max(-lowest, highest);
  const nothing = negligible(largest);
  return Array.from(differences)
    .filter((difference) => Math.abs(difference) > nothing)
    .map((difference) => difference / largest);
}

/**
 * Number of sign patterns that sum to `limit` or less. The sums of each half of the sizes are listed and sorted; the
 * larger a sum of one half is, the fewer sums of the other half fit with it.
 */
function countAll(sizes: readonly number[], limit: number): number {
  const half = sizes.length >> 1;
  const left = signedSums(sizes.slice(0, half));
  const right = signedSums(sizes.slice(half));
  let fitting = right.length;
  let count = 0;
  for (const sum of left) {
    while (fitting > 0 && sum + (right[fitting - 1] ?? 0) > limit) fitting -= 1;
    count += fitting;
  }
  return count;
}

/** All 2ᵏ sums, smallest first. */
function signedSums(sizes: readonly number[]): Float64Array {
  let sums = [0];
  for (const size of sizes) sums = sums.flatMap((sum) => [sum - size, sum + size]);
  return Float64Array.from(sums).toSorted();
}

/**
 * Number of seeded flips with a sum below the observed one, and with at most the observed one. One random bit per sign.
 */
function countSeeded(
  sizes: readonly number[],
  [low, high]: readonly [number, number],
): { readonly below: number; readonly upTo: number } {
  const random = sfc32(seed);
  const count = { below: 0, upTo: 0 };
  for (let flip = 0; flip < flips; flip += 1) {
    let sum = 0;
    let bits = 0;
    for (let i = 0; i < sizes.length; i += 1) {
      bits = i % 32 === 0 ? random() : bits >>> 1;
      const size = sizes[i] ?? 0;
      sum += (bits & 1) === 1 ? size : -size;
    }
    if (sum <= high) count.upTo += 1;
    if (sum <= low) count.below += 1;
  }
  return count;
}
