import type { LossPlace, RegradedTask, BaselineMove, SwapTest } from "./compared.ts";
import type { RuleCode } from "./rule-code.ts";
import type { Fingerprint } from "./run.ts";
import type { BeyondLimit, RuleChanges, RuleFigures, ShortCase } from "./rule-result.ts";
import type { Interval, Noise, PairedTest } from "../figures/statistics.ts";
import type { MetricSpec } from "../definition/suite.ts";
import type { Prove } from "../definition/gate.ts";

/** A rule as the gate judged it, in codes and figures; `report/words` makes `RuleResult` and its sentences from it. */
export interface JudgedRule extends RuleFigures {
  readonly why: RuleGrounds;
  /** Groups in which broken cases are over-represented beyond chance, the strongest first. */
  readonly places?: readonly LossPlace[];
}

/** The reason for a rule's outcome. */
export type RuleGrounds =
  /** An earlier attempt decided the rule; this is the reason that it gave. */
  | { readonly kind: "decided"; readonly reason: string }
  | {
      readonly kind: "measured";
      readonly finding: Finding;
      /** Range of the metric's value. */
      readonly range: MetricSpec["range"];
      readonly alpha: number;
      /** The outcome before its cases were run again, and before its baseline was found to have moved. */
      readonly code: RuleCode;
      /** Number of comparisons that the p-value was adjusted for; 1 if not adjusted. */
      readonly family: number;
      /** For `prove: no_drop`: number of cases that show "no drop" for an unchanged run in 4 of 5 runs. */
      readonly needed: number | undefined;
      /** This run's grader moves the baseline outside of its own interval. */
      readonly moved?: BaselineMove & Pick<RegradedTask, "parts">;
    };

/** Result of a rule for one task × candidate × metric, before p-values are adjusted. */
export type Finding =
  /** The value itself, for `min` and `max`. */
  | { readonly kind: "value"; readonly value: number; readonly beyond?: BeyondLimit }
  | { readonly kind: "comparison"; readonly prove: Prove; readonly comparison: Comparison }
  | { readonly kind: "named_cases"; readonly named: NamedCases }
  /** A `must_pass` rule without a limit, for a metric without a range. */
  | { readonly kind: "no_limit" }
  /** No sample of this run has a score for the metric. `undeclared`: metrics that the grader returned instead. */
  | { readonly kind: "metric_missing"; readonly undeclared: readonly string[] }
  /** The rule's globs match no metric of this run. */
  | { readonly kind: "nothing_matches" }
  /** No case of this run is in the slice. */
  | { readonly kind: "slice_missing" }
  | { readonly kind: "no_baseline"; readonly why: AbsentWhy; readonly value: number | null }
  | { readonly kind: "metric_new"; readonly value: number | null }
  | {
      readonly kind: "not_comparable";
      readonly parts: readonly IncomparablePart[];
      readonly value: number | null;
    }
  /** `edited`: number of cases that the baseline has with another row. */
  | { readonly kind: "no_pairs"; readonly value: number | null; readonly edited: number }
  /** Too few cases for the aggregation: one case has no spread. */
  | { readonly kind: "too_few" }
  /** Numbers that batch graders gave for all cases together, compared with the baseline's. */
  | {
      readonly kind: "given";
      readonly prove: Prove;
      readonly value: number;
      readonly baseline: number;
      /** Number of cases of both sides. */
      readonly n: number;
      /** Cases that have no grade on one side. */
      readonly lost: number;
      /** Whether the difference may be chance; undefined if that was not tested. */
      readonly swap: SwapTest | undefined;
      readonly noise: Noise;
    }
  /** A batch grader's number outside of the metric's range. */
  | { readonly kind: "given_outside"; readonly value: number }
  /** A batch grader's number that has no counterpart to be compared with. */
  | { readonly kind: "given_unlike"; readonly why: GivenUnlike; readonly value: number }
  /** A batch grader's number, but the rule is about only some of the cases. */
  | { readonly kind: "given_whole" }
  /** The scores are too large to compute with. */
  | { readonly kind: "not_finite" };

/** `repeats`: the reducer needs more repeats than both sides have. */
export type IncomparablePart = FingerprintPart | "direction" | "repeats";

/** `not_given`: its batch grader gave no valid number. `other_cases`: the data sets differ. */
type GivenUnlike = "not_given" | "other_cases";

/** `no_reference`: this run has no sample of the candidate that the rule names in `against`. */
export type AbsentWhy = "no_baseline" | "new_task" | "new_candidate" | "no_reference";
export type FingerprintPart = keyof Fingerprint;

export type Unpaired = Extract<Finding, { kind: "no_baseline" | "metric_new" | "not_comparable" }>;

/** The comparison of head with base, over the pairs. Every number is finite. */
export interface Comparison {
  readonly n: number;
  /** Cases that both sides have with the same row, but without a grade on one side. */
  readonly lost: number;
  readonly value: number;
  readonly baseline: number;
  /** value − baseline. */
  readonly delta: number;
  /** Size of the loss: positive means worse, whatever the metric's direction. */
  readonly loss: number;
  /** Interval of delta, at level 1 − 2·alpha. */
  readonly interval: Interval | null;
  readonly test: PairedTest | null;
  /** One-sided: how likely such a loss is if nothing got worse. */
  readonly p: number | null;
  readonly broke: number;
  readonly fixed: number;
  /** For `prove: no_drop`: whether the loss is shown to be smaller than the limit. null if not asked. */
  readonly shown: boolean | null;
  /** Noise that a drop has to exceed; null if nothing has to be proven. */
  readonly noise: Noise | null;
  readonly changed: RuleChanges;
  readonly repeats: number;
  /** The candidate answers the same each time, as far as the run knows. */
  readonly steady: boolean;
  /** Number of pairs in a 0/1 metric with another score than 0 or 1. */
  readonly fractional: number;
}

/** Results of the cases that a `must_pass` rule names. */
export interface NamedCases {
  /** Number of named cases. */
  readonly n: number;
  /** Minimum that each case must reach; with `upTo`, the maximum. */
  readonly limit: number;
  readonly upTo: boolean;
  /** The worst of their scores; null if none has a score. */
  readonly worst: number | null;
  /** Cases that miss the limit, the worst first, then by id. */
  readonly short: readonly ShortOf[];
  /** Cases that could not be graded. */
  readonly ungraded: readonly string[];
  /** Cases of either kind that fell short in the baseline too; they don't count. */
  readonly already: readonly ShortCase[];
  /** Names and globs that match no case of this run. */
  readonly absent: readonly string[];
  /** Why the baseline is unknown, for a rule that needs it. */
  readonly unknownBase: Unpaired | undefined;
}

/**
 * A case that falls short, and its state in the baseline, if that is needed and known. `absent`: the baseline lacks it,
 * or has it with another row.
 */
export type ShortOf = ShortCase & { readonly before?: "passed" | "absent" | "ungraded" };

export type GivenFinding = Extract<Finding, { readonly kind: "given" }>;
