import { substituteScores } from "../../model/outcomes/counted-score.ts";
import { keepsBits } from "../../model/definition/metric.ts";
import type { DroppedPairs } from "../../model/outcomes/remark.ts";
import type { StratifiedAnswers, Statistics } from "../../model/figures/statistics.ts";
import type { Reducer } from "../../model/definition/suite.ts";
import { caseCluster, caseOutcome, type CaseTable } from "./cases.ts";
import { type Matching, unmatched } from "./matching.ts";
import type { Counterpart, PinnedMetric, Cell } from "./sides.ts";
import { isSteady } from "./steady.ts";
import { readCase, readRuns, type ScorePolicy, varianceWithin } from "./case-scores.ts";

/** The cases that a comparison is based on, and why others are left out. */
export interface Pairs {
  /** Positions of head's cases, ascending. */
  readonly positions: readonly number[];
  /** Index of the pair for each of head's positions, or `unmatched`. */
  readonly pairAt: Int32Array;
  readonly caseIds: readonly string[];
  readonly before: readonly number[];
  readonly after: readonly number[];
  /**
   * The variance of each case's repeats, on both sides; undefined if a case has fewer than three, or if its score is
   * not their mean.
   */
  readonly within:
    | { readonly before: readonly number[]; readonly after: readonly number[] }
    | undefined;
  /** For a 0/1 metric against several earlier runs: the answers of each pair; otherwise undefined. */
  readonly answers: readonly StratifiedAnswers[] | undefined;
  /** The cluster of each pair; undefined if every case is its own cluster. */
  readonly clusters: readonly (string | null)[] | undefined;
  /** Number of repeats that count on each side, in each of its runs: the first ones. */
  readonly repeats: number;
  /** True if each case of a 0/1 metric has the score 0 or 1: one run and one repeat, or a reducer that keeps it so. */
  readonly bits: boolean;
  /** True if the candidate answers the same each time, as far as the run knows. */
  readonly steady: boolean;
  readonly dropped: DroppedPairs;
  /** Positions of head's cases that the base has with the same row but that have no grade on one side. */
  readonly lost: readonly number[];
}

/** Number of cases on both sides, and the reasons why others don't count. */
export type CountedPairs = Pick<Pairs, "dropped"> & { readonly paired: number };

/** How head's samples are scored. */
interface Counting {
  readonly ungradedAs: ScorePolicy["ungradedAs"];
  readonly statistics: Statistics;
}

/** A cell that the baseline has, too. */
export type PairedCell = Cell & { readonly counterpart: Extract<Counterpart, { kind: "run" }> };

/**
 * Pairs the cases of a cell with those of its counterpart, in head's order (see `matchCases`). A pair is dropped if it
 * is ungraded on one side, or if the baseline's grader could not score it: neither is evidence about the change. A case
 * that head's grader could not score counts as the worst.
 */
export function pairCases(cell: PairedCell, metric: PinnedMetric, how: Counting): Pairs {
  const { cases: head, counterpart } = cell;
  const { cases: base, matching } = counterpart;
  const substitutes = substituteScores(metric, [head.group, base.group]);
  const { mean } = how.statistics;
  const reduce = reducing(metric, how.statistics);
  const reading = { id: metric.id, substitutes, reduce, mean };
  const repeats = comparedRepeats(head, counterpart);
  const places: Places = {
    head: { table: head, repeats, reading: { ...reading, ungradedAs: how.ungradedAs } },
    base: { table: base, repeats, reading: { ...reading, ungradedAs: "nothing" } },
  };
  const found = readPairs(places, matching);
  const within = withinOf(places, matching, { metric, positions: found.positions });
  const answers = answersOf(places, matching, { metric, found });
  const clusters = clustersOf({ head, base }, matching, found.positions);
  const bits = head.runs === 1 && base.runs === 1 && keepsBits(metric, repeats);
  const { changed, unasked } = matching;
  const steady = isSteady(cell, metric.id);
  return {
    ...found,
    within,
    answers,
    clusters,
    repeats,
    bits,
    steady,
    dropped: { ...found.dropped, changed, unasked },
  };
}

/** How the baseline's samples are scored. */
export function readingOfBase(
  { cases: head, counterpart }: PairedCell,
  metric: PinnedMetric,
  statistics: Statistics,
): ScorePolicy {
  const substitutes = substituteScores(metric, [head.group, counterpart.cases.group]);
  const reduce = reducing(metric, statistics);
  return { id: metric.id, substitutes, reduce, mean: statistics.mean, ungradedAs: "nothing" };
}

/**
 * Scores that the counterpart of one of head's cases has, in each run of the baseline that graded all of its repeats.
 */
export function baseScores(
  { counterpart }: PairedCell,
  position: number,
  reading: ScorePolicy,
): readonly number[] {
  const { cases: table, matching } = counterpart;
  const other = matching.partner[position] ?? unmatched;
  if (other === unmatched) return [];
  const at = { position: other, repeats: table.repeats };
  return readRuns(table, at, { reading, invalidCounts: false }).scores;
}

/**
 * Number of pairs for a metric without scores by case: the cases that have an outcome on both sides, because these are
 * what a batch grader saw.
 */
export function countPairs({ cases: head, counterpart }: PairedCell): CountedPairs {
  const { cases: base, matching } = counterpart;
  let [paired, ungraded] = [0, 0];
  for (const [position, other] of matching.partner.entries()) {
    if (other === unmatched) continue;
    if ([caseOutcome(head, position), caseOutcome(base, other)].includes("ungraded")) ungraded += 1;
    else paired += 1;
  }
  const { changed, unasked } = matching;
  return { paired, dropped: { ungraded, invalid: 0, changed, unasked } };
}

/** The clusters of the cases that both sides graded; undefined if each case is its own cluster. */
export function clustersMet({
  cases: head,
  counterpart,
}: PairedCell): readonly (string | null)[] | undefined {
  const { cases: base, matching } = counterpart;
  const graded = [...matching.partner.keys()].filter((position) => {
    const other = matching.partner[position] ?? unmatched;
    if (other === unmatched) return false;
    return ![caseOutcome(head, position), caseOutcome(base, other)].includes("ungraded");
  });
  return clustersOf({ head, base }, matching, graded);
}

/** Makes a function from repeats to a case's score, by the metric's reducer. */
export function reducing(
  { reducer }: { readonly reducer?: Reducer },
  statistics: Statistics,
): ScorePolicy["reduce"] {
  const kind = reducer?.kind ?? "mean";
  if (reducer === undefined || kind === "mean")
    return (scores) => (scores.length === 1 ? scores[0] : statistics.mean(scores));
  return (scores) => statistics.reduceRepeats(scores, reducer);
}

/** Number of repeats that are compared: the first ones of each case, in each run. */
export function comparedRepeats(head: CaseTable, { cases }: PairedCell["counterpart"]): number {
  return Math.min(head.repeats, cases.repeats);
}

interface Place {
  readonly table: CaseTable;
  readonly repeats: number;
  readonly reading: ScorePolicy;
}

interface Places {
  readonly head: Place;
  readonly base: Place;
}

type Read = Pick<Pairs, "positions" | "pairAt" | "caseIds" | "before" | "after" | "lost"> & {
  readonly dropped: { readonly ungraded: number; readonly invalid: number };
};

function readPairs(places: Places, { partner }: Matching): Read {
  const positions: number[] = [];
  const pairAt = new Int32Array(partner.length).fill(unmatched);
  const caseIds: string[] = [];
  const before: number[] = [];
  const after: number[] = [];
  const lost: number[] = [];
  const dropped = { ungraded: 0, invalid: 0 };
  for (const [position, caseId] of places.head.table.ids.entries()) {
    const other = partner[position] ?? unmatched;
    if (other === unmatched) continue;
    const pair = readPair(places, position, other);
    if (typeof pair === "string") {
      dropped[pair] += 1;
      lost.push(position);
    } else {
      pairAt[position] = positions.push(position) - 1;
      caseIds.push(caseId);
      before.push(pair.before);
      after.push(pair.after);
    }
  }
  return { positions, pairAt, caseIds, before, after, dropped, lost };
}

/** The answers of each pair; undefined if a score is not 0 or 1, because there is then no count of right answers. */
function answersOf(
  { head, base }: Places,
  { partner }: Matching,
  { metric, found }: { readonly metric: PinnedMetric; readonly found: Read },
): Pairs["answers"] {
  const isMean = (metric.reducer?.kind ?? "mean") === "mean";
  if (!isMean || metric.scale !== "binary" || head.table.runs > 1 || base.table.runs === 1)
    return undefined;
  const { repeats } = head;
  const how = { reading: base.reading, invalidCounts: false };
  const answers = found.positions.map((at, i): StratifiedAnswers => {
    const position = partner[at] ?? unmatched;
    const { scores } = readRuns(base.table, { position, repeats }, how);
    const rightBefore = scores.reduce((sum, score) => sum + score * repeats, 0);
    const right = (found.after[i] ?? 0) * repeats;
    return { right, of: repeats, rightBefore, ofBefore: scores.length * repeats };
  });
  const isCounted = answers.every(
    ({ right, rightBefore }) => isCount(right) && isCount(rightBefore),
  );
  return isCounted ? answers.map(counted) : undefined;
}

function isCount(right: number): boolean {
  return Math.abs(right - Math.round(right)) <= 1e-9;
}

function counted({ right, of, rightBefore, ofBefore }: StratifiedAnswers): StratifiedAnswers {
  return { right: Math.round(right), of, rightBefore: Math.round(rightBefore), ofBefore };
}

/** Smallest number of repeats that shows how consistent a case is. */
const fewestRepeats = 3;

function withinOf(
  { head, base }: Places,
  { partner }: Matching,
  { metric, positions }: { readonly metric: PinnedMetric; readonly positions: readonly number[] },
): Pairs["within"] {
  const isMean = (metric.reducer?.kind ?? "mean") === "mean";
  const isOne = head.table.runs === 1 && base.table.runs === 1;
  if (!isMean || !isOne || head.repeats < fewestRepeats) return undefined;
  return {
    before: positions.map((at) => varianceAt(base, partner[at] ?? unmatched)),
    after: positions.map((at) => varianceAt(head, at)),
  };
}

function varianceAt({ table, repeats, reading }: Place, position: number): number {
  return varianceWithin(table, { position, repeats }, reading);
}

/**
 * The scores of a pair. A case that head's grader could not score counts as the worst; if the baseline's grader could
 * not score it, there is no pair.
 */
function readPair(
  { head, base }: Places,
  position: number,
  other: number,
): "ungraded" | "invalid" | { readonly before: number; readonly after: number } {
  const here = { position, repeats: head.repeats };
  const after = readCase(head.table, here, { reading: head.reading, invalidCounts: true }).score;
  const there = { position: other, repeats: base.repeats };
  const found = readCase(base.table, there, { reading: base.reading, invalidCounts: false });
  const before = found.score;
  if (after === undefined || (before === undefined && !found.isInvalid)) return "ungraded";
  return before === undefined ? "invalid" : { before, after };
}

/**
 * The clusters as the baseline has them, so that a change that is judged does not choose its own test; this run's if
 * the baseline has none.
 */
function clustersOf(
  { head, base }: { readonly head: CaseTable; readonly base: CaseTable },
  { partner }: Matching,
  positions: readonly number[],
): readonly (string | null)[] | undefined {
  if (!base.group.hasClusters() && !head.group.hasClusters()) return undefined;
  const there = positions.map((at) => caseCluster(base, partner[at] ?? unmatched));
  if (there.some((cluster) => cluster !== null)) return shared(there);
  return shared(positions.map((at) => caseCluster(head, at)));
}

/** The clusters; undefined if no two cases share one, because cases are then independent. */
function shared(clusters: readonly (string | null)[]): readonly (string | null)[] | undefined {
  const named = clusters.filter((cluster) => cluster !== null);
  return new Set(named).size < named.length ? clusters : undefined;
}

/** The pairs of some of head's cases. */
export function pairsAmong(pairs: Pairs, members: readonly number[]): Pairs {
  const kept = members.map((at) => pairs.pairAt[at] ?? unmatched).filter((i) => i !== unmatched);
  const { caseIds, before, after, clusters, within, answers } = pairs;
  const lost = new Set(pairs.lost);
  return {
    ...pairs,
    positions: kept.map((i) => pairs.positions[i] ?? 0),
    caseIds: kept.map((i) => caseIds[i] ?? ""),
    before: kept.map((i) => before[i] ?? 0),
    after: kept.map((i) => after[i] ?? 0),
    within: within && {
      before: kept.map((i) => within.before[i] ?? 0),
      after: kept.map((i) => within.after[i] ?? 0),
    },
    answers: answers && kept.flatMap((i) => answers[i] ?? []),
    clusters: clusters && shared(kept.map((i) => clusters[i] ?? null)),
    lost: lost.size === 0 ? [] : members.filter((at) => lost.has(at)),
  };
}
