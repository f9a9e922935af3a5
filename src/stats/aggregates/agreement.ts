import { bootstrap, describe } from "../inference/bootstrap.ts";
import { mean } from "./mean.ts";
import { normalQuantile } from "../distributions/normal.ts";

/** Two ratings of the same thing. */
export interface RatedPair {
  readonly judge: number;
  readonly people: number;
}

/** A figure with its 95 % interval; null for the interval if the data give none. */
interface Estimated {
  readonly value: number;
  readonly ci: readonly [number, number] | null;
}

const level = 0.95;
const z = normalQuantile((1 + level) / 2);

/**
 * Cohen's kappa of ratings by kinds: (pₒ − pₑ) / (1 − pₑ), with pₒ the share of equal ratings and pₑ the share that two
 * raters would have in common by chance. Its interval is normal with the standard error of Fleiss, Cohen and Everitt.
 * undefined if both rated everything as the same kind.
 *
 * J. Cohen, Educational and Psychological Measurement 20 (1960), 37–46; J. L. Fleiss, J. Cohen, B. S. Everitt,
 * Psychological Bulletin 72 (1969), 323–327.
 */
export function cohenKappa(pairs: readonly RatedPair[]): Estimated | undefined {
  const n = pairs.length;
  const kinds = [...new Set(pairs.flatMap(({ judge, people }) => [judge, people]))];
  const part = (of: (pair: RatedPair) => boolean): number => pairs.filter(of).length / n;
  const rows = kinds.map((kind) => part(({ people }) => people === kind));
  const columns = kinds.map((kind) => part(({ judge }) => judge === kind));
  const alike = part(({ judge, people }) => judge === people);
  const chance = kinds.reduce((sum, _, i) => sum + (rows[i] ?? 0) * (columns[i] ?? 0), 0);
  if (n === 0 || chance >= 1) return undefined;
  const kappa = (alike - chance) / (1 - chance);
  let spread = 0;
  for (const [i, row] of kinds.entries())
    for (const [j, column] of kinds.entries()) {
      const share = part(({ judge, people }) => people === row && judge === column);
      const expected = (columns[i] ?? 0) + (rows[j] ?? 0);
      const term =
        i === j ? 1 - expected * (1 - kappa) : (1 - kappa) * ((columns[i] ?? 0) + (rows[j] ?? 0));
      spread += share * term ** 2;
    }
  const variance = (spread - (kappa - chance * (1 - kappa)) ** 2) / ((1 - chance) ** 2 * n);
  // Ratings that never differ show no spread, but that does not prove that they never will.
  if (alike === 1) return { value: kappa, ci: null };
  const reach = z * Math.sqrt(Math.max(0, variance));
  return { value: kappa, ci: [Math.max(-1, kappa - reach), Math.min(1, kappa + reach)] };
}

const draws = 2_000;
/** The seed may be any constant, but must not change. */
const seed = [0x616c7068, 0x61206f66, 0x206b7269] as const;

/**
 * Krippendorff's alpha of ratings on a scale of numbers, 1 − Dₒ / Dₑ with squared differences: Dₒ between the ratings
 * of one unit, Dₑ between all. A unit may have any number of ratings; units with fewer than two are ignored. The
 * interval comes from resampling the units 2,000 times with a seed. undefined if no unit has two ratings, or if all
 * ratings are the same.
 *
 * K. Krippendorff, "Content Analysis", 3rd ed. (2013), §12.
 */
export function krippendorffAlpha(ratings: readonly (readonly number[])[]): Estimated | undefined {
  const units = ratings.filter((unit) => unit.length >= 2);
  if (units.length === 0) return undefined;
  const parts = units.map(partsOf);
  const value = alphaOf(parts, new Int32Array(units.length).fill(1));
  if (value === undefined) return undefined;
  if (units.length < 2 || value === 1) return { value, ci: null };
  const drawn = bootstrap(
    { units: units.length, draws, seed },
    (counts) => alphaOf(parts, counts) ?? 1,
  );
  const { lower, upper } = describe(drawn, level).interval;
  return { value, ci: [lower, upper] };
}

interface UnitParts {
  readonly n: number;
  readonly sum: number;
  readonly squares: number;
  /** Sum of the squared differences within the unit, over n − 1. */
  readonly within: number;
}

function partsOf(unit: readonly number[]): UnitParts {
  const n = unit.length;
  const centre = mean(unit);
  const sum = unit.reduce((total, rating) => total + rating, 0);
  const squares = unit.reduce((total, rating) => total + rating * rating, 0);
  const spread = unit.reduce((total, rating) => total + (rating - centre) ** 2, 0);
  // Over ordered pairs Σ(x − y)² = 2n·Σ(x − mean)².
  return { n, sum, squares, within: (2 * n * spread) / (n - 1) };
}

function alphaOf(parts: readonly UnitParts[], counts: Int32Array): number | undefined {
  let [n, sum, squares, observed] = [0, 0, 0, 0];
  for (const [i, part] of parts.entries()) {
    const times = counts[i] ?? 0;
    n += times * part.n;
    sum += times * part.sum;
    squares += times * part.squares;
    observed += times * part.within;
  }
  const expected = (2 * (n * squares - sum * sum)) / (n - 1);
  return expected > 1e-12 ? 1 - observed / expected : undefined;
}

/** A judge's scores of all samples, and both the judge's and people's scores of some of them. */
interface Judged {
  readonly all: readonly number[];
  readonly pairs: readonly RatedPair[];
}

/**
 * The mean that people would give, from the judge's scores of all N samples and people's scores of n of them: the
 * judge's mean minus its mean error, J̄ − (J̄ₙ − H̄ₙ). Var = s²_J/N + s²_e/n − 2·cov(J, e)/N with e = J − H, because
 * the n are some of the N; if they are all, the variance is that of the people's mean. undefined for fewer than two.
 *
 * A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic, *Prediction-powered inference*, Science 382
 * (2023), 669–674.
 */
export function predictionPowered({ all, pairs }: Judged): Estimated | undefined {
  const [N, n] = [all.length, pairs.length];
  if (n < 2 || N < 2) return undefined;
  const errors = pairs.map(({ judge, people }) => judge - people);
  const value = mean(all) - mean(errors);
  const judged = pairs.map(({ judge }) => judge);
  const variance =
    covariance(all, all) / N +
    covariance(errors, errors) / n -
    (2 * covariance(judged, errors)) / N;
  const reach = z * Math.sqrt(Math.max(0, variance));
  return { value, ci: [value - reach, value + reach] };
}

function covariance(xs: readonly number[], ys: readonly number[]): number {
  const [x, y] = [mean(xs), mean(ys)];
  return xs.reduce((sum, each, i) => sum + (each - x) * ((ys[i] ?? 0) - y), 0) / (xs.length - 1);
}

/**
 * The share that is truly right, for a judge of 0 and 1 whose errors are known: (p + Sp − 1) / (Se + Sp − 1), with p
 * the judge's share of 1, Se its share of 1 among those that people call 1, Sp its share of 0 among those that they
 * call 0; the interval by the delta method, cut to [0, 1]. undefined if a kind has no label, or if the judge is no
 * better than chance.
 *
 * W. J. Rogan, B. Gladen, American Journal of Epidemiology 107 (1978), 71–76.
 */
export function roganGladen({ all, pairs }: Judged): Estimated | undefined {
  const rights = pairs.filter(({ people }) => people === 1);
  const wrongs = pairs.filter(({ people }) => people === 0);
  if (rights.length === 0 || wrongs.length === 0 || all.length === 0) return undefined;
  const sensitivity = rights.filter(({ judge }) => judge === 1).length / rights.length;
  const specificity = wrongs.filter(({ judge }) => judge === 0).length / wrongs.length;
  const youden = sensitivity + specificity - 1;
  if (!(youden > 0)) return undefined;
  const share = mean(all);
  const value = cut((share + specificity - 1) / youden);
  const variance =
    ((share * (1 - share)) / all.length +
      ((1 - value) ** 2 * specificity * (1 - specificity)) / wrongs.length +
      (value ** 2 * sensitivity * (1 - sensitivity)) / rights.length) /
    youden ** 2;
  const reach = z * Math.sqrt(variance);
  return { value, ci: [cut(value - reach), cut(value + reach)] };
}

function cut(share: number): number {
  return Math.min(1, Math.max(0, share));
}
