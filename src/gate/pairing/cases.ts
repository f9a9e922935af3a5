import { isInRange, ownScore } from "../../model/outcomes/counted-score.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import type { Outcome } from "../../model/outcomes/sample.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import type { LedgerGroup } from "../../model/figures/ledger.ts";

/** The cases of one task × candidate, and which sample is which repeat of which case. */
export interface CaseTable {
  readonly group: LedgerGroup;
  /** Ordered by first appearance. */
  readonly ids: readonly string[];
  readonly position: ReturnType<LedgerGroup["positions"]>;
  /** Number of repeats that a case should have in a run. A missing sample is `absent`. */
  readonly repeats: number;
  /**
   * Number of runs (or attempts of one run) that the table holds, one after the other. A case may be missing from some
   * of them.
   */
  readonly runs: number;
  /**
   * The sample of case c, repeat r and run n is at (c × runs + n) × repeats + r. This takes four bytes per sample, and
   * no object per case.
   */
  readonly samples: Int32Array;
}

const absent = -1;

/**
 * Makes the table of a group. `group` undefined: there are no samples. `repeats`: as declared by the task; the ledger
 * may hold more. `isSeveral`: the ledger holds several runs one after the other, each with this number of repeats.
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
    // The last line of a sample counts, as in the journal.
    samples[read.caseAt(i) * width + read.repeat(i)] = i;
  }
  return { group: read, ids, position: read.positions(), repeats: each, runs, samples };
}

/** Outcome of a case: the worst outcome of its repeats. A missing repeat counts as ungraded. */
export function caseOutcome(table: CaseTable, position: number): Outcome {
  if (widthOf(table) === 1) return outcomeAt(table, sampleAt(table, position, 0));
  let worst: Outcome = "scored";
  for (const from of runStarts(table, position)) {
    for (let repeat = from; repeat < from + table.repeats; repeat += 1) {
      const outcome = outcomeAt(table, sampleAt(table, position, repeat));
      if (badness[outcome] > badness[worst]) worst = outcome;
    }
  }
  return worst;
}

/** Index of the first repeat in each run that contains the case; 0 for a table of one run. */
export function runStarts(table: CaseTable, position: number): readonly number[] {
  if (table.runs === 1) return firstOnly;
  const starts: number[] = [];
  for (let run = 0; run < table.runs; run += 1) {
    const from = run * table.repeats;
    if (isThere(table, position, from)) starts.push(from);
  }
  return starts;
}

const firstOnly: readonly number[] = [0];

/** True if the case has a sample in the run that begins at `from`. */
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

/** True if a case of head and one of the base have the same row. */
export function isSameRow(
  { head, base }: { readonly head: CaseTable; readonly base: CaseTable },
  position: number,
  other: number,
): boolean {
  return head.group.hasContentOf(firstSample(head, position), base.group, firstSample(base, other));
}

/** True if a case of head was judged differently from one of the base, as far as both tell how. */
export function isJudgedOtherwise(
  { head, base }: { readonly head: CaseTable; readonly base: CaseTable },
  position: number,
  other: number,
): boolean {
  const here = head.group.judgedBy(firstSample(head, position));
  const there = base.group.judgedBy(firstSample(base, other));
  return here !== undefined && there !== undefined && here !== there;
}

/** The case's cluster; null: the case is its own cluster. */
export function caseCluster(table: CaseTable, position: number): string | null {
  return table.group.cluster(firstSample(table, position));
}

/** The case's value in each field that the task is sliced by. */
export function caseSlices(table: CaseTable, position: number): Readonly<Record<string, string>> {
  return table.group.slices(firstSample(table, position));
}

/** The first existing sample of a case. The properties of a row are the same in all samples of its case. */
function firstSample(table: CaseTable, position: number): number {
  for (let repeat = 0; repeat < widthOf(table); repeat += 1) {
    const sample = sampleAt(table, position, repeat);
    if (sample !== absent) return sample;
  }
  throw new RangeError(`no sample of case ${position}`);
}

/**
 * True if at least one sample has a score in the metric, or if a batch grader gave the metric for all cases together.
 */
export function hasMetric(table: CaseTable, metric: string): boolean {
  if (table.group.given(metric) !== undefined) return true;
  if (!table.group.hasAny(metric)) return false;
  return anySample(table.group, (i) => {
    return isScoredIn(table, i, metric) && finiteScore(table, i, metric) !== undefined;
  });
}

/** True if a sample has a score in the metric. Regrade's own measurements do not depend on the grader. */
function isScoredIn({ group }: CaseTable, i: number, metric: string): boolean {
  const outcome = group.outcome(i);
  return isSampleMetric(metric) ? outcome !== "ungraded" : outcome === "scored";
}

/** Number of cases with a sample that was scored, but not in this metric. */
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

/** Number of cases with a sample whose score lies outside the metric's declared range. */
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

/** True if at least one sample was scored, in any metric. */
export function hasScoredSample(table: CaseTable): boolean {
  return anySample(table.group, (i) => table.group.outcome(i) === "scored");
}

function anySample(group: LedgerGroup, holds: (i: number) => boolean): boolean {
  for (let i = 0; i < group.size; i += 1) if (holds(i)) return true;
  return false;
}

/** A sample's own score in a metric; undefined if it has none, or one that is not finite. */
export function finiteScore(table: CaseTable, sample: number, metric: string): number | undefined {
  const score = ownScore(table.group, sample, metric);
  return Number.isFinite(score) ? score : undefined;
}

/** Outcome of a sample. A missing one counts as ungraded. */
export function outcomeAt(table: CaseTable, sample: number): Outcome {
  return sample === absent ? "ungraded" : table.group.outcome(sample);
}

/**
 * Index of the sample of a case and repeat in the ledger; `absent` if it is missing. Repeats of several runs are
 * counted on.
 */
export function sampleAt(table: CaseTable, position: number, repeat: number): number {
  return table.samples[position * widthOf(table) + repeat] ?? absent;
}

/** Number of places that a case has in the table. */
export function widthOf({ repeats, runs }: CaseTable): number {
  return repeats * runs;
}

/** Stands for a task and candidate without samples. */
const emptyGroup: LedgerGroup = {
  task: "",
  candidate: "",
  size: 0,
  caseIds: () => [],
  positions: () => ({ get: () => undefined }),
  caseAt: nothing,
  caseId: nothing,
  content: nothing,
  hasContentOf: nothing,
  contents: nothing,
  judgedBy: nothing,
  tellsJudging: () => false,
  repeat: nothing,
  outcome: nothing,
  cluster: nothing,
  hasClusters: () => false,
  score: nothing,
  givenInterval: () => undefined,
  given: () => undefined,
  givenIds: () => [],
  measured: nothing,
  hasAny: () => false,
  scoreIds: () => [],
  slices: nothing,
  sliceCombinations: () => [],
  row: nothing,
};

function nothing(): never {
  throw new RangeError("an empty group has no samples");
}
