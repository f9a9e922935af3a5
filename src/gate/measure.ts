import { substituteScores } from "../domain/ledger.ts";
import type { Statistics } from "../domain/ports.ts";
import type { RuleCode, RuleKind, RuleOutcome } from "../domain/run.ts";
import type { Prove } from "../domain/suite.ts";
import { caseMean, hasMetric, type Reading } from "./cases.ts";
import { compare, type Comparison } from "./compare.ts";
import { pairCases, type MetSpot, type Pairs } from "./pairs.ts";
import type { PlannedRule, Target } from "./plan.ts";
import {
  undeclaredScores,
  type AbsentWhy,
  type FingerprintPart,
  type PinnedMetric,
  type Spot,
} from "./sides.ts";

/** What a rule found at one task × candidate × metric, before the p-values are adjusted. */
export type Finding =
  /** The value itself, for `min` and `max`. */
  | { readonly kind: "value"; readonly value: number }
  | { readonly kind: "comparison"; readonly prove: Prove; readonly comparison: Comparison }
  /** No sample of this run has a score in the metric; `undeclared`: what the grader gave instead. */
  | { readonly kind: "metric_missing"; readonly undeclared: readonly string[] }
  /** The rule's globs match no metric of this run. */
  | { readonly kind: "nothing_matches" }
  | { readonly kind: "no_baseline"; readonly why: AbsentWhy; readonly value: number | null }
  | { readonly kind: "metric_new"; readonly value: number | null }
  | {
      readonly kind: "not_comparable";
      readonly parts: readonly (FingerprintPart | "direction")[];
      readonly value: number | null;
    }
  | { readonly kind: "no_pairs"; readonly value: number | null }
  /** The scores are too large to compute with. */
  | { readonly kind: "not_finite" };

export interface Measured {
  readonly rule: PlannedRule;
  readonly target: Target;
  readonly range: PinnedMetric["range"];
  readonly finding: Finding;
}

/** How a finding stands against its rule. */
export interface Standing {
  readonly outcome: RuleOutcome;
  readonly code: RuleCode;
  readonly pAdjusted: number | null;
  /** How many comparisons the p-value was adjusted for; 1 where it was not. */
  readonly family: number;
}

/** A metric of a spot. */
interface Place {
  readonly spot: Spot;
  readonly metric: PinnedMetric;
  readonly ungradedAs: Reading["ungradedAs"];
}

/** Measures one rule at one metric of a spot. */
export function measure(place: Place, rule: PlannedRule, statistics: Statistics): Measured {
  const { spot, metric } = place;
  const target = { task: spot.task, candidate: spot.candidate, metric: metric.id };
  const finding = find(place, rule, statistics);
  return { rule, target, range: metric.range, finding };
}

function find(place: Place, rule: PlannedRule, statistics: Statistics): Finding {
  const { spot, metric } = place;
  if (!hasMetric(spot.cases, metric.id))
    return { kind: "metric_missing", undeclared: undeclaredScores(spot) };
  if (rule.prove === null) {
    const value = valueHere(place, statistics);
    return value === null ? { kind: "not_finite" } : { kind: "value", value };
  }
  const { counterpart } = spot;
  if (counterpart.kind === "absent")
    return { kind: "no_baseline", why: counterpart.why, value: valueHere(place, statistics) };
  const parts = incomparable(spot, metric);
  if (parts === "metric_new") return { kind: "metric_new", value: valueHere(place, statistics) };
  if (parts.length > 0)
    return { kind: "not_comparable", parts, value: valueHere(place, statistics) };
  return findChange({ ...place, spot: { ...spot, counterpart } }, rule, statistics);
}

function findChange(
  place: Place & { readonly spot: MetSpot },
  rule: PlannedRule,
  statistics: Statistics,
): Finding {
  const { spot, metric, ungradedAs } = place;
  const pairs = pairCases(spot, metric, { ungradedAs, mean: statistics.mean });
  if (pairs.caseIds.length === 0) return { kind: "no_pairs", value: valueHere(place, statistics) };
  const prove = rule.prove ?? "drop";
  const question = { worse: worseOf(rule.kind), scale: metric.scale, prove, alpha: rule.alpha };
  const comparison = compare(pairs, question, statistics);
  if (comparison === undefined || (prove === "drop" && comparison.p === null))
    return { kind: "not_finite" };
  return { kind: "comparison", prove, comparison };
}

/** Why a metric of a spot cannot be compared with the baseline's; empty where it can. */
function incomparable(
  spot: Spot,
  metric: PinnedMetric,
): "metric_new" | readonly (FingerprintPart | "direction")[] {
  if (spot.counterpart.kind === "absent") return [];
  const base = spot.counterpart.spec.metrics.find((other) => other.id === metric.id);
  if (base === undefined) return "metric_new";
  const turned = base.higher_is_better !== metric.higher_is_better;
  return [...spot.counterpart.changedParts, ...(turned ? ["direction" as const] : [])];
}

/** The pairs that a spot's first metric is compared on; undefined where it is not compared. */
export function firstMetricPairs(spot: Spot, statistics: Statistics): Pairs | undefined {
  const metric = spot.metrics[0];
  const { counterpart } = spot;
  if (metric === undefined || counterpart.kind === "absent") return undefined;
  const parts = incomparable(spot, metric);
  if (parts === "metric_new" || parts.length > 0) return undefined;
  const how = { ungradedAs: "nothing" as const, mean: statistics.mean };
  return pairCases({ ...spot, counterpart }, metric, how);
}

/** The metric's value over all cases with a score: the mean of the cases' means; null where there is none. */
function valueHere({ spot, metric, ungradedAs }: Place, statistics: Statistics): number | null {
  const substitutes = substituteScores(metric, [spot.cases.group]);
  const reading = { metric: metric.id, substitutes, ungradedAs, mean: statistics.mean };
  const means: number[] = [];
  for (let position = 0; position < spot.cases.ids.length; position += 1) {
    const mean = caseMean(spot.cases, position, reading);
    if (mean !== undefined) means.push(mean);
  }
  return means.length === 0 ? null : statistics.mean(means);
}

function worseOf(kind: RuleKind): "lower" | "higher" {
  switch (kind) {
    case "min":
    case "max_drop":
      return "lower";
    case "max":
    case "max_rise":
      return "higher";
  }
}
