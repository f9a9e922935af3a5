import {
  countedScore,
  isInRange,
  ownScore,
  type SubstituteScores,
} from "../model/counted-score.ts";
import { isSampleMetric } from "../model/metric.ts";
import type { Outcome } from "../model/sample.ts";
import type { MetricSpec } from "../model/suite.ts";
import { emptyGroup } from "./empty-group.ts";
import type { LedgerGroup } from "../model/ledger.ts";

/** The cases of one task × candidate: which sample is which repeat of which case. */
export interface CaseTable {
  readonly group: LedgerGroup;
  /** Ordered by first appearance. */
  readonly ids: readonly string[];
  readonly position: ReturnType<LedgerGroup["positions"]>;
  /** Repeats a case should have in a run; a sample that is not there is `absent`. */
  readonly repeats: number;
  /**
   * Number of runs (or attempts at one) that the table holds one after the other. A case may lack some of them
   * completely.
   */
  readonly runs: number;
  /** The sample of case c and repeat r of run n is at (c × runs + n) × repeats + r: four bytes a sample, no object a case. */
  readonly samples: Int32Array;
}

const absent = -1;

/**
 * `group` undefined: no samples. `repeats`: as declared by the task; the ledger may hold more. `isSeveral`: the ledger
 * holds several runs one after the other, each with this number of repeats.
 */
export function tabulateCases(
  group: LedgerGroup | undefined,
  repeats: number,
  isSeveral = false,
): CaseTable {
  const read = group ?? emptyGroup;
  const ids = read.caseIds();
  const declared = Math.max(1, repeats);
  let held = declared;
  for (let i = 0; i < read.size; i += 1) held = Math.max(held, read.repeat(i) + 1);
  const runs = isSeveral ? Math.ceil(held / declared) : 1;
  const each = isSeveral ? declared : held;
  const width = runs * each;
  const samples = new Int32Array(ids.length * width).fill(absent);
  for (let i = 0; i < read.size; i += 1) {
    // The last line of a sample wins, as in the journal.
    samples[read.caseAt(i) * width + read.repeat(i)] = i;
  }
  return { group: read, ids, position: read.positions(), repeats: each, runs, samples };
}

/** Outcome of a case: the worst of its repeats. A missing repeat counts as ungraded. */
export function caseOutcome(table: CaseTable, position: number): Outcome {
  if (widthOf(table) === 1) return outcomeAt(table, sampleAt(table, position, 0));
  let worst: Outcome = "scored";
  for (const from of startsOf(table, position)) {
    for (let repeat = from; repeat < from + table.repeats; repeat += 1) {
      const outcome = outcomeAt(table, sampleAt(table, position, repeat));
      if (badness[outcome] > badness[worst]) worst = outcome;
    }
  }
  return worst;
}

/** First repeat of each run that contains the case; 0 for a table of one run. */
function startsOf(table: CaseTable, position: number): readonly number[] {
  if (table.runs === 1) return firstOnly;
  const starts: number[] = [];
  for (let run = 0; run < table.runs; run += 1) {
    const from = run * table.repeats;
    if (isThere(table, position, from)) starts.push(from);
  }
  return starts;
}

const firstOnly: readonly number[] = [0];

/** True if the case has a sample in the run that begins there. */
function isThere(table: CaseTable, position: number, from: number): boolean {
  for (let repeat = from; repeat < from + table.repeats; repeat += 1)
    if (sampleAt(table, position, repeat) !== absent) return true;
  return false;
}

const badness: Readonly<Record<Outcome, number>> = {
  scored: 0,
  invalid: 1,
  failed: 2,
  ungraded: 3,
};

/** The hash of the case's row. */
export function caseContent(table: CaseTable, position: number): string {
  return table.group.content(firstSample(table, position));
}

/** Whether a case of head and one of the base have the same row. */
export function isSameRow(
  { head, base }: { readonly head: CaseTable; readonly base: CaseTable },
  position: number,
  other: number,
): boolean {
  return head.group.hasContentOf(firstSample(head, position), base.group, firstSample(base, other));
}

/** The case's cluster; null: the case is its own cluster. */
export function caseCluster(table: CaseTable, position: number): string | null {
  return table.group.cluster(firstSample(table, position));
}

/** The case's value in each field that the task is sliced by. */
export function caseSlices(table: CaseTable, position: number): Readonly<Record<string, string>> {
  return table.group.slices(firstSample(table, position));
}

/** A row's properties are the same in all samples of a case: take them from the first that exists. */
function firstSample(table: CaseTable, position: number): number {
  for (let repeat = 0; repeat < widthOf(table); repeat += 1) {
    const sample = sampleAt(table, position, repeat);
    if (sample !== absent) return sample;
  }
  throw new RangeError(`no sample of case ${position}`);
}

/** How samples become numbers in one metric. */
export interface ScorePolicy {
  /** Of the metric. */
  readonly id: string;
  readonly substitutes: SubstituteScores;
  /** `failure`: count samples that are ungraded because of infrastructure as failed. */
  readonly ungradedAs: "nothing" | "failure";
  /** The case's score in a run from its repeats' scores; undefined if there are too few. */
  readonly reduce: (scores: readonly number[]) => number | undefined;
  /** Combines a case's scores of several runs. */
  readonly mean: (scores: readonly number[]) => number;
}

/**
 * Score of a case over its graded repeats; for several runs, the mean over runs with a score. undefined if there are too
 * few repeats.
 */
export function caseScore(
  table: CaseTable,
  position: number,
  reading: ScorePolicy,
): number | undefined {
  if (table.runs === 1) return scoreFrom(table, { position, from: 0 }, reading);
  const found: number[] = [];
  for (const from of startsOf(table, position)) {
    const score = scoreFrom(table, { position, from }, reading);
    if (score !== undefined) found.push(score);
  }
  return meanOf(found, reading);
}

/** Score over the graded repeats of one run. */
function scoreFrom(
  table: CaseTable,
  { position, from }: { readonly position: number; readonly from: number },
  reading: ScorePolicy,
): number | undefined {
  if (table.repeats === 1) return scoreOf(table, sampleAt(table, position, from), reading);
  const scores: number[] = [];
  for (let repeat = from; repeat < from + table.repeats; repeat += 1) {
    const score = scoreAt(table, sampleAt(table, position, repeat), reading);
    if (score !== undefined) scores.push(score);
  }
  return scores.length === 0 ? undefined : reading.reduce(scores);
}

/** For a case with one sample: a list that grows would take memory for more samples, a million times. */
function scoreOf(table: CaseTable, sample: number, reading: ScorePolicy): number | undefined {
  const score = scoreAt(table, sample, reading);
  return score === undefined ? undefined : reading.reduce([score]);
}

function meanOf(scores: readonly number[], { mean }: ScorePolicy): number | undefined {
  if (scores.length < 2) return scores[0];
  return mean(scores);
}

/** Number of first repeats of a case in each run. */
interface RepeatRange {
  readonly position: number;
  readonly repeats: number;
}

/** Value of a case in a comparison. `invalid`: the grader gave no usable score for the metric in any run. */
interface CaseReading {
  readonly score: number | undefined;
  readonly isInvalid: boolean;
}

/**
 * Score of a case over these repeats: a run with an ungraded repeat is skipped, several runs are averaged.
 * `invalidCounts`: false skips runs without a usable score.
 */
export function readCase(table: CaseTable, at: RepeatRange, how: HowToRead): CaseReading {
  if (table.runs === 1) return readOnly(table, at, how);
  const { scores, isInvalid } = readRuns(table, at, how);
  return { score: meanOf(scores, how.reading), isInvalid };
}

/** For a table of one run, the usual case: avoids a list for each of a million cases. */
function readOnly(
  table: CaseTable,
  { position, repeats }: RepeatRange,
  { reading, invalidCounts }: HowToRead,
): CaseReading {
  const at = { position, repeats, from: 0 };
  const score = scoreIn(table, at, reading);
  const isInvalid = score !== undefined && !invalidCounts && isInvalidIn(table, at, reading);
  return { score: isInvalid ? undefined : score, isInvalid };
}

interface HowToRead {
  readonly reading: ScorePolicy;
  readonly invalidCounts: boolean;
}

/** As readCase, the score of each run by itself. */
export function readRuns(
  table: CaseTable,
  { position, repeats }: RepeatRange,
  { reading, invalidCounts }: HowToRead,
): { readonly scores: readonly number[]; readonly isInvalid: boolean } {
  const found: number[] = [];
  let isInvalid = false;
  for (const from of startsOf(table, position)) {
    const at = { position, repeats, from };
    const score = scoreIn(table, at, reading);
    if (score === undefined) continue;
    if (!invalidCounts && isInvalidIn(table, at, reading)) isInvalid = true;
    else found.push(score);
  }
  return { scores: found, isInvalid };
}

type StretchInRun = RepeatRange & { readonly from: number };

/** undefined if one of the repeats has no grade. */
function scoreIn(
  table: CaseTable,
  { position, repeats, from }: StretchInRun,
  reading: ScorePolicy,
): number | undefined {
  if (repeats === 1) return scoreOf(table, sampleAt(table, position, from), reading);
  const scores: number[] = [];
  for (let repeat = from; repeat < from + repeats; repeat += 1) {
    const score = scoreAt(table, sampleAt(table, position, repeat), reading);
    if (score === undefined) return undefined;
    scores.push(score);
  }
  return reading.reduce(scores);
}

/** The variance of a case's repeats in a table of one run, n − 1 in the denominator; of one without a grade it is that of the others. */
export function varianceWithin(
  table: CaseTable,
  { position, repeats }: RepeatRange,
  reading: ScorePolicy,
): number {
  const scores: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const score = scoreAt(table, sampleAt(table, position, repeat), reading);
    if (score !== undefined) scores.push(score);
  }
  if (scores.length < 2) return 0;
  const centre = reading.mean(scores);
  const squares = scores.reduce((sum, score) => sum + (score - centre) ** 2, 0);
  return squares / (scores.length - 1);
}

/** True if the grader gave no usable score for the metric in one of these repeats. */
function isInvalidIn(
  table: CaseTable,
  { position, repeats, from }: StretchInRun,
  { id, substitutes: { range } }: ScorePolicy,
): boolean {
  if (isSampleMetric(id)) return false;
  for (let repeat = from; repeat < from + repeats; repeat += 1) {
    const sample = sampleAt(table, position, repeat);
    const outcome = outcomeAt(table, sample);
    if (outcome === "invalid") return true;
    if (outcome !== "scored") continue;
    const score = finiteScore(table, sample, id);
    if (score === undefined || !isInRange(score, range)) return true;
  }
  return false;
}

/** True if at least one sample has a score of its own in the metric, or a batch grader gave it for all. */
export function hasMetric(table: CaseTable, metric: string): boolean {
  if (table.group.given(metric) !== undefined) return true;
  if (!table.group.hasAny(metric)) return false;
  return anySample(table.group, (i) => {
    return isScoredIn(table, i, metric) && finiteScore(table, i, metric) !== undefined;
  });
}

/** Regrade's own measurements don't depend on the grader. */
function isScoredIn({ group }: CaseTable, i: number, metric: string): boolean {
  const outcome = group.outcome(i);
  return isSampleMetric(metric) ? outcome !== "ungraded" : outcome === "scored";
}

/** Cases with a sample that was scored, but not in this metric. */
export function countWithoutScore(table: CaseTable, metric: string): number {
  if (table.group.given(metric) !== undefined) return 0;
  let count = 0;
  for (let position = 0; position < table.ids.length; position += 1)
    if (lacksScore(table, position, metric)) count += 1;
  return count;
}

function lacksScore(table: CaseTable, position: number, metric: string): boolean {
  for (let repeat = 0; repeat < widthOf(table); repeat += 1) {
    const sample = sampleAt(table, position, repeat);
    if (outcomeAt(table, sample) === "scored" && finiteScore(table, sample, metric) === undefined)
      return true;
  }
  return false;
}

/** Cases with a sample whose score lies outside of the metric's declared range. */
export function countOutside(table: CaseTable, { id, range }: MetricSpec): number {
  if (range === null || !table.group.hasAny(id)) return 0;
  let count = 0;
  for (let position = 0; position < table.ids.length; position += 1) {
    for (let repeat = 0; repeat < widthOf(table); repeat += 1) {
      const sample = sampleAt(table, position, repeat);
      if (outcomeAt(table, sample) !== "scored") continue;
      if (isInRange(finiteScore(table, sample, id) ?? range[0], range)) continue;
      count += 1;
      break;
    }
  }
  return count;
}

/** True if at least one sample was scored, in whatever metric. */
export function hasScoredSample(table: CaseTable): boolean {
  return anySample(table.group, (i) => table.group.outcome(i) === "scored");
}

function anySample(group: LedgerGroup, holds: (i: number) => boolean): boolean {
  for (let i = 0; i < group.size; i += 1) if (holds(i)) return true;
  return false;
}

function scoreAt(table: CaseTable, sample: number, reading: ScorePolicy): number | undefined {
  if (outcomeAt(table, sample) === "ungraded")
    return reading.ungradedAs === "failure" ? reading.substitutes.failed : undefined;
  const score = countedScore(table.group, sample, reading);
  return score === undefined || Number.isFinite(score) ? score : reading.substitutes.invalid;
}

function finiteScore(table: CaseTable, sample: number, metric: string): number | undefined {
  const score = ownScore(table.group, sample, metric);
  return Number.isFinite(score) ? score : undefined;
}

function outcomeAt(table: CaseTable, sample: number): Outcome {
  return sample === absent ? "ungraded" : table.group.outcome(sample);
}

function sampleAt(table: CaseTable, position: number, repeat: number): number {
  return table.samples[position * widthOf(table) + repeat] ?? absent;
}

/** Places of a case in the table. */
export function widthOf({ repeats, runs }: CaseTable): number {
  return repeats * runs;
}
