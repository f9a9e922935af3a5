import type { LossPlace } from "./compared.ts";
import type { RuleConfirmation } from "./confirmation.ts";
import type { PeoplesDifference } from "../figures/judge-calibration.ts";
import type { RuleCode } from "./rule-code.ts";
import type { Noise, PairedTest } from "../figures/statistics.ts";
import type { Prove, RuleLevel } from "../definition/gate.ts";
import type { Verdict } from "./verdict.ts";

export interface GateResult {
  readonly verdict: Verdict;
  /** Reasons for people, one sentence each, worst first. */
  readonly reasons: readonly string[];
  readonly rules: readonly RuleResult[];
}

export type RuleKind = "min" | "max" | "max_drop" | "max_rise" | "must_pass";

export type RuleOutcome = "met" | "missed" | "inconclusive" | "unmeasured";

export interface RuleResult extends RuleFigures {
  readonly reason: string;
  /**
   * Groups in which broken cases are over-represented beyond chance, the strongest first, and a clause for people. For
   * information only.
   */
  readonly located?: { readonly reason: string; readonly places: readonly LossPlace[] };
}

/** Outcome of a rule, without its wording. */
export interface RuleFigures {
  readonly kind: RuleKind;
  /** null for `min`, `max` and `must_pass`. */
  readonly prove: Prove | null;
  readonly level: RuleLevel;
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  readonly slice: string | null;
  /** The candidate of the same run that it was compared with; absent: it is the baseline. */
  readonly against?: string;
  /** The metric's value; for `must_pass`, the lowest (if lower is better, the highest) of the named cases. */
  readonly value: number | null;
  readonly baseline: number | null;
  /** value − baseline over the pairs, in the metric's own direction and unit. */
  readonly delta: number | null;
  readonly delta_ci: readonly [number, number] | null;
  /** 1 − 2·alpha. */
  readonly ci_level: number | null;
  readonly test: PairedTest | null;
  readonly p: number | null;
  readonly p_adjusted: number | null;
  /** Number of cases that got worse, and of those that got better. */
  readonly broke: number | null;
  readonly fixed: number | null;
  /** Number of pairs in the comparison; for `must_pass`, the number of named cases. */
  readonly n: number | null;
  /**
   * Smallest true drop that the rule would prove in 4 of 5 runs, with alpha shared by its family; null if there is none
   * or it is unknown.
   */
  readonly mde: number | null;
  /** Noise that a drop had to exceed; absent if nothing had to be proven, and in runs of earlier versions. */
  readonly noise?: Noise;
  readonly limit: number;
  readonly people?: PeoplesDifference;
  readonly outcome: RuleOutcome;
  readonly code: RuleCode;
  readonly changed: RuleChanges;
  /** For `must_pass`: cases that miss the limit and count, the worst first, capped at `changedCasesKept`. */
  readonly short?: readonly ShortCase[];
  /**
   * For a missed `min` or `max`: the cases that are beyond the limit themselves. Absent if there are none, for a sum or a
   * spread, whose limit says nothing about one case, and in runs of earlier versions.
   */
  readonly beyond?: BeyondLimit;
  /** Number of broken cases without an answer or a valid score. Absent if there are none. For information only. */
  readonly crashed?: number;
  /** The candidate gives the same answer each time, as far as the run knows: more repeats would show nothing. */
  readonly steady?: true;
  /** For a proven drop that would block: the result of running its cases again. */
  readonly confirmation?: RuleConfirmation;
  /** Number of the earlier attempt that decided the rule: all figures are that attempt's. */
  readonly decided_in?: number;
}

export interface RuleChanges {
  /** Cases that got worse, largest changes first, capped at `brokenCasesKept`. */
  readonly broke: readonly ChangedCase[];
  /** Cases that got better, largest changes first, capped at `changedCasesKept`. */
  readonly fixed: readonly ChangedCase[];
  /**
   * Cases of a 0/1 metric that fail on both sides: they failed before this change. For `must_pass` in a change: the
   * named cases that fell short before. `cases` is capped like the other lists. Absent if there are none, and in runs
   * of earlier versions.
   */
  readonly failing?: { readonly count: number; readonly cases: readonly string[] };
}

/** A case that `must_pass` names. `value` is null if it could not be graded. */
export interface ShortCase {
  readonly case_id: string;
  readonly value: number | null;
}

/** Cases beyond the limit of a `min` or `max`. */
export interface BeyondLimit {
  readonly count: number;
  /** Number of cases that the rule is about and that have a score. */
  readonly of: number;
  /** Worst first, at most `brokenCasesKept`. */
  readonly cases: readonly BeyondCase[];
}

export interface BeyondCase {
  readonly case_id: string;
  readonly value: number;
  /** Absent if it was not compared. */
  readonly before?: number;
}

export const changedCasesKept = 50;

/** Many are kept, because broken cases are grouped and counted by the grader's message. */
export const brokenCasesKept = 1000;

export interface ChangedCase {
  readonly case_id: string;
  readonly before: number;
  readonly after: number;
}
