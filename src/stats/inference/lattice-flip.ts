/** Sizes as whole multiples of one unit. */
interface Lattice {
  readonly multiples: Int32Array;
  readonly total: number;
}

/** The finest unit to search for, as a part of the largest size. */
const finest = 10_000;
/** Limit of additions for an exact test: some hundredths of a second. */
const affordable = 20_000_000;
/** Allowed distance of a size from a whole multiple, in units: differences of scores are not exact in binary. */
const tolerance = 1e-7;

/**
 * The coarsest unit of which all sizes are multiples, and the multiples; undefined if no unit makes an exact test
 * affordable. Means over 5 repeats of 0/1 scores are multiples of 1/5, marks of a rubric of 1/4. The sizes are above 0,
 * in ascending order, and the last one is 1.
 */
export function latticeOf(sizes: readonly number[]): Lattice | undefined {
  const sum = sizes.reduce((total, size) => total + size, 0);
  const distinct = [...new Set(sizes)];
  const limit = Math.min(finest, affordable / (sizes.length * sum));
  for (let parts = 1; parts <= limit; parts += 1) {
    if (!distinct.every((size) => isWhole(size * parts))) continue;
    const multiples = Int32Array.from(sizes, (size) => Math.round(size * parts));
    return { multiples, total: multiples.reduce((total, multiple) => total + multiple, 0) };
  }
  return undefined;
}

function isWhole(multiple: number): boolean {
  const nearest = Math.round(multiple);
  return nearest >= 1 && Math.abs(multiple - nearest) <= tolerance;
}

/**
 * The chances that the multiples with a positive sign sum to less than `seen`, and to `seen` or less, if each sign is a fair coin: by dynamic
 * programming over the sums, P_k(s) = ½·P_{k−1}(s) + ½·P_{k−1}(s − m_k). Nothing is subtracted, so that a small
 * chance keeps its digits; one below the smallest double is 0.
 *
 * M. Pagano, D. Tritchler, "On Obtaining Permutation Distributions in Polynomial Time", JASA 78 (1983), 435–440.
 */
export function chancesUpTo(
  { multiples, total }: Lattice,
  seen: number,
): { readonly below: number; readonly upTo: number } {
  const chances = new Float64Array(total + 1);
  chances[0] = 1;
  let highest = 0;
  for (const multiple of multiples) {
    highest += multiple;
    for (let sum = highest; sum >= multiple; sum -= 1)
      chances[sum] = ((chances[sum] ?? 0) + (chances[sum - multiple] ?? 0)) / 2;
    for (let sum = multiple - 1; sum >= 0; sum -= 1) chances[sum] = (chances[sum] ?? 0) / 2;
  }
  // Summed from the tail inwards, so that small chances come first.
  let below = 0;
  for (let s = 0; s < seen; s += 1) below += chances[s] ?? 0;
  return { below: Math.min(1, below), upTo: Math.min(1, below + (chances[seen] ?? 0)) };
}
