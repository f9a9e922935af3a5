import type { Statistics } from "../../model/figures/statistics.ts";
import { mean } from "./mean.ts";

/** Repeats of a case: `passed` of `n`, and how many are asked about. */
interface Attempts {
  readonly n: number;
  readonly passed: number;
  readonly k: number;
}

/**
 * pass@k: the chance that at least one of k attempts is passed, estimated without bias from n of them:
 * 1 − C(n − c, k) / C(n, k) = 1 − Π_{i = n−c+1…n} (1 − k/i).
 *
 * M. Chen et al., "Evaluating Large Language Models Trained on Code", 2021, arXiv:2107.03374, §2.1.
 * Throws a RangeError unless 1 ≤ k ≤ n and 0 ≤ passed ≤ n.
 */
function passAtK(attempts: Attempts): number {
  checkAttempts(attempts);
  const { n, passed, k } = attempts;
  let allFailed = 1;
  for (let i = n - passed + 1; i <= n; i += 1) allFailed *= Math.max(0, 1 - k / i);
  return 1 - allFailed;
}

/**
 * pass^k: the chance that all of k attempts are passed, estimated without bias: C(c, k) / C(n, k). The alternative
 * (c/n)ᵏ, which is also in use, is too high on average.
 *
 * S. Yao et al., "τ-bench", 2024, arXiv:2406.12045, §3. Throws as `passAtK` does.
 */
function passHatK(attempts: Attempts): number {
  checkAttempts(attempts);
  const { n, passed, k } = attempts;
  let allPassed = 1;
  for (let i = 0; i < k; i += 1) allPassed *= Math.max(0, passed - i) / (n - i);
  return allPassed;
}

function checkAttempts({ n, passed, k }: Attempts): void {
  if ([n, passed, k].every(Number.isSafeInteger) && k >= 1 && k <= n && passed >= 0 && passed <= n)
    return;
  throw new RangeError(`${k} of ${n} attempts, ${passed} of them passed, can't be asked about`);
}

/**
 * The score of a case from the scores of its repeats, independent of their order. Without a score, and for `pass_at_k`,
 * `pass_hat_k` and `at_least_k` with fewer than k, it is undefined: an attempt that was not made is neither passed nor
 * failed. A repeat is passed with a score of `pass` or more, up to rounding.
 *
 * `mode`: the most frequent score; if there are several, their mean, which favours no side. `max`: the highest score.
 */
export const reduceRepeats: Statistics["reduceRepeats"] = (scores, reducer) => {
  const n = scores.length;
  if (n === 0) return undefined;
  switch (reducer.kind) {
    case "mean":
      return mean(scores);
    case "mode":
      return mode(scores);
    case "max":
      return scores.reduce((highest, score) => Math.max(highest, score));
    case "pass_at_k":
      return n < reducer.k ? undefined : passAtK(attemptsOf(scores, reducer));
    case "pass_hat_k":
      return n < reducer.k ? undefined : passHatK(attemptsOf(scores, reducer));
    case "at_least_k":
      if (n < reducer.k) return undefined;
      return attemptsOf(scores, reducer).passed >= reducer.k ? 1 : 0;
  }
};

function attemptsOf(
  scores: readonly number[],
  { k, pass }: { readonly k: number; readonly pass: number },
): Attempts {
  const enough = pass - 1e-9 * Math.max(1, Math.abs(pass));
  return { n: scores.length, passed: scores.filter((score) => score >= enough).length, k };
}

function mode(scores: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const score of scores) counts.set(score, (counts.get(score) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return mean([...counts].filter(([, count]) => count === most).map(([score]) => score));
}
