import type { Statistics } from "../domain/ports.ts";
import type { RuleResult } from "../domain/run.ts";
import type { MetricSpec } from "../domain/suite.ts";
import type { Reading } from "./cases.ts";
import { takeCensus, type Census } from "./census.ts";
import { measure, type Measured } from "./measure.ts";
import { covers, isInFamily, matchesName, type PlannedRule, type Target } from "./plan.ts";
import { settle } from "./settle.ts";
import { pairCandidates, pinRanges, visitSpots, type Sides } from "./sides.ts";

export interface Examination {
  readonly sides: Sides;
  readonly rules: readonly PlannedRule[];
  readonly ungradedAs: Reading["ungradedAs"];
}

/** What was seen of a run: its cases counted, its rules settled. */
export interface Seen {
  readonly censuses: readonly Census[];
  readonly results: readonly RuleResult[];
}

/** Goes through every task × candidate × metric of a run, and settles the rules that cover it. */
export function examine(examination: Examination, statistics: Statistics): Seen {
  const { sides, rules, ungradedAs } = examination;
  const censuses: Census[] = [];
  const measured: Measured[] = [];
  for (const spot of visitSpots(sides)) {
    censuses.push(takeCensus(spot, statistics));
    for (const metric of spot.metrics.filter(isAggregated)) {
      const target = { task: spot.task, candidate: spot.candidate, metric: metric.id };
      for (const rule of rules.filter((one) => covers(one, target)))
        measured.push(measure({ spot, metric, ungradedAs }, rule, statistics));
    }
  }
  const here = targetsHere(sides);
  const all = [...measured, ...measureUnmatched(examination, here)];
  const family = familySize(rules, [...here, ...targetsElsewhere(sides, here)]);
  return { censuses, results: settle(all, family, statistics) };
}

/** The metrics by task that rules may be about: this run's, then those that only the baseline has. */
export function metricsByTask(sides: Sides): ReadonlyMap<string, readonly MetricSpec[]> {
  const baseline = sides.baseline.kind === "run" ? Object.keys(sides.baseline.tasks) : [];
  const tasks = new Set([...Object.keys(sides.head.tasks), ...baseline]);
  return new Map(
    [...tasks].map((task): [string, readonly MetricSpec[]] => [task, pinRanges(task, sides)]),
  );
}

function isAggregated(metric: MetricSpec): boolean {
  return metric.aggregation === "mean";
}

function targetsHere({ head }: Sides): readonly Target[] {
  return Object.entries(head.tasks).flatMap(([task, spec]) =>
    spec.metrics
      .filter(isAggregated)
      .flatMap(({ id }) => head.candidates.map((candidate) => ({ task, candidate, metric: id }))),
  );
}

/** What the baseline has and this run has not: gone, or not selected. Under the names that this run uses. */
function targetsElsewhere(sides: Sides, here: readonly Target[]): readonly Target[] {
  if (sides.baseline.kind === "none") return [];
  const known = new Set(here.map(targetKey));
  const renamed = new Map([...pairCandidates(sides)].map(([name, base]) => [base, name]));
  const candidates = sides.baseline.candidates.map((name) => renamed.get(name) ?? name);
  return Object.entries(sides.baseline.tasks)
    .flatMap(([task, spec]) =>
      spec.metrics
        .filter(isAggregated)
        .flatMap(({ id }) => candidates.map((candidate) => ({ task, candidate, metric: id }))),
    )
    .filter((target) => !known.has(targetKey(target)));
}

function targetKey({ task, candidate, metric }: Target): string {
  return JSON.stringify([task, candidate, metric]);
}

/** Declared comparisons count whether or not they could be made: a missing metric must not ease the others. */
function familySize(rules: readonly PlannedRule[], targets: readonly Target[]): number {
  const counts = rules
    .filter(isInFamily)
    .map((rule) => targets.filter((target) => covers(rule, target)).length);
  return counts.reduce((total, count) => total + count, 0);
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
