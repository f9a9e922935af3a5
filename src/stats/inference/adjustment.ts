/**
 * Holm's step-down adjustment, in the order of `pValues`: the k-th smallest p (from 0) times
 * (family − k), never less than the adjusted p before it, at most 1. It keeps the chance of one false
 * alarm in the whole family below alpha, whatever the dependence between the comparisons.
 *
 * `family` counts the comparisons that were declared. Those that could not be made have no p here and
 * count as if they had the largest, so that a metric that went missing does not make the others easier
 * to fail on. A family is never smaller than its p-values.
 *
 * S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
 * Statistics 6 (1979), 65–70.
 */
export function holm(pValues: readonly number[], family: number): readonly number[] {
  const size = Math.max(family, pValues.length);
  const order = [...pValues.entries()].toSorted(([, p], [, other]) => p - other);
  const adjusted = pValues.map(() => 1);
  let highest = 0;
  for (const [rank, [position, p]] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (size - rank) * p));
    adjusted[position] = highest;
  }
  return adjusted;
}

/**
 * Benjamini and Hochberg's step-up adjustment, in the order of `pValues`: the k-th smallest of m (from 1) times m / k,
 * never more than the adjusted p after it, at most 1. Among those at most q, a share of at most q is false on average:
 * enough for an informative list, too little for blocking, which uses Holm's.
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
