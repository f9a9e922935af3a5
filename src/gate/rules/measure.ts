import { hasGlob } from "../../base/glob.ts";
import { aggregations, type Aggregation } from "../../model/definition/aggregations.ts";
import { isInRange, substituteScores } from "../../model/outcomes/counted-score.ts";
import { valueRange } from "../../model/definition/metric.ts";
import type { Statistics } from "../../model/figures/statistics.ts";
import type { Figure } from "../../model/figures/judge-calibration.ts";
import type { RuleKind } from "../../model/outcomes/rule-result.ts";
import type { Finding, Unpaired } from "../../model/outcomes/finding.ts";
import type { SwapTest } from "../../model/outcomes/compared.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import type { Prove } from "../../model/definition/gate.ts";
import { findBeyond, isWithin } from "./beyond.ts";
import { hasMetric } from "../pairing/cases.ts";
import { compare, type PairedQuestion } from "./compare.ts";
import { meet } from "./meet.ts";
import { lookUpNamed, type NamedBase } from "./must-pass.ts";
import {
  clustersMet,
  type CountedPairs,
  countPairs,
  pairCases,
  type Pairs,
  pairsAmong,
  readingOfBase,
  reducing,
} from "../pairing/pairs.ts";
import type { NamedRule, PlannedRule, Target } from "./plan.ts";
import { undeclaredScores, type PinnedMetric, type Cell } from "../pairing/sides.ts";
import type { SliceCell } from "../pairing/slices.ts";
import { countClusters } from "./tests.ts";
import { caseScore, type ScorePolicy } from "../pairing/case-scores.ts";

export interface MeasuredRule {
  readonly rule: PlannedRule;
  readonly target: Target;
  readonly slice: string | null;
  /** Range of the metric. */
  readonly range: MetricSpec["range"];
  readonly finding: Finding;
  /** How much of a difference between people's scores the metric's judge shows, if it was calibrated. */
  readonly slope?: Figure | undefined;
  /** The part of the limit that must then be shown. */
  readonly shows?: PairedQuestion["shows"];
}

/** A metric of a cell. */
export interface CellMetric {
  readonly cell: Cell;
  readonly metric: PinnedMetric & { readonly aggregation: Aggregation };
}

/** A metric's cell, with the other side of its comparison. */
export interface MetricCell extends CellMetric {
  readonly ungradedAs: ScorePolicy["ungradedAs"];
  /**
   * True if a change is judged, which is responsible only for what it broke; false for the state of a branch, which is
   * responsible for everything.
   */
  readonly ofChange: boolean;
  /** The pairs, or the reason why there are none; computed once for all rules and slices. */
  readonly pairs: () => Pairs | Unpaired;
}

/** Opens a metric's cell; its pairs are computed when they are first needed. */
export function openMetricCell(
  place: Omit<MetricCell, "pairs">,
  statistics: Statistics,
): MetricCell {
  let found: Pairs | Unpaired | undefined;
  const pairs = (): Pairs | Unpaired => {
    found ??= findPairs(place, statistics);
    return found;
  };
  return { ...place, pairs };
}

/** Measures one rule at one metric of a cell, over all cases or those of a slice. */
export function measureRule(
  place: MetricCell,
  { rule, slice }: { readonly rule: PlannedRule; readonly slice: SliceCell | undefined },
  statistics: Statistics,
): MeasuredRule {
  const { cell, metric } = place;
  const target = { task: cell.task, candidate: cell.candidate, metric: metric.id };
  const finding = find({ ...place, slice }, rule, statistics);
  const common = { rule, target, slice: slice?.name ?? null, range: valueRange(metric), finding };
  const slope = judgeSlopeOf(metric);
  return slope === undefined
    ? common
    : { ...common, slope, shows: showsOf({ metric, rule }, statistics) };
}

/**
 * The judge's slope, only for a mean of its scores: the slope says nothing about a median, or about the best of
 * several.
 */
function judgeSlopeOf({ slope, aggregation, reducer }: CellMetric["metric"]): Figure | undefined {
  return aggregation === "mean" && (reducer?.kind ?? "mean") === "mean" ? slope : undefined;
}

function showsOf(
  { metric, rule }: Pick<Asked, "metric" | "rule">,
  statistics: Statistics,
): PairedQuestion["shows"] {
  const slope = judgeSlopeOf(metric);
  return rule.prove === "no_drop" && slope !== undefined
    ? statistics.judgedMargin(rule, slope)
    : undefined;
}

type SlicedPlace = MetricCell & { readonly slice: SliceCell | undefined };

function find(place: SlicedPlace, rule: PlannedRule, statistics: Statistics): Finding {
  const { cell, metric, slice } = place;
  if (slice?.members.length === 0) return { kind: "slice_missing" };
  if (!hasMetric(cell.cases, metric.id))
    return { kind: "metric_missing", undeclared: undeclaredScores(cell) };
  const isPart = slice !== undefined || rule.named !== undefined;
  const given = cell.cases.group.given(metric.id);
  if (given !== undefined) {
    if (isPart) return { kind: "given_whole" };
    if (!isInRange(given, valueRange(metric))) return { kind: "given_outside", value: given };
  }
  if (rule.named !== undefined) return findNamed(place, rule.named, statistics);
  const value = valueHere(place, statistics);
  if (rule.prove === null)
    return value === null ? { kind: "too_few" } : findValue(place, { rule, value }, statistics);
  const asked = { metric, rule, prove: rule.prove };
  if (isGiven(cell, metric)) return findGiven(place, asked, value);
  return findPaired({ place, value }, asked, statistics);
}

function findPaired(
  { place, value }: { readonly place: SlicedPlace; readonly value: number | null },
  asked: Asked,
  statistics: Statistics,
): Finding {
  const { slice } = place;
  const pairs = place.pairs();
  if ("kind" in pairs) return unpairedHere(pairs, value);
  const among = slice === undefined ? pairs : pairsAmong(pairs, slice.members);
  if (among.positions.length === 0)
    return { kind: "no_pairs", value, edited: slice === undefined ? pairs.dropped.changed : 0 };
  return findChange(asked, among, statistics);
}

/** The value under a `min` or `max`; if it misses the limit, with the cases that are beyond it. */
function findValue(
  place: SlicedPlace,
  { rule, value }: { readonly rule: PlannedRule; readonly value: number },
  statistics: Statistics,
): Finding {
  if (!Number.isFinite(value)) return { kind: "not_finite" };
  const { cell, metric, slice } = place;
  const isGivenHere = cell.cases.group.given(metric.id) !== undefined;
  if (isGivenHere || isWithin(rule, value)) return { kind: "value", value };
  const pairs = place.pairs();
  const beyond = findBeyond(metric, rule, {
    cases: cell.cases,
    members: slice?.members ?? cell.cases.ids.keys(),
    reading: readingHere(place, statistics),
    pairs: "kind" in pairs ? undefined : pairs,
  });
  return { kind: "value", value, ...(beyond && { beyond }) };
}

/** A finding without pairs, with this run's value. */
function unpairedHere(unpaired: Unpaired, value: number | null): Finding {
  return { ...unpaired, value: value !== null && isFinite(value) ? value : null };
}

function isGiven({ cases, counterpart }: Cell, { id }: PinnedMetric): boolean {
  const there = counterpart.kind === "run" ? counterpart.cases.group.given(id) : undefined;
  return cases.group.given(id) !== undefined || there !== undefined;
}

/** Compares a batch grader's numbers for all cases together. `value`: this run's number, from any grader. */
function findGiven(place: MetricCell, { metric, prove }: Asked, value: number | null): Finding {
  const met = meet(place);
  if ("kind" in met) return unpairedHere(met, value);
  const { cases, counterpart } = met;
  const here = cases.group.given(metric.id);
  const baseline = counterpart.cases.group.given(metric.id);
  // The grader is the same on both sides, so it failed on one of them, or scored the cases singly there.
  if (here === undefined) return { kind: "no_pairs", value, edited: 0 };
  if (baseline === undefined || !isInRange(baseline, valueRange(metric)))
    return { kind: "given_unlike", why: "not_given", value: here };
  const { paired, dropped } = countPairs(met);
  const same = paired + dropped.ungraded === cases.ids.length;
  if (!same || counterpart.cases.ids.length !== cases.ids.length)
    return { kind: "given_unlike", why: "other_cases", value: here };
  if (!Number.isFinite(here - baseline)) return { kind: "not_finite" };
  const swap = counterpart.swaps.find((each) => isOf(each, metric.id, here - baseline));
  const clusters = clustersMet(met);
  const variance = paired * (swap?.stderr ?? 0) ** 2;
  const counted = clusters === undefined ? null : countClusters(clusters);
  const noise = { n: paired, variance, bits: false, lost: 0, clusters: counted, design: 1 };
  return {
    kind: "given",
    prove,
    value: here,
    baseline,
    n: paired,
    lost: dropped.ungraded,
    swap,
    noise,
  };
}

/**
 * True if a swap test belongs to this metric and difference. A grader that now gives the same outputs another number
 * has shown nothing about the difference that was seen.
 */
function isOf({ metric, delta }: SwapTest, id: string, seen: number): boolean {
  return metric === id && Math.abs(delta - seen) <= 1e-9 * Math.max(1, Math.abs(seen));
}

interface Asked {
  readonly metric: MetricCell["metric"];
  readonly rule: PlannedRule;
  readonly prove: Prove;
}

/** The settings with which a rule compares the pairs of a metric. */
export function pairedQuestion(
  { scale, aggregation, range }: MetricCell["metric"],
  { kind, alpha, limit }: PlannedRule,
  prove: Prove,
): PairedQuestion {
  const width = range === null ? undefined : range[1] - range[0];
  return { worse: worseOf(kind), scale, aggregation, prove, alpha, limit, width };
}

function findChange({ metric, rule, prove }: Asked, pairs: Pairs, statistics: Statistics): Finding {
  if (aggregations[metric.aggregation].needsTwo && pairs.positions.length < 2)
    return { kind: "too_few" };
  const question = {
    ...pairedQuestion(metric, rule, prove),
    shows: showsOf({ metric, rule }, statistics),
  };
  const comparison = compare(pairs, question, statistics);
  if (comparison === undefined || (prove !== "nothing" && comparison.p === null))
    return { kind: "not_finite" };
  return { kind: "comparison", prove, comparison };
}

function findNamed(place: MetricCell, asked: NamedRule, statistics: Statistics): Finding {
  const { cell, metric } = place;
  const upTo = asked.upTo ?? !metric.higher_is_better;
  const range = valueRange({ ...metric, aggregation: "mean" });
  const limit = asked.limit ?? range?.[upTo ? 0 : 1];
  if (limit === undefined) return { kind: "no_limit" };
  const reading = readingHere(place, statistics);
  const { names } = asked;
  const base = baseOfNamed(place, asked, statistics);
  const named = lookUpNamed(cell.cases, { names, limit, upTo, base }, reading);
  // If not all cases were run, a glob may be meant for others: only their number is known, not their ids.
  const absent = named.absent.filter(
    (name) => cell.isLeftOut === undefined || !(cell.isLeftOut(name) || hasGlob(name)),
  );
  return { kind: "named_cases", named: { ...named, absent } };
}

/**
 * The baseline's scores of named cases, or undefined if they don't matter. A change is not responsible for cases that
 * fell short before it, unless the rule has `always`.
 */
function baseOfNamed(place: MetricCell, { always }: NamedRule, statistics: Statistics): NamedBase {
  if (!place.ofChange || always) return undefined;
  const met = meet(place);
  if ("kind" in met) return met;
  return { kind: "known", met, reading: readingOfBase(met, place.metric, statistics) };
}

/** The pairs of a metric, or the reason why there are none. */
function findPairs(
  place: CellMetric & { readonly ungradedAs: ScorePolicy["ungradedAs"] },
  statistics: Statistics,
): Pairs | Unpaired {
  const met = meet(place);
  if ("kind" in met) return met;
  return pairCases(met, place.metric, { ungradedAs: place.ungradedAs, statistics });
}

/**
 * Counts the pairs of a cell's first metric; undefined if it is not compared. `places`: the cell's metrics, whose pairs
 * are computed only once if the rules need the same ones.
 */
export function countFirstPairs(
  cell: Cell,
  places: readonly MetricCell[],
  statistics: Statistics,
): CountedPairs | undefined {
  const [metric] = cell.metrics;
  if (metric === undefined) return undefined;
  const first = { cell: cell, metric: { ...metric, aggregation: "mean" as const } };
  if (cell.cases.group.given(metric.id) !== undefined) {
    const met = meet(first);
    return "kind" in met ? undefined : countPairs(met);
  }
  const same = places.find(
    (place) => place.metric.id === metric.id && place.ungradedAs === "nothing",
  );
  const pairs = same?.pairs() ?? findPairs({ ...first, ungradedAs: "nothing" }, statistics);
  return "kind" in pairs ? undefined : { paired: pairs.positions.length, dropped: pairs.dropped };
}

/** The metric's value over the cases with a score; null if there are too few. */
function valueHere(place: SlicedPlace, statistics: Statistics): number | null {
  const { cell, metric, slice } = place;
  const given = cell.cases.group.given(metric.id);
  if (given !== undefined) return given;
  const reading = readingHere(place, statistics);
  const scores: number[] = [];
  const members = slice?.members ?? cell.cases.ids.keys();
  for (const position of members) {
    const score = caseScore(cell.cases, position, reading);
    if (score !== undefined) scores.push(score);
  }
  if (scores.length === 0) return null;
  return statistics.aggregateValue(scores, metric.aggregation) ?? null;
}

function readingHere(
  { cell, metric, ungradedAs }: MetricCell,
  statistics: Statistics,
): ScorePolicy {
  const substitutes = substituteScores(metric, [cell.cases.group]);
  const { mean } = statistics;
  return { id: metric.id, substitutes, ungradedAs, reduce: reducing(metric, statistics), mean };
}

function worseOf(kind: RuleKind): "lower" | "higher" {
  switch (kind) {
    case "min":
    case "max_drop":
    case "must_pass":
      return "lower";
    case "max":
    case "max_rise":
      return "higher";
  }
}
