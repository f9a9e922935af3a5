import type { Interval, Statistics } from "../domain/ports.ts";
import { changedCasesKept, type ChangedCase, type PairedTest } from "../domain/run.ts";
import type { Prove } from "../domain/suite.ts";
import type { Pairs } from "./pairs.ts";

/** What is asked of the pairs. */
export interface Question {
  readonly worse: "lower" | "higher";
  readonly scale: "binary" | "graded";
  readonly prove: Prove;
  readonly alpha: number;
}

/** Base against head, over the pairs. Every number is finite. */
export interface Comparison {
  readonly n: number;
  readonly value: number;
  readonly baseline: number;
  /** value − baseline. */
  readonly delta: number;
  /** How much worse: positive is a loss, whatever the metric's direction. */
  readonly loss: number;
  /** Of delta, at level 1 − 2·alpha. */
  readonly interval: Interval | null;
  readonly test: PairedTest | null;
  /** One-sided: how likely such a loss is if nothing got worse. */
  readonly p: number | null;
  readonly broke: number;
  readonly fixed: number;
  readonly mde: number | null;
  readonly changed: {
    readonly broke: readonly ChangedCase[];
    readonly fixed: readonly ChangedCase[];
  };
  readonly repeats: number;
  /** Pairs of a 0/1 metric that hold something else. */
  readonly fractional: number;
}

/** From this many pairs on, the mean's distribution is near enough to normal for a t-test. */
const leastForT = 30;

/** Two means of the same scores may differ in their last digits; relative to their size. */
const rounding = 1e-12;

/** Needs at least one pair. undefined where the scores are too large to compute with. */
export function compare(
  pairs: Pairs,
  question: Question,
  statistics: Statistics,
): Comparison | undefined {
  const sign = question.worse === "lower" ? 1 : -1;
  const gains = pairs.after.map((after, i) => sign * gainOf(pairs.before[i] ?? 0, after) + 0);
  if (!gains.every(Number.isFinite)) return undefined;
  const changes = countChanges(pairs, gains);
  const gain = statistics.mean(gains);
  const tested = testGains({ gains, changes, pairs, question }, statistics);
  return {
    n: gains.length,
    value: statistics.mean(pairs.after),
    baseline: statistics.mean(pairs.before),
    delta: sign * gain + 0,
    loss: -gain + 0,
    repeats: pairs.repeats,
    ...changes,
    ...tested,
    interval: turn(tested.interval, sign),
  };
}

/** Scores that differ by rounding only are equal, else a sign test would count them. */
function gainOf(before: number, after: number): number {
  const gain = after - before;
  const noise = rounding * Math.max(Math.abs(before), Math.abs(after));
  return Math.abs(gain) <= noise ? 0 : gain;
}

interface Changes {
  readonly broke: number;
  readonly fixed: number;
  readonly changed: Comparison["changed"];
  readonly fractional: number;
}

function countChanges(pairs: Pairs, gains: readonly number[]): Changes {
  const broke: Ranked[] = [];
  const fixed: Ranked[] = [];
  const counts = { broke: 0, fixed: 0, fractional: 0 };
  for (const [i, gain] of gains.entries()) {
    const before = pairs.before[i] ?? 0;
    const after = pairs.after[i] ?? 0;
    if (!isBit(before) || !isBit(after)) counts.fractional += 1;
    if (gain === 0) continue;
    const side = gain < 0 ? "broke" : "fixed";
    counts[side] += 1;
    const ranked = { size: Math.abs(gain), case_id: pairs.caseIds[i] ?? "", before, after };
    keepLargest(side === "broke" ? broke : fixed, ranked);
  }
  return { ...counts, changed: { broke: broke.map(unranked), fixed: fixed.map(unranked) } };
}

interface Ranked extends ChangedCase {
  readonly size: number;
}

/** Keeps the largest changes in order, so that a hundred thousand broken cases cost no sort. */
function keepLargest(kept: Ranked[], next: Ranked): void {
  const last = kept.at(-1);
  if (kept.length === changedCasesKept && last && !isBefore(next, last)) return;
  const place = kept.findIndex((other) => isBefore(next, other));
  kept.splice(place < 0 ? kept.length : place, 0, next);
  if (kept.length > changedCasesKept) kept.pop();
}

function isBefore(one: Ranked, other: Ranked): boolean {
  return one.size === other.size ? one.case_id < other.case_id : one.size > other.size;
}

function unranked({ case_id, before, after }: Ranked): ChangedCase {
  return { case_id, before, after };
}

function isBit(value: number): boolean {
  return value === 0 || value === 1;
}

interface Tested {
  readonly interval: Interval | null;
  readonly test: PairedTest | null;
  readonly p: number | null;
  readonly mde: number | null;
}

interface Testable {
  /** head − base, or base − head where lower is better: below 0 is worse. */
  readonly gains: readonly number[];
  readonly changes: Changes;
  readonly pairs: Pairs;
  readonly question: Question;
}

/**
 * 0/1 and one repeat: McNemar's test, Tango's interval. Else paired t, or sign-flip where cases are few.
 * A metric that is 0/1 by the baseline and came with fractions keeps its test, which then is a sign test,
 * but takes the interval and the spread of means, as Tango's interval knows nothing of sizes.
 */
function testGains(data: Testable, statistics: Statistics): Tested {
  const { question, pairs, changes } = data;
  if (question.prove === "nothing") return { interval: null, test: null, p: null, mde: null };
  if (question.scale === "graded" || pairs.repeats > 1) return testMeans(data, statistics);
  const p = finite(statistics.mcnemarMidP(changes.broke, changes.fixed));
  const bits = changes.fractional === 0;
  const rest = bits ? describeBits(data, statistics) : describeMeans(data, statistics);
  return { test: "mcnemar_midp", p, interval: rest.interval, mde: rest.mde };
}

type Described = Pick<Tested, "interval" | "mde">;

function describeBits({ gains, changes, question }: Testable, statistics: Statistics): Described {
  const n = gains.length;
  const { broke, fixed } = changes;
  const interval = statistics.tangoInterval({ broke, fixed, n }, levelOf(question));
  const spread = { perCaseVariance: (broke + fixed) / n, n, alpha: question.alpha };
  return { interval: finiteInterval(interval), mde: detectable(spread, statistics) };
}

function describeMeans(
  { gains, question }: Testable,
  statistics: Statistics,
): Described & { readonly pLess: number | null } {
  const n = gains.length;
  if (n < 2) return { interval: null, mde: null, pLess: null };
  const t = statistics.pairedT(gains, levelOf(question));
  const perCaseVariance = (t.stderr ?? 0) ** 2 * n;
  return {
    interval: finiteInterval(t.interval),
    mde: detectable({ perCaseVariance, n, alpha: question.alpha }, statistics),
    pLess: finite(t.pLess),
  };
}

function testMeans(data: Testable, statistics: Statistics): Tested {
  const { interval, mde, pLess } = describeMeans(data, statistics);
  if (data.gains.length >= leastForT) return { interval, mde, test: "paired_t", p: pLess };
  const flip = statistics.signFlip(data.gains);
  const test = flip.exact ? "sign_flip_exact" : "sign_flip_seeded";
  return { interval, mde, test, p: finite(flip.pLess) };
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

function turn(interval: Interval | null, sign: 1 | -1): Interval | null {
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
