import type {
  Interval,
  Noise,
  Noninferiority,
  RepeatedDifferences,
  Statistics,
  PairedTest,
  NoninferiorityQuestion,
} from "../../model/figures/statistics.ts";
import type { Changes } from "./changes.ts";
import type { PairedQuestion } from "./compare.ts";
import type { Pairs } from "../pairing/pairs.ts";

/** Result of a test of the gains; below 0 is worse, whatever the metric's direction. */
interface Tested {
  /** Gain of head, in the metric's unit. */
  readonly gain: number;
  readonly interval: Interval | null;
  readonly test: PairedTest | null;
  readonly p: number | null;
  readonly shown: boolean | null;
  /** Noise that a drop has to exceed; null if it is unknown, or if nothing has to be proven. */
  readonly noise: Noise | null;
}

interface Testable {
  /** head − base, or base − head if lower is better: below 0 is worse. */
  readonly gains: readonly number[];
  readonly changes: Changes;
  readonly pairs: Pairs;
  readonly question: PairedQuestion;
}

/**
 * Tests the gains. The scores decide which test is used, not the metric's name (`dropTest`): McNemar's test and Tango's
 * interval for 0/1 scores of cases; sign flips or the paired t for others; a cluster-robust t, or flips of whole
 * clusters, for cases in clusters. Aggregations other than means are tested by swapping both sides within cases.
 */
export function testGains(data: Testable, statistics: Statistics): Tested {
  const { question, pairs, changes } = data;
  if (question.aggregation !== "mean") return testAggregation(data, statistics);
  const gain = statistics.mean(data.gains);
  if (question.prove === "nothing") return { ...nothing, gain };
  const isBits = changes.fractional === 0 && pairs.clusters === undefined;
  return { gain, ...(isBits ? testBits(data, statistics) : testMeans(data, statistics)) };
}

const nothing = { interval: null, test: null, p: null, shown: null, noise: null } as const;

function testBits(
  { gains, changes, question }: Testable,
  statistics: Statistics,
): Omit<Tested, "gain"> {
  const n = gains.length;
  const { broke, fixed } = changes;
  const counts = { broke, fixed, n };
  return {
    test: "mcnemar_midp",
    p: finite(statistics.mcnemarMidP(broke, fixed)),
    interval: finiteInterval(statistics.tangoInterval(counts, levelOf(question))),
    noise: { n, variance: changeRate(changes, n), bits: true, lost: 1, clusters: null, design: 1 },
    shown: isShown(question, (asked) => statistics.noninferiorityTango(counts, asked)),
  };
}

/**
 * ψ, the share of cases that change if nothing changed. It is estimated from few cases, so a quarter of a case is
 * added: a drop is proven less often if ψ is larger than was seen, by more than it is proven more often if ψ is smaller
 * (scripts/simulate-gates.ts).
 */
function changeRate({ broke, fixed }: Changes, n: number): number {
  return Math.min(1, (broke + fixed + 0.25) / n);
}

function testMeans(data: Testable, statistics: Statistics): Omit<Tested, "gain"> {
  const { gains, pairs, question } = data;
  const { clusters } = pairs;
  const { test, p } = testDrop(data, statistics);
  const tested = { test, p: finite(p) };
  const n = gains.length;
  const clustered = clusters && { values: gains, clusters };
  const level = levelOf(question);
  const t = clustered
    ? statistics.clusterT(clustered, level)
    : n > 1
      ? statistics.pairedT(gains, level)
      : undefined;
  const noise = noiseOf(data, t?.stderr, statistics);
  const unasked = question.prove === "no_drop" ? false : null;
  if (n < 2) return { ...tested, interval: null, noise, shown: unasked };
  const asked = unasked === null ? question : { ...question, width: widthOf(question, pairs) };
  const isNear = isShown(asked, (each) => statistics.noninferiorityT(clustered ?? gains, each));
  const shown =
    isNear === true && test.startsWith("cluster_flip") ? isFar(data, statistics) : isNear;
  return { ...tested, interval: finiteInterval(t?.interval), noise, shown };
}

/**
 * The test for a drop. Repeats weight the cases only if a drop has to be proven, and only without clusters. "No drop"
 * is about the mean, whose interval shows it.
 */
function testDrop(data: Testable, statistics: Statistics): ReturnType<Statistics["dropTest"]> {
  const { gains, pairs } = data;
  const [repeated, answers] = [repeatedOf(data), answersOf(data)];
  const weighted =
    (repeated && statistics.weightedDropTest(repeated)) ??
    (answers && statistics.stratifiedDropTest(answers));
  return weighted ?? statistics.dropTest(gains, pairs.clusters);
}

/** Right and wrong answers of each pair. "Right" means better: if lower is better, wrong answers count as right. */
function answersOf({ pairs, question }: Testable): Pairs["answers"] {
  const { answers, clusters } = pairs;
  if (clusters !== undefined || question.prove !== "drop") return undefined;
  if (question.worse === "lower") return answers;
  return answers?.map(({ right, of, rightBefore, ofBefore }) => ({
    right: of - right,
    of,
    rightBefore: ofBefore - rightBefore,
    ofBefore,
  }));
}

function repeatedOf({ gains, pairs, question }: Testable): RepeatedDifferences | undefined {
  const { within, clusters } = pairs;
  const isWeighted = within !== undefined && clusters === undefined && question.prove === "drop";
  return isWeighted ? { differences: gains, within } : undefined;
}

/**
 * True if flips of whole clusters also show that the loss is smaller than the limit. With few clusters, or one that is
 * much larger than the others, the interval of the t test is too narrow.
 */
function isFar({ gains, pairs, question }: Testable, statistics: Statistics): boolean {
  const { margin, alpha } = shownBy(question);
  const above = gains.map((gain) => -(gain + margin));
  return statistics.dropTest(above, pairs.clusters).p < alpha;
}

/** Noise of the differences. Scores of a 0/1 metric over several repeats break as a whole, like 0/1 scores. */
function noiseOf(data: Testable, stderr: number | undefined, statistics: Statistics): Noise {
  const { gains, pairs, changes, question } = data;
  const n = gains.length;
  const variance = (stderr ?? 0) ** 2 * n;
  const isShare = question.scale === "binary" || changes.fractional === 0;
  const lost = isShare ? meanLost(pairs, question) : 0;
  const common = { n, variance, bits: false, lost };
  if (pairs.clusters === undefined) {
    const weights = weightsOf(data, isShare, statistics);
    return { ...common, clusters: null, design: 1, ...(weights && { weights }) };
  }
  const clusters = countClusters(pairs.clusters);
  const apart = n > 1 ? (statistics.pairedT(gains, anyLevel).stderr ?? 0) ** 2 * n : 0;
  return { ...common, clusters, design: designEffect({ variance, apart, n }, clusters) };
}

/** Weight of the guessed design effect, as a number of clusters. */
const guessed = 5;

/**
 * Design effect: how many times larger the variance is than with independent cases, which is 1 + (m − 1)·ρ for m cases
 * per cluster that share ρ of their variance. A few clusters with few changed cases say little about it, so the
 * estimate is combined with a guess, ρ = ½.
 */
function designEffect(
  { variance, apart, n }: { readonly variance: number; readonly apart: number; readonly n: number },
  clusters: NonNullable<Noise["clusters"]>,
): number {
  const guess = guessedDesign(n, clusters);
  const seen = apart === 0 ? guess : Math.max(1, variance / apart);
  const known = clusters.count - 1;
  return (known * seen + guessed * guess) / (known + guessed);
}

/** The design effect of n cases in clusters without observed changes. */
export function guessedDesign(n: number, clusters: Noise["clusters"]): number {
  if (clusters === null) return 1;
  return (1 + n / Math.sqrt(clusters.count * clusters.effective)) / 2;
}

/** Level of an interval that is not used. */
const anyLevel = 0.9;

function weightsOf(data: Testable, isShare: boolean, statistics: Statistics): Noise["weights"] {
  const [repeated, answers] = [repeatedOf(data), answersOf(data)];
  const losses = isShare ? lossesOf(data.pairs, data.question) : undefined;
  return (
    (repeated && statistics.weightedNoise(repeated, losses)) ??
    (answers && statistics.stratifiedNoise(answers, losses))
  );
}

/** The largest possible loss of each of the baseline's cases. */
function lossesOf({ before }: Pairs, { worse }: PairedQuestion): readonly number[] {
  return worse === "lower" ? before : before.map((score) => 1 - score);
}

/** The mean square of the possible losses divided by their mean; 1 if there are none. */
function meanLost(pairs: Pairs, question: PairedQuestion): number {
  let [sum, squares] = [0, 0];
  for (const lost of lossesOf(pairs, question)) {
    sum += lost;
    squares += lost * lost;
  }
  return sum > 0 ? squares / sum : 1;
}

/** Tests a median, a percentile, a sum or a spread of the cases' scores. The result is NaN if there is none. */
function testAggregation(data: Testable, statistics: Statistics): Tested {
  const { pairs, question } = data;
  const { aggregation, limit, prove } = question;
  const { before, after, clusters } = pairs;
  const n = after.length;
  const sides = { before, after, ...(clusters && { clusters }) };
  const sign = question.worse === "lower" ? 1 : -1;
  const found = statistics.aggregateChange(sides, aggregation, levelOf(question));
  if (found === undefined) return { ...nothing, gain: Number.NaN };
  const gain = sign * found.delta + 0;
  if (prove === "nothing") return { ...nothing, gain };
  const interval = turn(finiteInterval(found.interval), sign);
  const variance = (found.stderr ?? 0) ** 2 * n;
  const counted = clusters === undefined ? null : countClusters(clusters);
  return {
    gain,
    interval,
    test: found.test,
    p: finite(sign === 1 ? found.pLess : found.pGreater),
    noise: { n, variance, bits: false, lost: 0, clusters: counted, design: 1 },
    shown:
      prove === "no_drop"
        ? (interval?.lower ?? Number.NEGATIVE_INFINITY) > -limit && isSumShown(data, statistics)
        : null,
  };
}

/**
 * True if "no drop" is shown for a sum. The condition is that of its mean, which requires more than an interval if
 * hardly any case changed.
 */
function isSumShown({ gains, pairs, question }: Testable, statistics: Statistics): boolean {
  if (question.aggregation !== "sum") return true;
  const { clusters } = pairs;
  const { margin, alpha } = shownBy(question);
  const perCase = { ...question, shows: { margin: margin / gains.length, alpha } };
  const clustered = clusters && { values: gains, clusters };
  const ask = (asked: NoninferiorityQuestion): Noninferiority =>
    statistics.noninferiorityT(clustered ?? gains, asked);
  return isShown({ ...perCase, width: widthOf(question, pairs) }, ask) === true;
}

/**
 * How far a case can fall. Without a declared range it is as far from 0 as the scores that were seen; undefined if all
 * are 0.
 */
function widthOf({ width }: PairedQuestion, { before, after }: Pairs): number | undefined {
  if (width !== undefined) return width;
  let [lowest, highest] = [0, 0];
  for (const score of [...before, ...after])
    [lowest, highest] = [Math.min(lowest, score), Math.max(highest, score)];
  return highest > lowest && Number.isFinite(highest - lowest) ? highest - lowest : undefined;
}

/** Number of clusters, and their effective number. A case without a cluster is its own cluster. */
export function countClusters(
  clusters: readonly (string | null)[],
): NonNullable<Noise["clusters"]> {
  const sizes = new Map<string, number>();
  let alone = 0;
  for (const cluster of clusters) {
    if (cluster === null) alone += 1;
    else sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  }
  let squares = alone;
  for (const size of sizes.values()) squares += size * size;
  return { count: sizes.size + alone, effective: clusters.length ** 2 / squares };
}

/**
 * True if the loss is shown to be smaller than the limit; null if that was not requested. With a limit of 0 it can
 * never be shown.
 */
function isShown(
  question: PairedQuestion,
  ask: (asked: NoninferiorityQuestion) => Noninferiority,
): boolean | null {
  const { prove, width } = question;
  if (prove !== "no_drop") return null;
  const { margin, alpha } = shownBy(question);
  if (margin <= 0) return false;
  return ask({ margin, alpha, ...(width !== undefined && { width }) }).shown;
}

/** The part of the limit that has to be shown, and the alpha for it. */
function shownBy({ limit, alpha, shows }: PairedQuestion): NonNullable<PairedQuestion["shows"]> {
  return shows ?? { margin: limit, alpha };
}

function levelOf({ alpha }: PairedQuestion): number {
  return Math.max(0, 1 - 2 * alpha);
}

/** The interval of the negated difference. */
export function turn(interval: Interval | null, sign: 1 | -1): Interval | null {
  if (interval === null || sign === 1) return interval;
  return { lower: -interval.upper + 0, upper: -interval.lower + 0 };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function finiteInterval(interval: Interval | undefined): Interval | null {
  if (interval === undefined) return null;
  return Number.isFinite(interval.lower) && Number.isFinite(interval.upper) ? interval : null;
}
