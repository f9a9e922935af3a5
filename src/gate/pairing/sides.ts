import { ownValue } from "../../model/own-value.ts";
import type { NoBaseline } from "../../model/baseline.ts";
import { ownScore } from "../../model/outcomes/counted-score.ts";
import type { Figure, KnownJudge } from "../../model/figures/judge-calibration.ts";
import type { LedgerGroup, LedgerReader } from "../../model/figures/ledger.ts";
import { withSampleMetrics } from "../../model/definition/metric.ts";
import type { AbsentWhy, FingerprintPart } from "../../model/outcomes/finding.ts";
import type { Fingerprint, RunTask } from "../../model/outcomes/run.ts";
import type { DecisivePart, RegradedTask, SwapTest } from "../../model/outcomes/compared.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import { tabulateCases, type CaseTable } from "./cases.ts";
import { matchCases, type Matching } from "./matching.ts";

/** One side of a comparison: a run as the gate sees it. */
export interface Side {
  readonly ledger: LedgerReader;
  /** Tasks by id, in the suite's order. */
  readonly tasks: Readonly<Record<string, RunTask>>;
  /** Slot names, in the suite's order. */
  readonly candidates: readonly string[];
  /**
   * True if the ledger holds the samples of several attempts, one after the other, each with as many repeats as its
   * task declares.
   */
  readonly hasAttempts?: boolean;
  /** Candidates with recorded answers; asking them again gives the same answers. */
  readonly recorded?: readonly string[];
  /** Calibrations of the judges of this side's metrics, from people's labels. */
  readonly judges?: readonly Pick<KnownJudge, "task" | "metric" | "slope">[];
}

export type BaselineSide =
  | NoBaseline
  | ({
      readonly kind: "run";
      /** Tasks whose stored outputs were graded again by this run's grader. */
      readonly regraded?: readonly RegradedTask[];
      /** Results of swapping base and head within cases, for a batch grader's numbers. */
      readonly swaps?: readonly SwapTest[];
      readonly pool?: Pooling;
    } & Side);

/** Several pooled runs. The ledger holds the repeats of the first run, then those of the second, and so on. */
export interface Pooling {
  readonly runs: number;
  /** Number of repeats reserved for each run, by task. */
  readonly repeats: ReadonlyMap<string, number>;
}

/** Tasks and candidates that the user excluded from this run on purpose; they don't count as missing. */
export interface LeftOut {
  readonly tasks: readonly string[];
  readonly candidates: readonly string[];
  /** Tasks of which not all cases were run, by id. The function returns true for a case that this run left out on purpose. */
  readonly casesOf?: ReadonlyMap<string, (caseId: string) => boolean>;
}

/** Both sides, and what may be missing between them. */
export interface Sides {
  readonly head: Side;
  readonly baseline: BaselineSide;
  readonly leftOut: LeftOut;
  /** True if cases with the same id and different rows are compared, too. */
  readonly pairsEdited?: boolean;
}

/** One task × candidate of this run, and its counterpart on the other side. */
export interface Cell {
  readonly task: string;
  readonly candidate: string;
  readonly spec: RunTask;
  readonly cases: CaseTable;
  /** True if the candidate's answers were recorded. */
  readonly recorded: boolean;
  /**
   * The task's metrics, with scale and range as in the baseline, then Regrade's measurements. The first one is the
   * task's own, except in a broken run.
   */
  readonly metrics: readonly PinnedMetric[];
  readonly counterpart: Counterpart;
  /** True for a case that this run's selection excluded; undefined: it excluded none. */
  readonly isLeftOut?: (caseId: string) => boolean;
}

export type PinnedMetric = MetricSpec & {
  readonly scale: "binary" | "graded";
  /** How much of a difference between people's scores the metric's judge shows, if it was calibrated. */
  readonly slope?: Figure;
};

export type Counterpart =
  | { readonly kind: "absent"; readonly why: AbsentWhy }
  | {
      readonly kind: "run";
      readonly candidate: string;
      readonly spec: RunTask;
      readonly cases: CaseTable;
      readonly matching: Matching;
      /** Parts of the fingerprint that changed and thereby make scores incomparable; empty if they are comparable. */
      readonly changedParts: readonly FingerprintPart[];
      /** Swap tests of this run's task and candidate. */
      readonly swaps: readonly SwapTest[];
    };

/** Parts whose change makes scores incomparable: another grader, judge or extraction gives other scores. */
const decisiveParts = ["extraction", "grader", "judge"] as const;
/** Parts whose change leaves cases comparable, if their own rows are equal after preprocessing. */
const toleratedParts = ["dataset", "preprocess", "prompt"] as const;

/**
 * Maps head's slot names to the baseline's. Slots are paired by name; a single candidate on each side is paired
 * whatever its name, so that changing the model is a comparison and not a missing metric.
 */
export function pairCandidates(sides: Sides): ReadonlyMap<string, string> {
  if (sides.baseline.kind === "none") return new Map();
  const base = sides.baseline.candidates;
  const declared = [...new Set([...sides.head.candidates, ...sides.leftOut.candidates])];
  const [only, ...others] = declared;
  const [baseOnly, ...baseOthers] = base;
  if (only !== undefined && baseOnly !== undefined && others.length + baseOthers.length === 0)
    return new Map([[only, baseOnly]]);
  return new Map(
    declared.filter((name) => base.includes(name)).map((name): [string, string] => [name, name]),
  );
}

/** Every task × candidate of this run, one at a time, because their tables are the gate's only large data. */
export function* visitCells(sides: Sides): Generator<Cell> {
  const slots = pairCandidates(sides);
  for (const [task, spec] of Object.entries(sides.head.tasks)) {
    const metrics = pinMetrics(task, sides);
    for (const candidate of sides.head.candidates) {
      const { ledger, hasAttempts } = sides.head;
      const cases = tabulateCases(ledger.group(task, candidate), spec.repeats, hasAttempts);
      const here = { task, spec, cases, candidate };
      const counterpart = findCounterpart(sides, here, slots.get(candidate));
      const isLeftOut = sides.leftOut.casesOf?.get(task);
      const recorded = sides.head.recorded?.includes(candidate) === true;
      const cell = { task, candidate, spec, cases, recorded, metrics, counterpart };
      yield isLeftOut === undefined ? cell : { ...cell, isLeftOut };
    }
  }
}

/**
 * The same cell with another candidate of the same run on the other side, for rules with `against`. Both used one
 * manifest, so only the candidates differ.
 */
export function faceCandidate(cell: Cell, candidate: string, sides: Sides): Cell {
  const { task, spec } = cell;
  const { ledger, hasAttempts } = sides.head;
  const group = ledger.group(task, candidate);
  if (group === undefined) return { ...cell, counterpart: { kind: "absent", why: "no_reference" } };
  const cases = tabulateCases(group, spec.repeats, hasAttempts);
  const matching = matchCases(cell.cases, cases);
  const metrics = cell.metrics.map((metric) => scaleBeside(metric, { cell, group, sides }));
  const counterpart = {
    kind: "run",
    candidate,
    spec,
    cases,
    matching,
    changedParts: [],
    swaps: [],
  } as const;
  return { ...cell, metrics, counterpart };
}

/**
 * The scale of a metric next to another candidate. Without a baseline, that candidate's scores decide whether an
 * undeclared scale is 0/1.
 */
function scaleBeside(
  metric: PinnedMetric,
  {
    cell,
    group,
    sides,
  }: { readonly cell: Cell; readonly group: LedgerGroup; readonly sides: Sides },
): PinnedMetric {
  const declared = cell.spec.metrics.find(({ id }) => id === metric.id)?.scale;
  if (declared !== undefined || sides.baseline.kind === "run") return metric;
  return withScale(metric, foundScale(metric.id, [group]) ?? metric.scale);
}

/** Ids of scores or metrics that the grader gave but the task does not declare, sorted. */
export function undeclaredScores({ cases: { group }, metrics }: Cell): readonly string[] {
  const ids = new Set([...group.scoreIds(), ...group.givenIds()]);
  return [...ids].filter((id) => !metrics.some((metric) => metric.id === id)).toSorted();
}

function findCounterpart(
  sides: Sides,
  here: Pick<Cell, "task" | "spec" | "cases" | "candidate">,
  candidate: string | undefined,
): Counterpart {
  const baseline = sides.baseline;
  if (baseline.kind === "none") return { kind: "absent", why: "no_baseline" };
  const spec = ownValue(baseline.tasks, here.task);
  if (spec === undefined) return { kind: "absent", why: "new_task" };
  if (candidate === undefined) return { kind: "absent", why: "new_candidate" };
  const { pool, hasAttempts } = baseline;
  const repeats = pool?.repeats.get(here.task) ?? spec.repeats;
  const group = baseline.ledger.group(here.task, candidate);
  const cases = tabulateCases(group, repeats, hasAttempts === true || pool !== undefined);
  return {
    kind: "run",
    candidate,
    spec,
    cases,
    matching: wanted(matchCases(here.cases, cases, sides.pairsEdited), here.task, sides.leftOut),
    changedParts: changedFingerprints(here.spec.fingerprint, spec.fingerprint),
    swaps: (baseline.swaps ?? []).filter(
      (each) => each.task === here.task && each.candidate === here.candidate,
    ),
  };
}

/** Removes cases that the run's selection excluded from the missing ones. */
function wanted(matching: Matching, task: string, { casesOf }: LeftOut): Matching {
  const isLeftOut = casesOf?.get(task);
  if (isLeftOut === undefined) return matching;
  return { ...matching, missing: matching.missing.filter((id) => !isLeftOut(id)) };
}

/** Parts of the fingerprint that changed and thereby make the task's scores incomparable. */
export function changedFingerprints(head: Fingerprint, base: Fingerprint): readonly DecisivePart[] {
  return decisiveParts.filter((part) => head[part] !== base[part]);
}

/** Parts of the fingerprint that differ but leave equal cases comparable. */
export function toleratedChanges(head: RunTask, base: RunTask): readonly FingerprintPart[] {
  return toleratedParts.filter((part) => head.fingerprint[part] !== base.fingerprint[part]);
}

/**
 * The metrics of a task with the baseline's scale and range, if the baseline has them, because a change must not choose
 * its own test. A change can't remove a metric's value by `aggregation: none` either, unless it is the number that a
 * batch grader returned. Another aggregation or reducer is computed on both sides.
 */
export function pinRanges(task: string, sides: Sides): readonly MetricSpec[] {
  const baseline = sides.baseline.kind === "run" ? sides.baseline : undefined;
  const base = ownValue(baseline?.tasks, task)?.metrics;
  const here = ownValue(sides.head.tasks, task)?.metrics ?? base ?? [];
  const groups = [sides.head, baseline].flatMap((side) => groupsOf(side, task));
  return here.map((metric) => {
    const isReturned = groups.some((group) => group.given(metric.id) !== undefined);
    const there = base?.find((other) => other.id === metric.id);
    return pinRange(metric, there, isReturned ? "mean" : "none");
  });
}

/** A metric with the baseline's range. `otherwise`: the aggregation, if neither side has one. */
function pinRange(
  metric: MetricSpec,
  base: MetricSpec | undefined,
  otherwise: MetricSpec["aggregation"],
): MetricSpec {
  const range = base?.range ?? metric.range;
  const declared = [metric.aggregation, base?.aggregation ?? "none"];
  return { ...metric, range, aggregation: declared.find((each) => each !== "none") ?? otherwise };
}

/** Pins the scales, too: an undeclared scale is binary if every score of the baseline is 0 or 1. */
function pinMetrics(task: string, sides: Sides): readonly PinnedMetric[] {
  const baseline = sides.baseline.kind === "run" ? sides.baseline : undefined;
  const baseGroups = groupsOf(baseline, task);
  return withSampleMetrics(pinRanges(task, sides)).map((metric) => {
    const base = ownValue(baseline?.tasks, task)?.metrics.find((other) => other.id === metric.id);
    const scale = base?.scale ?? foundScale(metric.id, baseGroups) ?? metric.scale ?? "graded";
    return withSlope(withScale(metric, scale), task, sides.head);
  });
}

function withSlope(metric: PinnedMetric, task: string, { judges = [] }: Side): PinnedMetric {
  const found = judges.find((judge) => judge.task === task && judge.metric === metric.id);
  return found?.slope ? { ...metric, slope: found.slope } : metric;
}

function withScale(metric: MetricSpec, scale: PinnedMetric["scale"]): PinnedMetric {
  return { ...metric, scale };
}

function groupsOf(side: Side | undefined, task: string): readonly LedgerGroup[] {
  if (side === undefined) return [];
  return side.candidates.flatMap((candidate) => side.ledger.group(task, candidate) ?? []);
}

function foundScale(
  metric: string,
  groups: readonly LedgerGroup[],
): "binary" | "graded" | undefined {
  let found: "binary" | undefined;
  for (const group of groups) {
    for (let i = 0; i < group.size && group.hasAny(metric); i += 1) {
      const score = ownScore(group, i, metric);
      if (score === undefined) continue;
      if (score !== 0 && score !== 1) return "graded";
      found = "binary";
    }
  }
  return found;
}
