import { binomialProbability } from "./binomial.ts";

/** A draw without replacement from a population with marked items. */
interface Hypergeometric {
  readonly population: number;
  readonly marked: number;
  readonly drawn: number;
}

/**
 * P(X ≥ found), X the number of marked items drawn: the one-sided exact test of R. A. Fisher (Statistical Methods for
 * Research Workers, 5th ed., 1934, § 21.02) for a table of two rows and two columns whose margins are given.
 *
 * The shorter tail is summed outwards from its first term, so that a small probability keeps its digits.
 */
export function hypergeometricAtLeast(found: number, draw: Hypergeometric): number {
  const { population, marked, drawn } = draw;
  const least = Math.max(0, drawn + marked - population);
  const most = Math.min(drawn, marked);
  if (found <= least) return 1;
  if (found > most) return 0;
  const expected = (drawn * marked) / population;
  return Math.min(
    1,
    found > expected
      ? sumOutwards(found, draw, { end: most, step: 1 })
      : 1 - sumOutwards(found - 1, draw, { end: least, step: -1 }),
  );
}

function sumOutwards(
  first: number,
  draw: Hypergeometric,
  { end, step }: { readonly end: number; readonly step: 1 | -1 },
): number {
  let term = probabilityOf(first, draw);
  let sum = term;
  for (let k = first; k !== end && term > sum * 1e-17; k += step) {
    term *= step === 1 ? odds(k, draw) : 1 / odds(k - 1, draw);
    sum += term;
  }
  return sum;
}

/** P(X = k + 1) / P(X = k). */
function odds(k: number, { population, marked, drawn }: Hypergeometric): number {
  return ((marked - k) / (k + 1)) * ((drawn - k) / (population - marked - drawn + k + 1));
}

/**
 * P(X = k), by three binomial probabilities whose large factors cancel.
 * C. Loader, "Fast and Accurate Computation of Binomial Probabilities", 2000.
 */
function probabilityOf(k: number, { population, marked, drawn }: Hypergeometric): number {
  const probability = drawn / population;
  if (probability === 1) return k === marked ? 1 : 0;
  const inside = binomialProbability(k, { trials: marked, probability });
  const outside = binomialProbability(drawn - k, { trials: population - marked, probability });
  return (inside * outside) / binomialProbability(drawn, { trials: population, probability });
}
