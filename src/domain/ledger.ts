import type { MetricSpec } from "./suite.ts";
import type { Outcome, ScoreRow } from "./sample.ts";

/**
 * The scores of a run, held in columns: a million samples cost tens of megabytes, not hundreds.
 * Filled while the run goes, or from a `scores.jsonl`; read by the metrics and the gate.
 */
export interface Ledger {
  readonly add: (row: ScoreRow) => void;
  /** In the order in which they first appeared. */
  readonly groups: () => readonly LedgerGroup[];
  readonly group: (task: string, candidate: string) => LedgerGroup | undefined;
}

/** The samples of one task × candidate; `i` runs from 0 to `size` − 1. */
export interface LedgerGroup {
  readonly task: string;
  readonly candidate: string;
  readonly size: number;
  readonly caseId: (i: number) => string;
  readonly content: (i: number) => string;
  readonly repeat: (i: number) => number;
  readonly outcome: (i: number) => Outcome;
  /** What the grader gave; undefined where it gave none. */
  readonly score: (i: number, metric: string) => number | undefined;
  /** Every id under which some sample has a score, sorted. */
  readonly scoreIds: () => readonly string[];
  readonly slices: (i: number) => Readonly<Record<string, string>>;
  readonly row: (i: number) => ScoreRow;
}

const outcomes = ["scored", "invalid", "failed", "ungraded"] as const;

interface Columns {
  readonly task: string;
  readonly candidate: string;
  readonly caseIds: string[];
  readonly contents: string[];
  readonly repeats: number[];
  readonly outcomes: number[];
  readonly clusters: (string | null)[];
  readonly slices: Readonly<Record<string, string>>[];
  /** NaN stands for "no score" inside this file only. */
  readonly scores: Map<string, number[]>;
}

/** An empty ledger. */
export function createLedger(): Ledger {
  const columns = new Map<string, Columns>();
  const intern = interner();
  return {
    add: (row) => addRow(columnsFor(columns, row), row, intern),
    groups: () => [...columns.values()].map(readGroup),
    group: (task, candidate) => {
      const found = columns.get(groupKey(task, candidate));
      return found && readGroup(found);
    },
  };
}

function columnsFor(all: Map<string, Columns>, row: ScoreRow): Columns {
  const key = groupKey(row.task, row.candidate);
  const found = all.get(key);
  if (found) return found;
  const made: Columns = {
    task: row.task,
    candidate: row.candidate,
    caseIds: [],
    contents: [],
    repeats: [],
    outcomes: [],
    clusters: [],
    slices: [],
    scores: new Map(),
  };
  all.set(key, made);
  return made;
}

function addRow(
  columns: Columns,
  row: ScoreRow,
  intern: (slices: ScoreRow["slices"]) => ScoreRow["slices"],
): void {
  const position = columns.caseIds.length;
  columns.caseIds.push(row.case_id);
  columns.contents.push(row.content);
  columns.repeats.push(row.repeat);
  columns.outcomes.push(outcomes.indexOf(row.outcome));
  columns.clusters.push(row.cluster);
  columns.slices.push(intern(row.slices));
  for (const [metric, score] of Object.entries(row.scores)) {
    const column = scoreColumn(columns, metric);
    while (column.length < position) column.push(Number.NaN);
    column.push(score);
  }
}

function scoreColumn(columns: Columns, metric: string): number[] {
  const found = columns.scores.get(metric);
  if (found) return found;
  const made: number[] = [];
  columns.scores.set(metric, made);
  return made;
}

function readGroup(columns: Columns): LedgerGroup {
  const at = <T>(column: readonly T[], i: number): T => {
    const value = column[i];
    if (value === undefined) throw new RangeError(`no sample ${i} in ${columns.task}`);
    return value;
  };
  const score = (i: number, metric: string): number | undefined => {
    const value = columns.scores.get(metric)?.[i];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  };
  const group: LedgerGroup = {
    task: columns.task,
    candidate: columns.candidate,
    size: columns.caseIds.length,
    caseId: (i) => at(columns.caseIds, i),
    content: (i) => at(columns.contents, i),
    repeat: (i) => at(columns.repeats, i),
    outcome: (i) => at(outcomes, at(columns.outcomes, i)),
    score,
    scoreIds: () => [...columns.scores.keys()].toSorted(),
    slices: (i) => at(columns.slices, i),
    row: (i) => ({
      task: columns.task,
      case_id: group.caseId(i),
      content: group.content(i),
      candidate: columns.candidate,
      repeat: group.repeat(i),
      outcome: group.outcome(i),
      scores: scoresAt(columns, i, score),
      cluster: columns.clusters[i] ?? null,
      slices: group.slices(i),
    }),
  };
  return group;
}

function scoresAt(
  columns: Columns,
  i: number,
  score: (i: number, metric: string) => number | undefined,
): Record<string, number> {
  const scores: Record<string, number> = {};
  for (const metric of [...columns.scores.keys()].toSorted()) {
    const value = score(i, metric);
    if (value !== undefined) scores[metric] = value;
  }
  return scores;
}

/** Cases share few combinations of slices: one object each. */
function interner(): (slices: ScoreRow["slices"]) => ScoreRow["slices"] {
  const known = new Map<string, ScoreRow["slices"]>();
  return (slices) => {
    const key = JSON.stringify(slices);
    const found = known.get(key);
    if (found) return found;
    known.set(key, slices);
    return slices;
  };
}

function groupKey(task: string, candidate: string): string {
  return JSON.stringify([task, candidate]);
}

/** What a sample without a score of its own counts as in a metric. */
export interface SubstituteScores {
  readonly invalid: number;
  readonly failed: number;
}

/**
 * What a sample counts as in a metric (design §4, the outcome table).
 * `scored`: its score; where the grader left this metric out, as invalid. `ungraded`: undefined.
 */
export function countedScore(
  group: LedgerGroup,
  i: number,
  metric: { readonly id: string; readonly substitutes: SubstituteScores },
): number | undefined {
  switch (group.outcome(i)) {
    case "ungraded":
      return undefined;
    case "scored":
      return group.score(i, metric.id) ?? metric.substitutes.invalid;
    case "invalid":
      return metric.substitutes.invalid;
    case "failed":
      return metric.substitutes.failed;
  }
}

/**
 * Failed counts as the worst of `range`, invalid as 0 or, where lower is better, as the worst of `range`.
 * Without a range the worst is 0 where higher is better, else the worst score seen in `groups`:
 * hand in the groups of both sides of a comparison.
 */
export function substituteScores(
  metric: MetricSpec,
  groups: readonly LedgerGroup[],
): SubstituteScores {
  if (metric.higher_is_better) return { invalid: 0, failed: metric.range?.[0] ?? 0 };
  const worst = metric.range?.[1] ?? highestScore(metric.id, groups);
  return { invalid: worst, failed: worst };
}

function highestScore(metric: string, groups: readonly LedgerGroup[]): number {
  let highest = 0;
  for (const group of groups) {
    for (let i = 0; i < group.size; i += 1)
      highest = Math.max(highest, group.score(i, metric) ?? 0);
  }
  return highest;
}
