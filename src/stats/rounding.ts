/**
 * Below this, a difference between scores is a rounding error of binary arithmetic (0.1 + 0.2 − 0.3). In the unit of
 * the scores, which are of the order of 1; for larger numbers, a share.
 */
const roundingError = 1e-12;

/** Largest value that counts as 0 among differences whose largest has the size `largest`. */
export function negligible(largest: number): number {
  return roundingError * Math.max(1, largest);
}
