import type { Statistics } from "../domain/statistics.ts";
import { atMost, latticeOf } from "./lattice-flip.ts";
import { extent } from "./mean.ts";
import { negligible } from "./rounding.ts";
import { sfc32 } from "./sfc32.ts";
import { exactSum } from "./sum.ts";

const exactUpTo = 20;
const flips = 9_999;
/** Any constant does, as long as it stays: a run judged again must give the same p. */
const seed = [0x52656772, 0x61646520, 0x666c6970] as const;
/** Sums this close, as a share of all magnitudes, are equal: they differ by the order of adding only. */
const tieShare = 1e-9;

/**
 * The sign-flip permutation test on differences head − base, one a case: if nothing changed, each
 * difference could as well have had the other sign. `pLess` = P(sum ≤ the sum seen), ties included.
 *
 * Up to 20 differences that are not 0: exact, all 2ᵏ sign patterns counted. On 0/1 scores this is McNemar's
 * exact test. More of them are exact too where they are multiples of one unit, such as means over 5 repeats:
 * then the sums are few, and their distribution is computed. Else 9,999 seeded flips,
 * p = (1 + as extreme) / (1 + 9,999). All depend on the differences only, not on their order. No difference
 * but 0: p = 1.
 *
 * R. A. Fisher, "The Design of Experiments", 1935, §21; B. Phipson, G. K. Smyth, "Permutation p-values
 * should never be zero", Statistical Applications in Genetics and Molecular Biology 9 (2010), 39.
 */
export const signFlip: Statistics["signFlip"] = (differences) => {
  const changes = changesOf(differences);
  const sizes = changes.map((change) => Math.abs(change)).toSorted((x, y) => x - y);
  const lattice = sizes.length > exactUpTo ? latticeOf(sizes) : undefined;
  if (lattice) {
    const drops = sumOfDrops(changes, lattice.total / exactSum(sizes));
    return { pLess: atMost(lattice, lattice.total - drops), exact: true };
  }
  const total = exactSum(sizes);
  const limit = exactSum(changes) + tieShare * total;
  if (sizes.length > exactUpTo)
    return { pLess: (1 + countSeeded(sizes, limit)) / (1 + flips), exact: false };
  return { pLess: countAll(sizes, limit) / 2 ** sizes.length, exact: true };
};

/** The negative changes in units, without their sign. The sum is a whole number but for rounding. */
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
 * How many sign patterns sum to `limit` or less. The sums of each half of the sizes are listed and
 * sorted; the larger a sum of the one half, the fewer sums of the other go with it.
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

/** How many of the seeded flips sum to `limit` or less. One random bit a sign. */
function countSeeded(sizes: readonly number[], limit: number): number {
  const random = sfc32(seed);
  let count = 0;
  for (let flip = 0; flip < flips; flip += 1) {
    let sum = 0;
    let bits = 0;
    for (let i = 0; i < sizes.length; i += 1) {
      bits = i % 32 === 0 ? random() : bits >>> 1;
      const size = sizes[i] ?? 0;
      sum += (bits & 1) === 1 ? size : -size;
    }
    if (sum <= limit) count += 1;
  }
  return count;
}
