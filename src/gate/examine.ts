import { isAggregated, withSampleMetrics } from "../model/metric.ts";
import type { Effort } from "../model/effort.ts";
import type { DecidedRule } from "../model/attempts.ts";
import type { Confirmation } from "../model/confirmation.ts";
import type { Statistics } from "../model/statistics.ts";
import type { RuleResult } from "../model/run.ts";
import type { Gate, MetricSpec } from "../model/suite.ts";
import type { Reading } from "./cases.ts";
import { takeCensus, type Census } from "./census.ts";
import { confirmResults, findProven, type ProvenDrop } from "./confirm.ts";
import { findTooFewPairs, type TooFewPairs } from "./floors.ts";
import { type Crashed, findCrashed, withCrashes } from "./crashes.ts";
import { findHidden, type Sliced } from "./hidden.ts";
import { asDecided } from "./decided.ts";
import { compareEffort } from "./effort.ts";
import { findLosses, type Loss } from "./losses.ts";
import { countFirstPairs, measure, type Measured, openPlace, type Place } from "./measure.ts";
import { withMoves } from "./moved.ts";
import { matchesName } from "../base/glob.ts";
import { covers, type PlannedRule, type Target } from "./plan.ts";
import { settle } from "./settle.ts";
import { pinRanges, type Sides, type Spot, visitSpots } from "./sides.ts";
import { slicesOf } from "./slices.ts";
import { locateLosses } from "./where.ts";

export interface Examination {
  readonly sides: Sides;
  readonly gate: Gate;
  readonly rules: readonly PlannedRule[];
  readonly ungradedAs: Reading["ungradedAs"];
  readonly ofChange: boolean;
  readonly acceptsMove: boolean;
  /** What running proven drops again showed; undefined: they stand as they are. */
  readonly confirmation?: Confirmation | undefined;
  /** Rules that an earlier attempt decided. */
  readonly decided: readonly DecidedRule[];
}

/** What was seen of a run: its cases counted, its rules settled. */
export interface Seen {
  readonly censuses: readonly Census[];
  readonly results: readonly RuleResult[];
  /** Proven drops of slices that the totals, whose rules are met, do not show. */
  readonly hidden: readonly RuleResult[];
  /** Blocking comparisons that rest on fewer cases than they speak for. */
  readonly thin: readonly TooFewPairs[];
  /** Proven drops that would block, before any confirmation. */
  readonly proven: readonly ProvenDrop[];
  /** What a case took on both sides. */
  readonly effort: readonly Effort[];
  /** Cases that crashed here and not in the baseline, by task and candidate. */
  readonly crashed: readonly Crashed[];
  /** The cases of the losses that were seen. */
  readonly losses: () => readonly Loss[];
}

/** Goes through every task × candidate × metric of a run, and settles the rules that cover it. */
export function examine(examination: Examination, statistics: Statistics): Seen {
  const { sides, rules } = examination;
  const censuses: Census[] = [];
  const crashed: Crashed[] = [];
  const effort: Effort[] = [];
  const regraded = regradedTasks(sides);
  const sliced: Sliced[] = [];
  for (const spot of visitSpots(sides)) {
    const places = placesOf(spot, examination, statistics);
    const census = takeCensus(spot, countFirstPairs(spot, places, statistics));
    censuses.push(census);
    if (census.outcomes.failed + census.outcomes.invalid > 0)
      crashed.push(findCrashed(spot, regraded.includes(spot.task)));
    effort.push(...compareEffort(places, statistics));
    for (const place of places) sliced.push(...measurePlace(place, rules, statistics));
  }
  const measured = sliced.map(({ measured: one }) => one);
  const here = targetsHere(sides);
  const all = [...measured, ...measureUnmatched(examination, here)];
  const settled = settle(all, statistics).map((result) => asDecided(result, examination.decided));
  const proven = findProven(sliced, settled);
  const confirmed = confirmResults(
    { sliced, results: settled },
    examination.confirmation,
    statistics,
  );
  const results = examination.acceptsMove ? confirmed : withMoves(confirmed, sides, all);
  const hidden = findHidden(sliced, results, statistics);
  const located = withCrashes(
    locateLosses(sliced, { results, hidden }, statistics),
    sliced,
    crashed,
  );
  const minCases = (task: string): number => sides.head.tasks[task]?.min_cases ?? 1;
  const thin = findTooFewPairs(measured, minCases, examination.gate);
  const losses = (): readonly Loss[] => findLosses(sliced, located);
  return { censuses, results: located, thin, hidden, proven, effort, crashed, losses };
}

function regradedTasks({ baseline }: Sides): readonly string[] {
  return baseline.kind === "run" ? (baseline.regraded ?? []).map(({ task }) => task) : [];
}

function placesOf(
  spot: Spot,
  { ungradedAs, ofChange }: Examination,
  statistics: Statistics,
): readonly Place[] {
  return spot.metrics
    .filter(isAggregated)
    .map((metric) => openPlace({ spot, metric, ungradedAs, ofChange }, statistics));
}

/** The rules that cover a metric of a spot, each over all cases, or over each of the slices that it names. */
function measurePlace(
  place: Place,
  rules: readonly PlannedRule[],
  statistics: Statistics,
): readonly Sliced[] {
  const { spot, metric } = place;
  const target = { task: spot.task, candidate: spot.candidate, metric: metric.id };
  return rules
    .filter((rule) => covers(rule, target))
    .flatMap((rule): readonly Sliced[] => {
      if (rule.slice === undefined)
        return [{ measured: measure(place, { rule, slice: undefined }, statistics), place }];
      const slices = slicesOf(spot, rule.slice);
      if (slices.length === 0) return [{ measured: noSlice(place, rule), place }];
      return slices.map((slice) => ({
        measured: measure(place, { rule, slice }, statistics),
        place,
        members: slice.members,
      }));
    });
}

function noSlice({ spot, metric }: Place, rule: PlannedRule): Measured {
  return {
    rule,
    target: { task: spot.task, candidate: spot.candidate, metric: metric.id },
    slice: rule.slice ?? null,
    range: null,
    finding: { kind: "slice_missing" },
  };
}

/** The metrics by task that rules may be about: this run's, then those that only the baseline has. */
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

/** A declared rule that covers nothing names a missing metric, unless it is about what was not selected. */
function measureUnmatched(
  { rules, sides }: Examination,
  here: readonly Target[],
): readonly Measured[] {
  return rules
    .filter((rule) => rule.declared && !here.some((target) => covers(rule, target)))
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
