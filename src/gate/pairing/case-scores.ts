import {
  countedScore,
  isInRange,
  type SubstituteScores,
} from "../../model/outcomes/counted-score.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import { type CaseTable, runStarts, finiteScore, outcomeAt, sampleAt } from "./cases.ts";

/** How samples are turned into numbers in one metric. */
export interface ScorePolicy {
  /** The metric's id. */
  readonly id: string;
  readonly substitutes: SubstituteScores;
  /** `failure`: samples that are ungraded because of infrastructure count as failed. */
  readonly ungradedAs: "nothing" | "failure";
  /** Combines the scores of a case's repeats in one run; undefined if there are too few. */
  readonly reduce: (scores: readonly number[]) => number | undefined;
  /** Combines a case's scores of several runs. */
  readonly mean: (scores: readonly number[]) => number;
}

/**
 * Score of a case over its graded repeats; with several runs, the mean over the runs that have a score. undefined if
 * there are too few repeats.
 */
export function caseScore(
  table: CaseTable,
  position: number,
  reading: ScorePolicy,
): number | undefined {
  if (table.runs === 1) return scoreFrom(table, { position, from: 0 }, reading);
  const found: number[] = [];
  for (const from of runStarts(table, position)) {
    const score = scoreFrom(table, { position, from }, reading);
    if (score !== undefined) found.push(score);
  }
  return meanOf(found, reading);
}

/** Score over the graded repeats of one run; undefined if there are too few. */
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

/** Score of a case with one sample. It avoids a list, which would allocate memory for more samples a million times. */
function scoreOf(table: CaseTable, sample: number, reading: ScorePolicy): number | undefined {
  const score = scoreAt(table, sample, reading);
  return score === undefined ? undefined : reading.reduce([score]);
}

function meanOf(scores: readonly number[], { mean }: ScorePolicy): number | undefined {
  if (scores.length < 2) return scores[0];
  return mean(scores);
}

/** Some first repeats of a case in each run. */
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
 * Score of a case over these repeats. A run with an ungraded repeat is skipped; several runs are averaged.
 * `invalidCounts`: if false, runs without a usable score are skipped, too.
 */
export function readCase(table: CaseTable, at: RepeatRange, how: HowToRead): CaseReading {
  if (table.runs === 1) return readOnly(table, at, how);
  const { scores, isInvalid } = readRuns(table, at, how);
  return { score: meanOf(scores, how.reading), isInvalid };
}

/** The same for a table of one run, which is the usual case: it avoids a list for each of a million cases. */
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

/** The score of each run, by the rules of `readCase`. */
export function readRuns(
  table: CaseTable,
  { position, repeats }: RepeatRange,
  { reading, invalidCounts }: HowToRead,
): { readonly scores: readonly number[]; readonly isInvalid: boolean } {
  const found: number[] = [];
  let isInvalid = false;
  for (const from of runStarts(table, position)) {
    const at = { position, repeats, from };
    const score = scoreIn(table, at, reading);
    if (score === undefined) continue;
    if (!invalidCounts && isInvalidIn(table, at, reading)) isInvalid = true;
    else found.push(score);
  }
  return { scores: found, isInvalid };
}

type StretchInRun = RepeatRange & { readonly from: number };

/** Score in one run; undefined if one of the repeats has no grade. */
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

/** Variance of a case's graded repeats in a table of one run, with n − 1 in the denominator; 0 with fewer than two. */
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

function scoreAt(table: CaseTable, sample: number, reading: ScorePolicy): number | undefined {
  if (outcomeAt(table, sample) === "ungraded")
    return reading.ungradedAs === "failure" ? reading.substitutes.failed : undefined;
  const score = countedScore(table.group, sample, reading);
  return score === undefined || Number.isFinite(score) ? score : reading.substitutes.invalid;
}
