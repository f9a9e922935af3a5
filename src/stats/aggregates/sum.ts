/**
 * The sum of the values, rounded once: the same bytes in whatever order they come, so that a run whose
 * samples finished in another order reports the same metrics. 0 for no values.
 *
 * J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates",
 * Discrete & Computational Geometry 18 (1997), 305–363; the same method as Python's `math.fsum`.
 * Values must be finite, and their sum must not overflow.
 */
export function exactSum(values: ArrayLike<number>): number {
  // Partial sums that do not overlap, smallest first. The exponents of a double leave room for about 40.
  const partials = new Float64Array(64);
  let used = 0;
  for (let i = 0; i < values.length; i += 1) used = add(partials, used, values[i] ?? 0);
  return rounded(partials, used);
}

/** Adds a value without losing a bit (Knuth's two-sum). Returns the new number of partial sums. */
function add(partials: Float64Array, used: number, value: number): number {
  let high = value;
  let kept = 0;
  for (let j = 0; j < used; j += 1) {
    const partial = partials[j] ?? 0;
    const sum = high + partial;
    const share = sum - high;
    const low = high - (sum - share) + (partial - share);
    if (low !== 0) {
      partials[kept] = low;
      kept += 1;
    }
    high = sum;
  }
  partials[kept] = high;
  return kept + 1;
}

/** The double nearest to the sum of the partial sums, ties to even. */
function rounded(partials: Float64Array, used: number): number {
  let left = used - 1;
  let high = partials[left] ?? 0;
  let low = 0;
  while (left > 0 && low === 0) {
    left -= 1;
    const partial = partials[left] ?? 0;
    const sum = high + partial;
    low = partial - (sum - high);
    high = sum;
  }
  // For sums half-way between two doubles, the lower digits decide the direction.
  const below = left > 0 ? (partials[left - 1] ?? 0) : 0;
  const twice = low * 2;
  if (low * below > 0 && high + twice - high === twice) return high + twice;
  return high;
}
