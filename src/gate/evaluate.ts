import { ownValue } from "../model/own-value.ts";
import { isAggregated, withSampleMetrics } from "../model/definition/metric.ts";
import type { Effort } from "../model/figures/effort.ts";
import type { DecidedRule } from "../model/outcomes/attempts.ts";
import type { Confirmation } from "../model/outcomes/confirmation.ts";
import type { Statistics } from "../model/figures/statistics.ts";
import type { JudgedRule } from "../model/outcomes/finding.ts";
import type { CellCounts, TooFewPairs } from "../model/outcomes/remark.ts";
import type { MetricSpec } from "../model/definition/suite.ts";
import type { Gate } from "../model/definition/gate.ts";
import { countCell } from "./counts.ts";
import { confirmResults, findProven, type ProvenDrop } from "./confirm.ts";
import { findTooFewPairs } from "./rules/floors.ts";
import { type Crashed, findCrashed, withCrashes } from "./crashes.ts";
import { findHidden, type Sliced } from "./hidden.ts";
import { compareEffort } from "./rules/effort.ts";
import { findLosses, type Loss } from "./losses.ts";
import {
  countFirstPairs,
  measureRule,
  type MeasuredRule,
  openMetricCell,
  type MetricCell,
} from "./rules/measure.ts";
import { withMoves } from "./moved.ts";
import { matchesName } from "../base/glob.ts";
import { covers, type PlannedRule, type Target } from "./rules/plan.ts";
import { decideRules } from "./rules/decide.ts";
import { faceCandidate, pinRanges, type Sides, type Cell, visitCells } from "./pairing/sides.ts";
import { sliceCells } from "./pairing/slices.ts";
import { locateLosses } from "./where.ts";
import type { RuleFigures } from "../model/outcomes/rule-result.ts";
import type { ScorePolicy } from "./pairing/case-scores.ts";

export interface Examination {
  readonly sides: Sides;
  readonly gate: Gate;
  readonly rules: readonly PlannedRule[];
  readonly ungradedAs: ScorePolicy["ungradedAs"];
  readonly ofChange: boolean;
  readonly acceptsMove: boolean;
  /** Result of running proven drops again; undefined: proven drops count as they are. */
  readonly confirmation?: Confirmation | undefined;
  /** Rules that an earlier attempt decided. */
  readonly decided: readonly DecidedRule[];
}

/** An evaluated run: case counts and decided rules. */
export interface Seen {
  readonly allCounts: readonly CellCounts[];
  readonly results: readonly JudgedRule[];
  /** Proven drops of slices that the totals do not show, because their rules are met. */
  readonly hidden: readonly JudgedRule[];
  /** Blocking comparisons with too few graded pairs to represent all cases. */
  readonly thin: readonly TooFewPairs[];
  /** Proven drops that would block, before any confirmation. */
  readonly proven: readonly ProvenDrop[];
  /** Average effort per case on both sides. */
  readonly effort: readonly Effort[];
  /** Cases that crashed here but not in the baseline, by task and candidate. */
  readonly crashed: readonly Crashed[];
  /** The cases of the losses that were seen. */
  readonly losses: () => readonly Loss[];
}

/** Visits every task × candidate × metric of a run, and decides the rules that cover it. */
export function evaluateRules(examination: Examination, statistics: Statistics): Seen {
  const { sides } = examination;
  const rules = examination.rules.filter((rule) => isReferenceKnown(rule, sides));
  const allCounts: CellCounts[] = [];
  const crashed: Crashed[] = [];
  const effort: Effort[] = [];
  const regraded = regradedTasks(sides);
  const sliced: Sliced[] = [];
  for (const cell of visitCells(sides)) {
    const places = placesOf(cell, examination, statistics);
    const cellCounts = countCell(cell, countFirstPairs(cell, places, statistics), statistics);
    allCounts.push(cellCounts);
    if (cellCounts.outcomes.failed + cellCounts.outcomes.invalid > 0)
      crashed.push(findCrashed(cell, regraded.includes(cell.task)));
    effort.push(...compareEffort(places, statistics));
    const facing = openFacing(cell, examination, statistics);
    for (const [i, place] of places.entries())
      sliced.push(
        ...measurePlace({ place, facing: (name) => facing(name)[i] ?? place }, rules, statistics),
      );
  }
  const measured = sliced.map(({ measured: one }) => one);
  const here = targetsHere(sides);
  const all = [...measured, ...measureUnmatched(examination, here)];
  const settled = decideRules(all, statistics).map((result) =>
    asDecided(result, examination.decided),
  );
  const proven = findProven(sliced, settled);
  const confirmed = confirmResults(
    { sliced, results: settled },
    examination.confirmation,
    statistics,
  );
  const results = examination.acceptsMove ? confirmed : withMoves(confirmed, sides);
  const hidden = findHidden(sliced, results, statistics);
  const located = withCrashes(
    locateLosses(sliced, { results, hidden }, statistics),
    sliced,
    crashed,
  );
  const minCases = (task: string): number => ownValue(sides.head.tasks, task)?.min_cases ?? 1;
  const thin = findTooFewPairs(measured, minCases, examination.gate);
  const losses = (): readonly Loss[] => findLosses(sliced, located);
  return { allCounts: allCounts, results: located, thin, hidden, proven, effort, crashed, losses };
}

function regradedTasks({ baseline }: Sides): readonly string[] {
  return baseline.kind === "run" ? (baseline.regraded ?? []).map(({ task }) => task) : [];
}

function placesOf(
  cell: Cell,
  { ungradedAs, ofChange }: Examination,
  statistics: Statistics,
): readonly MetricCell[] {
  return cell.metrics
    .filter(isAggregated)
    .map((metric) => openMetricCell({ cell: cell, metric, ungradedAs, ofChange }, statistics));
}

/** Metrics of a cell with another candidate of the run on the other side; each candidate's are opened once. */
function openFacing(
  cell: Cell,
  examination: Examination,
  statistics: Statistics,
): (candidate: string) => readonly MetricCell[] {
  const opened = new Map<string, readonly MetricCell[]>();
  return (candidate) => {
    const known = opened.get(candidate);
    if (known !== undefined) return known;
    const faced = faceCandidate(cell, candidate, examination.sides);
    const places = placesOf(faced, examination, statistics);
    opened.set(candidate, places);
    return places;
  };
}

interface Facing {
  /** The metric, compared with the baseline. */
  readonly place: MetricCell;
  /** The same metric, compared with another candidate of this run. */
  readonly facing: (candidate: string) => MetricCell;
}

/** Measures the rules that cover a metric of a cell, each over all cases or over each of the slices that it names. */
function measurePlace(
  { place: own, facing }: Facing,
  rules: readonly PlannedRule[],
  statistics: Statistics,
): readonly Sliced[] {
  const { cell: here, metric } = own;
  const target = { task: here.task, candidate: here.candidate, metric: metric.id };
  return rules
    .filter((rule) => covers(rule, target))
    .flatMap((rule): readonly Sliced[] => {
      const place = rule.against === undefined ? own : facing(rule.against);
      const { cell } = place;
      if (rule.slice === undefined)
        return [{ measured: measureRule(place, { rule, slice: undefined }, statistics), place }];
      const slices = sliceCells(cell, rule.slice);
      if (slices.length === 0) return [{ measured: noSlice(place, rule), place }];
      return slices.map((slice) => ({
        measured: measureRule(place, { rule, slice }, statistics),
        place,
        members: slice.members,
      }));
    });
}

function noSlice({ cell, metric }: MetricCell, rule: PlannedRule): MeasuredRule {
  return {
    rule,
    target: { task: cell.task, candidate: cell.candidate, metric: metric.id },
    slice: rule.slice ?? null,
    range: null,
    finding: { kind: "slice_missing" },
  };
}

/** The metrics that rules may apply to, by task: this run's, then those that only the baseline has. */
export function metricsByTask(sides: Sides): ReadonlyMap<string, readonly MetricSpec[]> {
  const baseline = sides.baseline.kind === "run" ? Object.keys(sides.baseline.tasks) : [];
  const tasks = new Set([...Object.keys(sides.head.tasks), ...baseline]);
  return new Map(
    [...tasks].map((task): [string, readonly MetricSpec[]] => [task, pinRanges(task, sides)]),
  );
}

function targetsHere(sides: Sides): readonly Target[] {
  const { head } = sides;
  return Object.keys(head.tasks).flatMap((task) =>
    metricIds(pinRanges(task, sides)).flatMap((metric) =>
      head.candidates.map((candidate) => ({ task, candidate, metric })),
    ),
  );
}

function metricIds(own: readonly MetricSpec[]): readonly string[] {
  return withSampleMetrics(own)
    .filter(isAggregated)
    .map(({ id }) => id);
}

/**
 * True if the reference candidate is known. A candidate that the run excluded on purpose can't be compared with, but is
 * not missing.
 */
function isReferenceKnown({ against }: PlannedRule, { head, leftOut }: Sides): boolean {
  return (
    against === undefined ||
    head.candidates.includes(against) ||
    leftOut.candidates.includes(against)
  );
}

/** A declared rule without a match names a missing metric, unless that was excluded on purpose. */
function measureUnmatched(
  { rules, sides }: Examination,
  here: readonly Target[],
): readonly MeasuredRule[] {
  return rules
    .filter(
      (rule) =>
        rule.declared &&
        !(isReferenceKnown(rule, sides) && here.some((target) => covers(rule, target))),
    )
    .filter((rule) => !isAboutUnselected(rule, sides))
    .map((rule) => ({
      rule,
      target: { task: rule.task, candidate: rule.candidate, metric: rule.metric },
      slice: rule.slice ?? null,
      range: null,
      finding: { kind: "nothing_matches" },
    }));
}

function isAboutUnselected(rule: PlannedRule, { leftOut }: Sides): boolean {
  return (
    leftOut.tasks.some((task) => matchesName(task, rule.task)) ||
    leftOut.candidates.some((candidate) => matchesName(candidate, rule.candidate))
  );
}

/**
 * Takes over a rule's decision from the earlier attempt that confirmed its drop; otherwise unchanged. More samples may
 * prove less than the first ones did, so repeated attempts would otherwise find a lucky one.
 */
function asDecided(result: JudgedRule, decided: readonly DecidedRule[]): JudgedRule {
  const found = decided.find(({ rule }) => isSameRule(rule, result));
  if (found === undefined) return result;
  const { reason, located, ...rule } = found.rule;
  const why = { kind: "decided", reason } as const;
  return { ...rule, why, ...(located && { places: located.places }), decided_in: found.attempt };
}

/** Keys that identify a decided rule. */
const identity = [
  "kind",
  "prove",
  "level",
  "task",
  "candidate",
  "metric",
  "slice",
  "against",
  "limit",
] as const;

function isSameRule(one: RuleFigures, other: RuleFigures): boolean {
  return identity.every((key) => one[key] === other[key]);
}
