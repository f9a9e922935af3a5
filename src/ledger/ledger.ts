import { ownValue } from "../model/own-value.ts";
import type { TaskPlace } from "../model/place.ts";
import { createDigestColumn, createNumberColumn } from "./columns.ts";
import type {
  DigestColumn,
  GivenMetrics,
  Ledger,
  LedgerGroup,
  NumberColumn,
  PositionTable,
} from "../model/figures/ledger.ts";
import { sampleMetricIds } from "../model/definition/metric.ts";
import type { Measured, SampleMetricId } from "../model/definition/metric.ts";
import { createPositionTable } from "./position-table.ts";
import type { Outcome, ScoredOutcome, ScoreRow } from "../model/outcomes/sample.ts";

const outcomes = ["scored", "invalid", "failed", "ungraded"] as const;

interface Columns {
  readonly task: string;
  readonly candidate: string;
  /** Columns by case: a row's properties are the same in all its samples. */
  readonly caseIds: string[];
  readonly positions: PositionTable;
  readonly contents: DigestColumn;
  /** Filled only up to the last case that has one; "" stands for none before it. */
  readonly judgedBy: DigestColumn;
  /** Filled only up to the last case that has a cluster. */
  readonly clusters: (string | null)[];
  /** Numbers of the slices in the ledger. */
  readonly slices: NumberColumn;
  readonly combinations: Set<number>;
  /** Columns by sample. */
  readonly cases: NumberColumn;
  readonly repeats: NumberColumn;
  readonly outcomes: NumberColumn;
  /** NaN means "no score" inside this file only. */
  readonly scores: Map<string, NumberColumn>;
  readonly measured: Map<string, NumberColumn>;
  /** The keys of `scores`, sorted; outdated if there are fewer than in `scores`. */
  scoreIds: readonly string[];
  given: GivenMetrics | undefined;
}

/** Combinations of slices, each stored once under a number: cases share few of them. */
interface Combinations {
  readonly numbers: Map<string, number>;
  readonly all: ScoreRow["slices"][];
}

function numberOf({ numbers, all }: Combinations, slices: ScoreRow["slices"]): number {
  const key = hasNone(slices) ? "{}" : JSON.stringify(slices);
  const found = numbers.get(key);
  if (found !== undefined) return found;
  numbers.set(key, all.length);
  return all.push(slices) - 1;
}

function hasNone(slices: ScoreRow["slices"]): boolean {
  for (const _ in slices) return false;
  return true;
}

/** An empty ledger. `beside`: the ledger of another run with mostly the same cases, whose texts are reused. */
export function createLedger(beside?: Ledger): Ledger {
  const columns = new Map<string, Columns>();
  const distinct: Combinations = { numbers: new Map(), all: [] };
  let last: Columns | undefined;
  return {
    add: (row) => {
      // Most rows belong to the same group as the row before.
      if (last?.task !== row.task || last.candidate !== row.candidate)
        last = columnsFor(columns, row, beside);
      addRow(last, row, distinct);
    },
    amend: (at, change) => amendRow(columnsFor(columns, at), at.i, change),
    give: (given) => {
      columnsFor(columns, given).given = given;
    },
    groups: () => [...columns.values()].map((each) => readGroup(each, distinct)),
    group: (task, candidate) => {
      const found = columns.get(groupKey(task, candidate));
      return found && readGroup(found, distinct);
    },
  };
}

function columnsFor(all: Map<string, Columns>, row: TaskPlace, beside?: Ledger): Columns {
  const key = groupKey(row.task, row.candidate);
  const found = all.get(key);
  if (found) return found;
  const caseIds: string[] = [];
  const made: Columns = {
    task: row.task,
    candidate: row.candidate,
    caseIds,
    positions: createPositionTable(caseIds, beside?.group(row.task, row.candidate)?.caseIds()),
    contents: createDigestColumn(),
    judgedBy: createDigestColumn(),
    clusters: [],
    slices: createNumberColumn("whole"),
    combinations: new Set(),
    cases: createNumberColumn("whole"),
    repeats: createNumberColumn("whole"),
    outcomes: createNumberColumn("small"),
    scores: new Map(),
    measured: new Map(),
    scoreIds: [],
    given: undefined,
  };
  all.set(key, made);
  return made;
}

function addRow(columns: Columns, row: ScoreRow, distinct: Combinations): void {
  const position = columns.cases.length();
  const known = columns.slices.length();
  const at = columns.positions.place(row.case_id);
  if (at === known) addCase(columns, row, distinct);
  columns.cases.push(at);
  columns.repeats.push(row.repeat);
  columns.outcomes.push(outcomes.indexOf(row.outcome));
  const { scores, measured } = row;
  for (const metric in scores)
    columnOf(columns.scores, metric, position).push(ownValue(scores, metric) ?? Number.NaN);
  // A plain loop: this runs for every sample of a million.
  for (const metric of measured === undefined ? [] : sampleMetricIds) {
    const value = measured?.[metric];
    if (value !== undefined) columnOf(columns.measured, metric, position).push(value);
  }
}

/** Adds the row's properties for a case whose id has just been added. */
function addCase(columns: Columns, row: ScoreRow, distinct: Combinations): void {
  const { contents, clusters, slices, combinations } = columns;
  if (row.cluster !== null) {
    while (clusters.length < slices.length()) clusters.push(null);
    clusters.push(row.cluster);
  }
  contents.push(row.content);
  if (row.judged_by !== undefined) {
    const { judgedBy } = columns;
    while (judgedBy.parts.high.length() < slices.length()) judgedBy.push("");
    judgedBy.push(row.judged_by);
  }
  const combination = numberOf(distinct, row.slices);
  slices.push(combination);
  combinations.add(combination);
}

/** Measurements of the sample are kept: they don't depend on the grader. */
function amendRow(columns: Columns, i: number, { outcome, scores }: ScoredOutcome): void {
  if (i >= columns.cases.length()) throw new RangeError(`no sample ${i} in ${columns.task}`);
  columns.outcomes.set(i, outcomes.indexOf(outcome));
  for (const column of columns.scores.values()) column.set(i, Number.NaN);
  for (const [metric, score] of Object.entries(scores))
    columnOf(columns.scores, metric, i + 1).set(i, score);
}

/** The column of a metric, filled up to a sample. */
function columnOf(
  columns: Map<string, NumberColumn>,
  metric: string,
  position: number,
): NumberColumn {
  const found = columns.get(metric);
  const column = found ?? createNumberColumn("any");
  if (found === undefined) columns.set(metric, column);
  while (column.length() < position) column.push(Number.NaN);
  return column;
}

function readGroup(columns: Columns, distinct: Combinations): LedgerGroup {
  const at = <T>(column: Readable<T>, i: number): T => {
    const value = column.at(i);
    if (value === undefined) throw new RangeError(`no sample ${i} in ${columns.task}`);
    return value;
  };
  const caseAt = (i: number): number => numberAt(columns.cases, i);
  const score = (i: number, metric: string): number | undefined =>
    valueAt(columns.scores.get(metric), i);
  const measured = (i: number, metric: SampleMetricId): number | undefined =>
    valueAt(columns.measured.get(metric), i);
  const group: LedgerGroup = {
    task: columns.task,
    candidate: columns.candidate,
    size: columns.cases.length(),
    caseIds: () => columns.caseIds,
    positions: () => columns.positions,
    caseAt,
    caseId: (i) => at(columns.caseIds, caseAt(i)),
    content: (i) => at(columns.contents, caseAt(i)),
    hasContentOf: (i, other, j) =>
      columns.contents.equals(caseAt(i), other.contents(), other.caseAt(j)),
    contents: () => columns.contents,
    ...judgingIn(columns, caseAt),
    repeat: (i) => numberAt(columns.repeats, i),
    outcome: (i) => outcomeAt(columns.outcomes, i),
    cluster: (i) => columns.clusters[caseAt(i)] ?? null,
    hasClusters: () => columns.clusters.length > 0,
    score,
    measured,
    ...givenBy(columns),
    hasAny: (metric) => columns.scores.has(metric) || columns.measured.has(metric),
    scoreIds: () => scoreIdsOf(columns),
    slices: (i) => at(distinct.all, numberAt(columns.slices, caseAt(i))),
    sliceCombinations: () => [...columns.combinations].map((each) => at(distinct.all, each)),
    row: (i) => rowAt(group, i),
  };
  return group;
}

function rowAt(group: LedgerGroup, i: number): ScoreRow {
  return {
    task: group.task,
    case_id: group.caseId(i),
    content: group.content(i),
    candidate: group.candidate,
    repeat: group.repeat(i),
    outcome: group.outcome(i),
    scores: scoresAt(group.scoreIds(), i, group.score),
    cluster: group.cluster(i),
    slices: group.slices(i),
    ...measuredAt(i, group.measured),
    ...judgingAt(i, group),
  };
}

function judgingIn(
  { judgedBy }: Columns,
  caseAt: (i: number) => number,
): Pick<LedgerGroup, "judgedBy" | "tellsJudging"> {
  return {
    judgedBy: (i) => {
      const found = judgedBy.at(caseAt(i));
      return found === "" ? undefined : found;
    },
    tellsJudging: () => judgedBy.parts.high.length() > 0,
  };
}

function judgingAt(i: number, group: LedgerGroup): Pick<ScoreRow, "judged_by"> {
  const judged_by = group.tellsJudging() ? group.judgedBy(i) : undefined;
  return judged_by === undefined ? {} : { judged_by };
}

function givenBy(columns: Columns): Pick<LedgerGroup, "given" | "givenInterval" | "givenIds"> {
  return {
    given: (metric) => givenIn(columns, metric),
    givenInterval: (metric) => columns.given?.intervals?.[metric],
    givenIds: () => givenIds(columns),
  };
}

function givenIn({ given }: Columns, metric: string): number | undefined {
  return given && Object.hasOwn(given.metrics, metric) ? given.metrics[metric] : undefined;
}

function givenIds({ given }: Columns): readonly string[] {
  return given === undefined ? [] : [...Object.keys(given.metrics), ...given.dropped].toSorted();
}

/**
 * For columns of numbers only, which are most reads of a million samples: one function for all kinds of lists would make
 * V8 check the type each time, and a comparison would take a tenth longer.
 */
function numberAt(column: NumberColumn, i: number): number {
  const value = column.at(i);
  if (value === undefined) throw new RangeError(`no sample ${i}`);
  return value;
}

function outcomeAt(column: NumberColumn, i: number): Outcome {
  const outcome = outcomes[numberAt(column, i)];
  if (outcome === undefined) throw new RangeError(`no outcome of sample ${i}`);
  return outcome;
}

/** Arrays also read from the end with −1, which is not used here. */
interface Readable<T> {
  readonly at: (i: number) => T | undefined;
}

function valueAt(column: NumberColumn | undefined, i: number): number | undefined {
  const value = column?.at(i);
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

function measuredAt(
  i: number,
  measured: LedgerGroup["measured"],
): { readonly measured?: Measured } {
  const known: { [id in SampleMetricId]?: number } = {};
  let isAny = false;
  for (const id of sampleMetricIds) {
    const value = measured(i, id);
    if (value === undefined) continue;
    known[id] = value;
    isAny = true;
  }
  return isAny ? { measured: known } : {};
}

function scoreIdsOf(columns: Columns): readonly string[] {
  if (columns.scoreIds.length !== columns.scores.size)
    columns.scoreIds = [...columns.scores.keys()].toSorted();
  return columns.scoreIds;
}

function scoresAt(
  ids: readonly string[],
  i: number,
  score: (i: number, metric: string) => number | undefined,
): Record<string, number> {
  const scores: Record<string, number> = {};
  for (const metric of ids) {
    const value = score(i, metric);
    if (value !== undefined) scores[metric] = value;
  }
  return scores;
}

function groupKey(task: string, candidate: string): string {
  return JSON.stringify([task, candidate]);
}
