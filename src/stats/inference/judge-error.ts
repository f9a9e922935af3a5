import type { Figure, JudgedBits } from "../../model/figures/judge-calibration.ts";
import { clusterMeanOf } from "./cluster-t.ts";
import type { Interval, Statistics } from "../../model/figures/statistics.ts";
import type { RatedPair } from "../aggregates/agreement.ts";
import { mean, tInterval } from "../aggregates/mean.ts";
import { normalQuantile } from "../distributions/normal.ts";

const level = 0.95;
const z = normalQuantile((1 + level) / 2);

/** A mean of the judge's scores, with its standard error. */
interface JudgedMean {
  readonly value: number;
  readonly stderr: number | null;
  /** Number of cases in the mean. */
  readonly n: number;
}

/**
 * The mean that people would give, by labels of other samples than these: the judge's mean minus its bias, with both
 * errors in the interval. `share`: the judge's own part of the mean.
 *
 * A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic, *Prediction-powered inference*, Science 382
 * (2023), 669–674.
 */
export function withoutBias({ value, ci }: Figure, bias: Figure, share: number): Figure {
  const found = value - share * bias.value;
  if (ci === null || bias.ci === null) return { value: found, ci: null };
  const [below, above] = [bias.value - bias.ci[0], bias.ci[1] - bias.value].map(
    (each) => share * each,
  );
  return {
    value: found,
    ci: [
      found - Math.hypot(value - ci[0], above ?? 0),
      found + Math.hypot(ci[1] - value, below ?? 0),
    ],
  };
}

/**
 * The largest bias that labels may hide if all of them differ by the same amount, usually by nothing: the share of
 * labels that may differ by the metric's whole width without being seen, 1 − 0.025^(1/n), times that width.
 *
 * J. A. Hanley, A. Lippman-Hand, "If Nothing Goes Wrong, Is Everything All Right?", JAMA 249 (1983), 1743–1745.
 */
export function unseenBias(labels: number, width: number): number {
  return width * (1 - ((1 - level) / 2) ** (1 / labels));
}

/**
 * The share that people would call right, (p + Sp − 1) / (Se + Sp − 1). Its interval includes the errors of p, Se and
 * Sp, and adds as many labels as an interval of Agresti and Coull does: if people and judge never differed in a few
 * labels, Se and Sp are still not known to be 1. undefined if a kind has no label, or if the judge is no better than
 * chance.
 *
 * W. J. Rogan, B. Gladen, American Journal of Epidemiology 107 (1978), 71–76; Z. Lang, J. Reiczigel, *Confidence limits
 * for prevalence of disease adjusted for estimated sensitivity and specificity*, Preventive Veterinary Medicine 113
 * (2014), 13–22.
 */
export function trueShare({ value, stderr, n }: JudgedMean, bits: JudgedBits): Figure | undefined {
  const { rights, rights_seen, wrongs, wrongs_seen } = bits;
  if (rights === 0 || wrongs === 0) return undefined;
  const plain = corrected(value, rights_seen / rights, wrongs_seen / wrongs);
  if (plain === undefined) return undefined;
  const [se, sp] = [(rights_seen + 1) / (rights + 2), (wrongs_seen + 1) / (wrongs + 2)];
  const youden = se + sp - 1;
  if (stderr === null || youden <= 0) return { value: cut(plain), ci: [0, 1] };
  const cases = stderr > 0 ? (value * (1 - value)) / stderr ** 2 : n;
  const p = (value * cases + z ** 2 / 2) / (cases + z ** 2);
  const centre = (p + sp - 1) / youden;
  const ofSe = (se * (1 - se)) / (rights + 2);
  const ofSp = (sp * (1 - sp)) / (wrongs + 2);
  const shift = 2 * z ** 2 * (centre * ofSe - (1 - centre) * ofSp);
  const variance = (p * (1 - p)) / (cases + z ** 2) + (1 - centre) ** 2 * ofSp + centre ** 2 * ofSe;
  const reach = (z * Math.sqrt(variance)) / youden;
  const found = cut(plain);
  const [lower, upper] = [cut(centre + shift - reach), cut(centre + shift + reach)];
  return { value: found, ci: [Math.min(found, lower), Math.max(found, upper)] };
}

function corrected(share: number, sensitivity: number, specificity: number): number | undefined {
  const youden = sensitivity + specificity - 1;
  return youden > 0 ? (share + specificity - 1) / youden : undefined;
}

function cut(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/**
 * How much of a difference in people's scores appears in the judge's. For 0/1 scores Se + Sp − 1, with the interval of
 * Agresti and Caffo; otherwise the slope of the judge's scores over people's, with a standard error that is robust to
 * unequal spread, and to several samples of one case. undefined if people's scores are all alike; no interval if the
 * labels leave no residual.
 *
 * A. Agresti, B. Caffo, The American Statistician 54 (2000), 280–288; J. G. MacKinnon, H. White, Journal of
 * Econometrics 29 (1985), 305–325.
 */
export function judgeSlope(
  pairs: readonly (RatedPair & { readonly caseId: string })[],
  bits: JudgedBits | null,
): Figure | undefined {
  if (bits !== null) return slopeOfBits(bits);
  const people = pairs.map((pair) => pair.people);
  const judge = pairs.map((pair) => pair.judge);
  const n = pairs.length;
  const [x, y] = [n === 0 ? 0 : mean(people), n === 0 ? 0 : mean(judge)];
  const spread = people.reduce((sum, each) => sum + (each - x) ** 2, 0);
  if (spread <= 0) return undefined;
  const value =
    people.reduce((sum, each, i) => sum + (each - x) * ((judge[i] ?? 0) - y), 0) / spread;
  // The slope is a mean of these parts; the sums of their clusters give its standard error.
  const parts = people.map(
    (each, i) => (n * (each - x) * ((judge[i] ?? 0) - y - value * (each - x))) / spread,
  );
  const { stderr = 0, n: clusters } = clusterMeanOf({
    values: parts,
    clusters: pairs.map(({ caseId }) => caseId),
  });
  if (clusters < 3 || stderr <= 1e-12) return { value, ci: null };
  const interval = tInterval({ mean: value, stderr, n: clusters - 1 }, level);
  return { value, ci: interval === undefined ? null : [interval.lower, interval.upper] };
}

function slopeOfBits({ rights, rights_seen, wrongs, wrongs_seen }: JudgedBits): Figure | undefined {
  if (rights === 0 || wrongs === 0) return undefined;
  const value = rights_seen / rights + wrongs_seen / wrongs - 1;
  const [se, sp] = [(rights_seen + 1) / (rights + 2), (wrongs_seen + 1) / (wrongs + 2)];
  const reach = z * Math.sqrt((se * (1 - se)) / (rights + 2) + (sp * (1 - sp)) / (wrongs + 2));
  const centre = se + sp - 1;
  return {
    value,
    ci: [
      Math.min(value, Math.max(-1, centre - reach)),
      Math.max(value, Math.min(1, centre + reach)),
    ],
  };
}

/** A difference in the judge's scores, with its interval at a level. */
type JudgedDifference = Parameters<Statistics["peoplesDifference"]>[0];

/**
 * Converts a difference between two means of one judge's scores to people's scores: delta / slope. An error that
 * depends only on the answer, and not on the side, makes the judge's difference the slope times people's. The interval
 * is Fieller's with the half-widths of both intervals, which need not be symmetrical: all θ for which delta − θ·slope
 * is not shown to differ from 0. null if the slope's own interval reaches 0.
 *
 * E. C. Fieller, Journal of the Royal Statistical Society B 16 (1954), 175–185; A. Donner, G. Y. Zou, Statistical
 * Methods in Medical Research 21 (2012), 347–359.
 */
export const peoplesDifference: Statistics["peoplesDifference"] = (difference, slope) => {
  if (!(slope.value > 0)) return undefined;
  const value = difference.delta / slope.value + 0;
  if (difference.interval === null || slope.ci === null) return { value, ci: null };
  const scale = normalQuantile((1 + difference.level) / 2) / z;
  const below = (slope.value - slope.ci[0]) * scale;
  const above = (slope.ci[1] - slope.value) * scale;
  if (Math.max(below, above) >= slope.value) return { value, ci: null };
  const found = { ...difference, interval: difference.interval };
  const ends = [-1, 1].map((side) => fiellerEnd(found, { slope: slope.value, below, above }, side));
  const [lower = value, upper = value] = ends;
  return { value, ci: [Math.min(value, lower), Math.max(value, upper)] };
};

/** The smallest (side −1) or the largest θ: (delta − θ·slope)² = h² + θ²·w², with the half-widths that face it. */
function fiellerEnd(
  { delta, interval }: JudgedDifference & { readonly interval: Interval },
  { slope, below, above }: Readonly<Record<"slope" | "below" | "above", number>>,
  side: number,
): number {
  const h = side < 0 ? delta - interval.lower : interval.upper - delta;
  const rootWith = (w: number): number => {
    const a = slope ** 2 - w ** 2;
    const inner = (delta * slope) ** 2 - a * (delta ** 2 - h ** 2);
    return (delta * slope + side * Math.sqrt(Math.max(0, inner))) / a;
  };
  // At the lower end, a positive θ is bounded by the slope's upper half-width and a negative one by its lower half-width; at
  // the upper end it is the reverse.
  const positive = rootWith(side < 0 ? above : below);
  return positive >= 0 ? positive : rootWith(side < 0 ? below : above);
}

/** The part of alpha that covers the uncertainty of the slope. */
const slopeShare = 0.1;

/**
 * The part of a limit in people's scores that a judge's scores must show to rule out a drop: the limit times a lower
 * bound of the slope. The bound may fail with a tenth of alpha; the test gets the other nine tenths. The result is
 * never more than the limit itself. undefined if the labels give no bound.
 *
 * R. L. Berger, D. D. Boos, Journal of the American Statistical Association 89 (1994), 1012–1016.
 */
export const judgedMargin: Statistics["judgedMargin"] = ({ limit, alpha }, { ci }) => {
  if (ci === null || !(alpha > 0)) return undefined;
  const stderr = (ci[1] - ci[0]) / (2 * z);
  const bound = (ci[0] + ci[1]) / 2 - normalQuantile(1 - slopeShare * alpha) * stderr;
  return { margin: limit * Math.min(1, Math.max(0, bound)), alpha: (1 - slopeShare) * alpha };
};
