import { ownValue } from "../model/own-value.ts";
import { isAggregated, isSampleMetric } from "../model/definition/metric.ts";
import type { CaseCounts, RunTask } from "../model/outcomes/run.ts";
import type { CellCounts, DroppedPairs, GateProblem } from "../model/outcomes/remark.ts";
import type { Outcome } from "../model/outcomes/sample.ts";
import type { Statistics } from "../model/figures/statistics.ts";
import {
  caseOutcome,
  countOutside,
  countWithoutScore,
  hasMetric,
  hasScoredSample,
  isJudgedOtherwise,
  tabulateCases,
} from "./pairing/cases.ts";
import type { CasesBy } from "./doubts.ts";
import { editedResult } from "./pairing/edited.ts";
import { unmatched } from "./pairing/matching.ts";
import type { CountedPairs } from "./pairing/pairs.ts";
import {
  pairCandidates,
  undeclaredScores,
  type Side,
  type Sides,
  type Cell,
} from "./pairing/sides.ts";

const noneDropped: DroppedPairs = {
  ungraded: 0,
  invalid: 0,
  changed: 0,
  unasked: 0,
};

/** Counts the cases of a cell. `pairs`: the pairs of its first metric. */
export function countCell(
  cell: Cell,
  pairs: CountedPairs | undefined,
  statistics: Statistics,
): CellCounts {
  const outcomes: Record<Outcome, number> = { scored: 0, invalid: 0, failed: 0, ungraded: 0 };
  for (let position = 0; position < cell.cases.ids.length; position += 1)
    outcomes[caseOutcome(cell.cases, position)] += 1;
  return {
    task: cell.task,
    candidate: cell.candidate,
    cases: cell.cases.ids.length,
    minCases: cell.spec.min_cases,
    outcomes,
    anyScored: hasScoredSample(cell.cases),
    lacking: findLacking(cell),
    outside: findOutside(cell),
    undeclared: undeclaredScores(cell),
    paired: pairs?.paired ?? 0,
    dropped: pairs?.dropped ?? noneDropped,
    edited: (pairs?.dropped.changed ?? 0) > 0 ? editedResult(cell, statistics) : undefined,
    judgedOtherwise: countJudgedOtherwise(cell),
    ...compareIds(cell),
  };
}

/** Metrics that samples lack. Only metrics with a value count: nothing is counted for one with `aggregation: none`. */
function findLacking({ cases, metrics }: Cell): CellCounts["lacking"] {
  return metrics
    .filter((metric) => isAggregated(metric) && !isSampleMetric(metric.id))
    .map(({ id }) => ({
      metric: id,
      cases: countWithoutScore(cases, id),
      everywhere: !hasMetric(cases, id),
    }))
    .filter((lacking) => lacking.cases > 0);
}

function findOutside({ cases, metrics }: Cell): CellCounts["outside"] {
  return metrics.flatMap((metric): CellCounts["outside"] => {
    const count = isAggregated(metric) ? countOutside(cases, metric) : 0;
    const { id, range } = metric;
    return count === 0 || range === null ? [] : [{ metric: id, cases: count, range }];
  });
}

function compareIds({
  cases,
  counterpart,
}: Cell): Pick<CellCounts, "fresh" | "renamed" | "missing"> {
  if (counterpart.kind === "absent") {
    const fresh = counterpart.why === "no_baseline" ? 0 : cases.ids.length;
    return { fresh, renamed: 0, missing: [] };
  }
  const { fresh, renamed, missing } = counterpart.matching;
  return { fresh, renamed, missing };
}

/** Number of pairs that another tool judged differently on each side. */
function countJudgedOtherwise({ cases: head, counterpart }: Cell): number {
  if (counterpart.kind === "absent") return 0;
  const { cases: base, matching } = counterpart;
  if (!head.group.tellsJudging() || !base.group.tellsJudging()) return 0;
  let count = 0;
  for (const [position, other] of matching.partner.entries())
    if (other !== unmatched && isJudgedOtherwise({ head, base }, position, other)) count += 1;
  return count;
}

/** Parts of the baseline that this run lacks although it did not exclude them. */
type Gone = Extract<GateProblem, { kind: "task_gone" | "candidate_gone" | "metric_gone" }>;

/** Tasks, metrics and candidates of the baseline that this run lacks, in the baseline's order. */
export function findGone(sides: Sides): readonly Gone[] {
  if (sides.baseline.kind === "none") return [];
  const { head, baseline, leftOut } = sides;
  const wanted = baseline.candidates.filter((name) => !leftOut.candidates.includes(name));
  const met = new Set(pairCandidates(sides).values());
  const gone: Gone[] = [];
  const kept: string[] = [];
  for (const [task, spec] of Object.entries(baseline.tasks)) {
    const here = ownValue(head.tasks, task);
    if (leftOut.tasks.includes(task)) continue;
    if (here === undefined)
      gone.push({ kind: "task_gone", task, cases: countCases(baseline, [task], wanted) });
    else {
      kept.push(task);
      gone.push(...goneMetrics(task, spec, here));
    }
  }
  for (const candidate of wanted.filter((name) => !met.has(name)))
    gone.push({
      kind: "candidate_gone",
      candidate,
      cases: countCases(baseline, kept, [candidate]),
    });
  return gone;
}

function goneMetrics(task: string, base: RunTask, head: RunTask): readonly Gone[] {
  return base.metrics
    .filter(({ id }) => !head.metrics.some((metric) => metric.id === id))
    .map(({ id }) => ({ kind: "metric_gone", task, metric: id }));
}

function countCases(side: Side, tasks: readonly string[], candidates: readonly string[]): number {
  return sum(
    tasks.flatMap((task) =>
      candidates.map((name) => tabulateCases(side.ledger.group(task, name), 1).ids.length),
    ),
  );
}

/** The case counts of the whole run, over case × candidate. */
export function totalCases(allCounts: readonly CellCounts[], gone: readonly Gone[]): CaseCounts {
  const total = (of: (cellCounts: CellCounts) => number): number => sum(allCounts.map(of));
  const lost = sum(gone.map((one) => (one.kind === "metric_gone" ? 0 : one.cases)));
  return {
    declared: total(({ cases }) => cases),
    scored: total(({ outcomes }) => outcomes.scored),
    invalid: total(({ outcomes }) => outcomes.invalid),
    failed: total(({ outcomes }) => outcomes.failed),
    ungraded: total(({ outcomes }) => outcomes.ungraded),
    paired: total(({ paired }) => paired),
    new: total(({ fresh }) => fresh),
    missing: total(({ missing }) => missing.length) + lost,
    renamed: total(({ renamed }) => renamed),
  };
}

/** Cases that another tool asked or judged otherwise than in the baseline. `casesBy`: who chose the cases. */
export function countOtherwise(
  allCounts: readonly CellCounts[],
  casesBy: CasesBy | undefined,
): Pick<CaseCounts, "otherwise"> {
  const otherwise = sum(
    allCounts.map(
      ({ judgedOtherwise, dropped }) =>
        judgedOtherwise + (casesBy === "tool" ? dropped.changed : 0),
    ),
  );
  return otherwise === 0 ? {} : { otherwise };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
