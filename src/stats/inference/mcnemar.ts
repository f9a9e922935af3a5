import { binomialAtLeast, binomialProbability } from "../distributions/binomial.ts";

/**
 * McNemar's exact test, one-sided for a regression: P(X ≥ broke), X ~ Bin(broke + fixed, ½). Swap the arguments to test
 * an improvement. Without any discordant pair p is 1, which is a result too.
 *
 * Q. McNemar, Psychometrika 12 (1947), 153–157. Checked up to a million discordant pairs; a p below the smallest double
 * is 0.
 */
export function mcnemarExact(broke: number, fixed: number): number {
  if (broke + fixed === 0) return 1;
  return binomialAtLeast(broke, { trials: broke + fixed, probability: 0.5 });
}

/**
 * The mid-p version, one-sided for a regression: P(X ≥ broke) − ½·P(X = broke). Swap the arguments to test an
 * improvement; the two results then add up to 1. Without a discordant pair p is 1.
 *
 * M. W. Fagerland, S. Lydersen, P. Laake, "The McNemar test for binary matched-pairs data: mid-p and asymptotic are
 * better than exact conditional", BMC Medical Research Methodology 13:91 (2013).
 */
export function mcnemarMidP(broke: number, fixed: number): number {
  const trials = broke + fixed;
  if (trials === 0) return 1;
  const half = { trials, probability: 0.5 };
  return binomialAtLeast(broke, half) - binomialProbability(broke, half) / 2;
}
