import type { Statistics, StratifiedAnswers } from "../../model/figures/statistics.ts";
import { dropTest } from "./drop-test.ts";
import { normalCdf } from "../distributions/normal.ts";
import { exactSum } from "../aggregates/sum.ts";
import { noiseOfWeights } from "./weighted-drop.ts";

/** Weights are tenths, so that sums of weighted answers are whole numbers. */
const steps = 10;
/** The p-value of the mean of the differences must be at most this many times alpha. */
const meanFactor = 2;
/** Limit of additions for an exact distribution; above it the sum of that many answers is approximately normal. */
const affordable = 20_000_000;

/**
 * The test of a drop from several earlier runs, for 0/1 answers: one stratum a case. Of its N = K + M answers, K of head and M of the
 * earlier runs, t are right; if nothing changed, any K of them could be head's, so that head's right ones are hypergeometric. Their
 * sum over the cases, each with the weight wᵢ, has an exact distribution: Cochran's and Mantel and Haenszel's test, with mid-p. wᵢ = c / (c + vᵢ), in tenths,
 * with vᵢ the variance of the case's N answers and c the mean of all vᵢ.
 *
 * That is about these cases: a change that makes some of them better and as many worse, for good, is no chance to it. So p is the largest of
 * three: this one, that of the weighted differences wᵢ·(KM/N)·dᵢ by `dropTest`, and half of that of the differences dᵢ.
 *
 * W. G. Cochran, "Some methods for strengthening the common χ² tests", Biometrics 10 (1954), 417–451; N. Mantel, W. Haenszel, Journal of
 * the National Cancer Institute 22 (1959), 719–748. undefined if no case has both right and wrong answers.
 */
export const stratifiedDropTest: Statistics["stratifiedDropTest"] = (answers) => {
  const strata = strataOf(answers);
  if (strata === undefined) return undefined;
  const { p, exact } = shuffledP(answers, strata);
  const weighted = dropTest(
    answers.map((each, i) => (strata[i]?.share ?? 0) * differenceOf(each)),
  ).p;
  const plain = dropTest(answers.map(differenceOf)).p;
  const test = exact ? "stratified_exact" : "stratified_large";
  return { test, p: Math.max(p, weighted, plain / meanFactor) };
};

/** Effect of the weights on the noise: see `weightedNoise`. */
export const stratifiedNoise: Statistics["stratifiedNoise"] = (answers, losses) => {
  const strata = strataOf(answers);
  if (strata === undefined) return undefined;
  const usual = exactSum(answers.map(varianceOf)) / answers.length;
  return noiseOfWeights(
    {
      differences: answers.map(differenceOf),
      weights: strata.map(({ share }) => share),
      // A case that broke for good has no right answer in head.
      broken: answers.map((each) => weigh({ ...each, right: 0 }, usual).share),
    },
    losses,
  );
};

interface Stratum {
  /** The weight in tenths. */
  readonly tenths: number;
  /** The weight of the difference between the two shares: the weight times KM/N. */
  readonly share: number;
}

function strataOf(answers: readonly StratifiedAnswers[]): readonly Stratum[] | undefined {
  if (answers.length === 0) return undefined;
  const usual = exactSum(answers.map(varianceOf)) / answers.length;
  return usual > 0 ? answers.map((each) => weigh(each, usual)) : undefined;
}

function weigh(answers: StratifiedAnswers, usual: number): Stratum {
  const { of, ofBefore } = answers;
  const tenths = Math.max(1, Math.round((steps * usual) / (usual + varianceOf(answers))));
  return { tenths, share: ((tenths / steps) * of * ofBefore) / (of + ofBefore) };
}

function varianceOf({ right, of, rightBefore, ofBefore }: StratifiedAnswers): number {
  const all = of + ofBefore;
  const share = (right + rightBefore) / all;
  return (share * (1 - share) * all) / (all - 1);
}

function differenceOf({ right, of, rightBefore, ofBefore }: StratifiedAnswers): number {
  return right / of - rightBefore / ofBefore;
}

function shuffledP(
  answers: readonly StratifiedAnswers[],
  strata: readonly Stratum[],
): { readonly p: number; readonly exact: boolean } {
  const open = answers.flatMap((each, i) => {
    const { tenths = 1 } = strata[i] ?? {};
    return varianceOf(each) > 0 ? [{ ...each, tenths }] : [];
  });
  const total = open.reduce((sum, { tenths, of }) => sum + tenths * of, 0);
  const work = (total / 2) * open.reduce((sum, { of }) => sum + of + 1, 0);
  return work <= affordable
    ? { p: exactP(open, total), exact: true }
    : { p: normalP(open), exact: false };
}

type Open = StratifiedAnswers & { readonly tenths: number };

/** The chance of a smaller sum, plus half of the chance of the observed sum. */
function exactP(open: readonly Open[], total: number): number {
  let chances = new Float64Array([1]);
  let highest = 0;
  for (const each of open) {
    const { tenths, of } = each;
    highest += tenths * of;
    const next = new Float64Array(highest + 1);
    for (const [right, chance] of headChances(each).entries())
      if (chance > 0)
        for (let sum = 0; sum < chances.length; sum += 1)
          next[sum + tenths * right] =
            (next[sum + tenths * right] ?? 0) + chance * (chances[sum] ?? 0);
    chances = next;
  }
  const seen = open.reduce((sum, { tenths, right }) => sum + tenths * right, 0);
  let below = 0;
  for (let sum = 0; sum < Math.min(seen, total + 1); sum += 1) below += chances[sum] ?? 0;
  return Math.min(1, below + (chances[seen] ?? 0) / 2);
}

/** The chance of each number of right answers in head: C(K, r)·C(M, t − r) / C(N, t). */
function headChances({ right, of, rightBefore, ofBefore }: Open): readonly number[] {
  const t = right + rightBefore;
  const ways = Array.from({ length: of + 1 }, (_, r) =>
    t - r < 0 || t - r > ofBefore ? 0 : choose(of, r) * choose(ofBefore, t - r),
  );
  const all = ways.reduce((sum, each) => sum + each, 0);
  return ways.map((each) => each / all);
}

function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= Math.min(k, n - k); i += 1) ways = (ways * (n - i + 1)) / i;
  return ways;
}

function normalP(open: readonly Open[]): number {
  let [deviation, variance] = [0, 0];
  for (const each of open) {
    const { tenths, right, of, rightBefore, ofBefore } = each;
    const all = of + ofBefore;
    deviation += tenths * (right - (of * (right + rightBefore)) / all);
    // Variance of a hypergeometric count: K·p(1 − p)·M/(N − 1), and the variance of the answers already includes N/(N −
    // 1).
    variance += tenths ** 2 * ((of * ofBefore) / all) * varianceOf(each);
  }
  return normalCdf(deviation / Math.sqrt(variance));
}
