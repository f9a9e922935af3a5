/**
 * Benjamini and Hochberg's step-up adjustment, in the order of `pValues`: the k-th smallest of m (from 1) times m / k,
 * never more than the adjusted p after it, at most 1. Those at most q hold a share of at most q of false ones, on
 * average: enough for a list of what moved, too little for what blocks, which is Holm's.
 *
 * Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate", Journal of the Royal Statistical Society B 57
 * (1995), 289–300. Holds for independent and for positively dependent p-values.
 */
export function benjaminiHochberg(pValues: readonly number[]): readonly number[] {
  const size = pValues.length;
  const largestFirst = [...pValues.entries()].toSorted(([, p], [, other]) => other - p);
  const adjusted = pValues.map(() => 1);
  let lowest = 1;
  for (const [after, [position, p]] of largestFirst.entries()) {
    lowest = Math.min(lowest, (p * size) / (size - after));
    adjusted[position] = lowest;
  }
  return adjusted;
}
