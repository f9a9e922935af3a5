import type { Interval, Noninferiority, Statistics } from "../domain/statistics.ts";
import type { PairedTest } from "../domain/run.ts";
import type { Changes } from "./changes.ts";
import type { Question } from "./compare.ts";
import type { Pairs } from "./pairs.ts";

/** What a test says of the gains; below 0 is worse, whatever the metric's direction. */
export interface Tested {
  /** How much better head is, in the metric's unit. */
  readonly gain: number;
  readonly interval: Interval | null;
  readonly test: PairedTest | null;
  readonly p: number | null;
  readonly shown: boolean | null;
  readonly mde: number | null;
  /** How many clusters the cases are in; null where each is one of its own. */
  readonly clusters: number | null;
}

export interface Testable {
  /** head − base, or base − head where lower is better: below 0 is worse. */
  readonly gains: readonly number[];
  readonly changes: Changes;
  readonly pairs: Pairs;
  readonly question: Question;
}

/** From this many pairs on, the mean's distribution is near enough to normal for a t-test. */
const leastForT = 30;
/** From this many clusters on, the same is so of their sums. */
const leastClustersForT = 20;

/**
 * 0/1 scores of cases: McNemar's test, Tango's interval. Other means: paired t, or sign-flip where cases are few; cases in
 * clusters: cluster-robust t, or flips of whole clusters where these are few. Aggregations that are no means: both sides
 * swapped within cases.
 */
export function testGains(data: Testable, statistics: Statistics): Tested {
  const { question, pairs } = data;
  if (question.aggregation !== "mean") return testAggregation(data, statistics);
  const gain = statistics.mean(data.gains);
  if (question.prove === "nothing") return { ...nothing, gain };
  if (question.scale === "graded" || !pairs.bits || pairs.clusters !== undefined)
    return { gain, ...testMeans(data, statistics) };
  return { gain, ...testBits(data, statistics) };
}

const nothing = {
  interval: null,
  test: null,
  p: null,
  shown: null,
  mde: null,
  clusters: null,
} as const;

/**
 * A metric that is 0/1 by the baseline and came with fractions keeps its test, which then is a sign test,
 * but takes the interval and the spread of means, as Tango's interval knows nothing of sizes.
 */
function testBits(data: Testable, statistics: Statistics): Omit<Tested, "gain"> {
  const { changes } = data;
  const p = finite(statistics.mcnemarMidP(changes.broke, changes.fixed));
  const bits = changes.fractional === 0;
  const rest = bits ? describeBits(data, statistics) : describeMeans(data, statistics);
  const { interval, mde, shown } = rest;
  return { test: "mcnemar_midp", p, interval, mde, shown, clusters: null };
}

type Described = Pick<Tested, "interval" | "mde" | "shown">;

function describeBits({ gains, changes, question }: Testable, statistics: Statistics): Described {
  const n = gains.length;
  const { broke, fixed } = changes;
  const interval = statistics.tangoInterval({ broke, fixed, n }, levelOf(question));
  const spread = { perCaseVariance: (broke + fixed) / n, n, alpha: question.alpha };
  const shown = (asked: Asked): Noninferiority =>
    statistics.noninferiorityTango({ broke, fixed, n }, asked);
  return {
    interval: finiteInterval(interval),
    mde: detectable(spread, statistics),
    shown: isShown(question, shown),
  };
}

function describeMeans(
  { gains, pairs, question }: Testable,
  statistics: Statistics,
): Described & { readonly pLess: number | null; readonly clusters: number } {
  const n = gains.length;
  const unasked = question.prove === "no_drop" ? false : null;
  if (n < 2) return { interval: null, mde: null, pLess: null, clusters: n, shown: unasked };
  const level = levelOf(question);
  const { clusters } = pairs;
  const clustered = clusters && { values: gains, clusters };
  const t = clustered
    ? statistics.clusterT(clustered, level)
    : { ...statistics.pairedT(gains, level), clusters: n };
  const perCaseVariance = (t.stderr ?? 0) ** 2 * n;
  return {
    interval: finiteInterval(t.interval),
    mde: detectable({ perCaseVariance, n, alpha: question.alpha }, statistics),
    pLess: finite(t.pLess),
    clusters: t.clusters,
    shown: isShown(question, (asked) => statistics.noninferiorityT(clustered ?? gains, asked)),
  };
}

function testMeans(data: Testable, statistics: Statistics): Omit<Tested, "gain"> {
  const { interval, mde, pLess, clusters, shown } = describeMeans(data, statistics);
  const { gains, pairs } = data;
  const isClustered = pairs.clusters !== undefined;
  const described = { interval, mde, shown, clusters: isClustered ? clusters : null };
  if (pairs.clusters !== undefined) {
    if (clusters >= leastClustersForT) return { ...described, test: "cluster_t", p: pLess };
    const flip = statistics.clusterFlip({ values: gains, clusters: pairs.clusters });
    const test = flip.exact ? "cluster_flip_exact" : "cluster_flip_seeded";
    return { ...described, test, p: finite(flip.pLess) };
  }
  if (gains.length >= leastForT) return { ...described, test: "paired_t", p: pLess };
  const flip = statistics.signFlip(gains);
  const test = flip.exact ? "sign_flip_exact" : "sign_flip_seeded";
  return { ...described, test, p: finite(flip.pLess) };
}

/** A median, a percentile, a sum or a spread of the cases' scores. NaN where there is none. */
function testAggregation({ pairs, question }: Testable, statistics: Statistics): Tested {
  const { aggregation, alpha, limit, prove } = question;
  const { before, after, clusters } = pairs;
  const n = after.length;
  const sides = { before, after, ...(clusters && { clusters }) };
  const sign = question.worse === "lower" ? 1 : -1;
  const found = statistics.aggregateChange(sides, aggregation, levelOf(question));
  if (found === undefined) return { ...nothing, gain: Number.NaN };
  const gain = sign * found.delta + 0;
  if (prove === "nothing") return { ...nothing, gain };
  const interval = turn(finiteInterval(found.interval), sign);
  const spread = { perCaseVariance: (found.stderr ?? 0) ** 2 * n, n, alpha };
  return {
    gain,
    interval,
    test: found.test,
    p: finite(sign === 1 ? found.pLess : found.pGreater),
    mde: detectable(spread, statistics),
    clusters: clusters === undefined ? null : countClusters(clusters),
    shown: prove === "no_drop" ? (interval?.lower ?? Number.NEGATIVE_INFINITY) > -limit : null,
  };
}

/** A case without a cluster is one of its own. */
function countClusters(clusters: readonly (string | null)[]): number {
  const named = clusters.filter((cluster) => cluster !== null);
  return new Set(named).size + clusters.length - named.length;
}

type Asked = Parameters<Statistics["noninferiorityT"]>[1];

/** null where nobody asks. A limit of 0 leaves no room that a loss could be shown to be smaller than. */
function isShown(
  { prove, limit, alpha, width }: Question,
  ask: (asked: Asked) => Noninferiority,
): boolean | null {
  if (prove !== "no_drop") return null;
  if (limit <= 0) return false;
  return ask({ margin: limit, alpha, ...(width !== undefined && { width }) }).shown;
}

function levelOf({ alpha }: Question): number {
  return Math.max(0, 1 - 2 * alpha);
}

/** null where nothing differed: what could be detected cannot be told from a spread of 0. */
function detectable(
  spread: Parameters<Statistics["detectableDrop"]>[0],
  statistics: Statistics,
): number | null {
  return spread.perCaseVariance === 0 ? null : finite(statistics.detectableDrop(spread));
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
