import { betaPower, betaQuantile } from "../../src/stats/distributions/beta.ts";
import { binomialAtMost, binomialProbability } from "../../src/stats/distributions/binomial.ts";
import { bisect } from "../../src/stats/distributions/bisect.ts";
import { mcnemarExact, mcnemarMidP } from "../../src/stats/inference/mcnemar.ts";
import { meanOf } from "../../src/stats/aggregates/mean.ts";
import { normalCdf, normalQuantile } from "../../src/stats/distributions/normal.ts";
import { signFlip } from "../../src/stats/inference/sign-flip.ts";
import { wilsonInterval } from "../../src/stats/inference/proportion.ts";

/**
 * Textbook methods that Regrade does not judge by, put together from the parts that it does judge by: where their
 * published numbers come out, the parts are right.
 */
interface Limits {
  readonly lower: number;
  readonly upper: number;
}

function z(level: number): number {
  return normalQuantile((1 + level) / 2);
}

function around(middle: number, reach: number): Limits {
  return { lower: middle - reach, upper: middle + reach };
}

export function wald(x: number, n: number, level: number): Limits {
  const p = x / n;
  return around(p, z(level) * Math.sqrt((p * (1 - p)) / n));
}

/** R. G. Newcombe, Statistics in Medicine 17 (1998), 857–872, method 4. */
export function wilsonCorrected(x: number, n: number, level: number): Limits {
  const [p, q, quantile] = [x / n, 1 - x / n, z(level)];
  const square = quantile * quantile;
  const low = quantile * Math.sqrt(square - 2 - 1 / n + 4 * p * (n * q + 1));
  const high = quantile * Math.sqrt(square + 2 - 1 / n + 4 * p * (n * q - 1));
  const scale = 2 * (n + square);
  return {
    lower: x === 0 ? 0 : Math.max(0, (2 * n * p + square - 1 - low) / scale),
    upper: x === n ? 1 : Math.min(1, (2 * n * p + square + 1 + high) / scale),
  };
}

export function betaLimits(shape: { a: number; b: number }, level: number): Limits {
  const tail = (1 - level) / 2;
  return {
    lower: betaQuantile(tail, shape),
    upper: 1 - betaQuantile(tail, { a: shape.b, b: shape.a }),
  };
}

export function jeffreys(x: number, n: number, level: number): Limits {
  const { lower, upper } = betaLimits({ a: x + 0.5, b: n - x + 0.5 }, level);
  return { lower: x === 0 ? 0 : lower, upper: x === n ? 1 : upper };
}

export function agrestiCoull(x: number, n: number, level: number): Limits {
  const square = z(level) ** 2;
  const p = (x + square / 2) / (n + square);
  return around(p, z(level) * Math.sqrt((p * (1 - p)) / (n + square)));
}

/** Upper tail with one degree of freedom. */
export function chiSquareTail(x: number): number {
  return 2 * normalCdf(-Math.sqrt(x));
}

export function mcnemarAsymptotic(b: number, c: number): Record<string, number> {
  const plain = b + c === 0 ? 0 : (b - c) ** 2 / (b + c);
  const corrected = b + c === 0 ? 0 : Math.max(0, Math.abs(b - c) - 1) ** 2 / (b + c);
  return {
    chi2: plain,
    chi2_p: chiSquareTail(plain),
    chi2_cc: corrected,
    chi2_cc_p: chiSquareTail(corrected),
  };
}

export interface Table {
  readonly n11: number;
  readonly n10: number;
  readonly n01: number;
  readonly n00: number;
}

/** Method 10 of R. G. Newcombe, Statistics in Medicine 17 (1998), 2635–2650. */
export function newcombePaired({ n11, n10, n01, n00 }: Table, level: number): Limits {
  const n = n11 + n10 + n01 + n00;
  const product = n11 * n00 - n10 * n01;
  const corrected = product > 0 ? Math.max(0, product - n / 2) : product;
  const margins = (n11 + n10) * (n01 + n00) * (n11 + n01) * (n10 + n00);
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  return newcombe({ x: n11 + n10, n }, { x: n11 + n01, n }, { level, phi });
}

export function newcombe(
  first: { x: number; n: number },
  second: { x: number; n: number },
  { level, phi }: { level: number; phi: number },
): Limits & { diff: number } {
  const [p, q] = [first.x / first.n, second.x / second.n];
  const one = wilsonInterval(first.x, first.n, level);
  const two = wilsonInterval(second.x, second.n, level);
  const reach = (a: number, b: number): number => Math.sqrt(a * a - 2 * phi * a * b + b * b);
  return {
    diff: p - q,
    lower: p - q - reach(p - one.lower, two.upper - q),
    upper: p - q + reach(one.upper - p, q - two.lower),
  };
}

/** Wald's interval of the paired difference; with half a pair more a cell it is Agresti and Min's. */
export function waldPaired(table: Table, level: number, more = 0): Limits & { diff: number } {
  const n = table.n11 + table.n10 + table.n01 + table.n00 + 4 * more;
  const [b, c] = [table.n10 + more, table.n01 + more];
  const diff = (b - c) / n;
  return { diff, ...around(diff, (z(level) * Math.sqrt(b + c - (b - c) ** 2 / n)) / n) };
}

/** Wilcoxon's signed-rank test is the sign-flip test of the signed ranks. */
export function wilcoxon(differences: readonly number[]): Record<string, number> {
  const sizes = differences.map(Math.abs);
  const rank = (size: number): number =>
    sizes.filter((other) => other < size).length +
    (sizes.filter((other) => other === size).length + 1) / 2;
  const ranks = differences.map((difference) => Math.sign(difference) * rank(Math.abs(difference)));
  const less = signFlip(ranks).pLess;
  const greater = signFlip(ranks.map((each) => -each)).pLess;
  return {
    W_plus: ranks.filter((each) => each > 0).reduce((sum, each) => sum + each, 0),
    n: ranks.length,
    p_two: Math.min(1, 2 * Math.min(less, greater)),
    p_less: less,
    p_greater: greater,
  };
}

/** The variance of a paired difference by the two sides' and their covariance. */
export function pairedVariance(a: readonly number[], b: readonly number[]): Record<string, number> {
  const [left, right] = [meanOf(a), meanOf(b)];
  const [seA, seB] = [left.stderr ?? Number.NaN, right.stderr ?? Number.NaN];
  const products = a.map((value, i) => (value - left.mean) * ((b[i] ?? 0) - right.mean));
  const cov = products.reduce((sum, product) => sum + product, 0) / (a.length - 1);
  const unpaired = seA ** 2 + seB ** 2;
  return {
    se_a: seA,
    se_b: seB,
    cov,
    se_unpaired: Math.sqrt(unpaired),
    se_paired: Math.sqrt(unpaired - (2 * cov) / a.length),
  };
}

export function hochberg(pValues: readonly number[]): number[] {
  return pValues.map((p) =>
    Math.min(
      1,
      ...pValues.filter((q) => q >= p).map((q) => q * (1 + pValues.filter((r) => r > q).length)),
    ),
  );
}

/** e-values of discordant pairs under a uniform mixture over (½, 1), and over (0, 1). */
export function evalues(broke: number, fixed: number): Record<string, number> {
  const n = broke + fixed;
  const chance = binomialProbability(broke, { trials: n, probability: 0.5 });
  const twoSided = 1 / ((n + 1) * chance);
  const regression = 2 * twoSided * binomialAtMost(broke, { trials: n + 1, probability: 0.5 });
  return {
    e_regression: regression,
    e_two_sided: twoSided,
    p_always_valid: Math.min(1, 1 / regression),
  };
}

/** The time-uniform interval of a proportion by a uniform mixture. */
export function uniformSequence(x: number, n: number, alpha: number): Limits {
  const shape = { a: x + 1, b: n - x + 1 };
  const inside = (p: number): boolean => p * (1 - p) < betaPower(shape, p, 1 - p) / alpha;
  const middle = x / n;
  return {
    lower: x === 0 ? 0 : bisect({ lower: 0, upper: middle }, (p) => !inside(p)),
    upper: x === n ? 1 : bisect({ lower: middle, upper: 1 }, inside),
  };
}

/** Twice the smaller one-sided p, at most 1. */
export function mcnemarExactTwoSided(broke: number, fixed: number): number {
  return Math.min(1, 2 * Math.min(mcnemarExact(broke, fixed), mcnemarExact(fixed, broke)));
}

/** Twice the smaller one-sided mid-p, at most 1. */
export function mcnemarMidPTwoSided(broke: number, fixed: number): number {
  return Math.min(1, 2 * Math.min(mcnemarMidP(broke, fixed), mcnemarMidP(fixed, broke)));
}

/** Pairs of a 0/1 metric: the chances that one breaks (1 → 0) and that one is fixed (0 → 1). */
interface Chances {
  readonly breaks: number;
  readonly fixes: number;
}

/**
 * How many pairs McNemar's test needs, not rounded: n = (z₁₋α·√ψ + z_power·√(ψ − D²))² / D², ψ = breaks + fixes,
 * D = breaks − fixes. One-sided; for a two-sided test hand in alpha / 2.
 *
 * R. J. Connor, Biometrics 43 (1987), 207–211. Throws a RangeError unless D > 0.
 */
export function pairsNeeded(
  { breaks, fixes }: Chances,
  { alpha, power = 0.8 }: { readonly alpha: number; readonly power?: number },
): number {
  const drop = breaks - fixes;
  if (!(drop > 0)) throw new RangeError(`only a drop above 0 can be proven, not ${drop}`);
  const discordant = breaks + fixes;
  const reach =
    normalQuantile(1 - alpha) * Math.sqrt(discordant) +
    normalQuantile(power) * Math.sqrt(discordant - drop * drop);
  return (reach / drop) ** 2;
}

/** `casesNeeded` the other way round, for a power of 0.8: (z₁₋α + z₀.₈)·√(variance per case / n). */
export function detectableDrop({
  perCaseVariance,
  n,
  alpha,
}: {
  readonly perCaseVariance: number;
  readonly n: number;
  readonly alpha: number;
}): number {
  const quantiles = normalQuantile(1 - alpha) + normalQuantile(0.8);
  return quantiles * Math.sqrt(perCaseVariance / n);
}
