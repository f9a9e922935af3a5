/**
 * The quantile of sorted values at share `p`: linear between the two nearest, with the lowest at 0 and the highest
 * at 1 (type 7 of R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50
 * (1996), 361–365; the default of R, NumPy and Excel). In the values' unit. Throws a RangeError for no values and
 * for a share outside [0, 1].
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const { below, share } = quantilePosition(p, sorted.length);
  return between(sorted[below] ?? 0, sorted[below + 1] ?? sorted[below] ?? 0, share);
}

/** Where a quantile of n values is: `share` of the way from the value at `below` (from 0) to the next. */
interface QuantilePosition {
  readonly below: number;
  readonly share: number;
}

/** See `quantile`. */
export function quantilePosition(p: number, n: number): QuantilePosition {
  if (n < 1 || !(p >= 0 && p <= 1))
    throw new RangeError(`a quantile needs values and a share from 0 to 1, not ${n} and ${p}`);
  const position = p * (n - 1);
  // 0.9·10 may be a bit below 9, and then the 9th value would be taken a bit.
  const nearest = Math.round(position);
  if (Math.abs(position - nearest) < 1e-9) return { below: nearest, share: 0 };
  const below = Math.floor(position);
  return { below, share: position - below };
}

/** From `lower`, `share` of the way to `upper`; without overflow, and exact where both are equal. */
export function between(lower: number, upper: number, share: number): number {
  if (share === 0 || lower === upper) return lower;
  return Number.isFinite(upper - lower)
    ? lower + share * (upper - lower)
    : lower * (1 - share) + upper * share;
}

/** Smallest first. Throws a RangeError for a value that is not finite. */
export function sortedOf(values: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(values).toSorted();
  // Infinities are sorted to the ends, NaN to the last place.
  if (!Number.isFinite(sorted[0] ?? 0) || !Number.isFinite(sorted.at(-1) ?? 0))
    throw new RangeError("only finite numbers have a quantile");
  return sorted;
}
