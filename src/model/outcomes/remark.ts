import type { MetricSpec } from "../definition/suite.ts";
import type { RegradedTask } from "./compared.ts";
import type { RunConfirmation } from "./confirmation.ts";
import type { FingerprintPart, JudgedRule } from "./finding.ts";
import type { Verdict } from "./verdict.ts";
import type { Outcome } from "./sample.ts";

/** Findings of the gate for a run; `report/words` makes run.json's `gate` from them. */
export interface GateFindings {
  readonly verdict: Verdict;
  /** Worst first. */
  readonly remarks: readonly Remark[];
  readonly rules: readonly JudgedRule[];
}

/** A remark about a run, which becomes one or more lines. */
export type Remark =
  | { readonly kind: "gate_none" }
  | { readonly kind: "problem"; readonly problem: GateProblem }
  /** `accepted`: an authorized person accepted its loss. `located`: the location of its loss. */
  | { readonly kind: "rule" | "accepted" | "located"; readonly rule: JudgedRule }
  | { readonly kind: "confirmation"; readonly record: RunConfirmation }
  /** `tooFew`: a rule compared so few cases that they could not prove a drop. `rules`: the number of such rules. */
  | {
      readonly kind: "nothing_measured";
      readonly noBaseline?: string | undefined;
      readonly tooFew: boolean;
      readonly rules: number;
    }
  | { readonly kind: "only_advice" }
  /** Samples that did not count as they should. */
  | { readonly kind: "not_scored" | "outside"; readonly counts: CellCounts }
  /** Cases that another tool asked or judged otherwise than in the baseline. `edited`: those that a change may have edited. */
  | { readonly kind: "otherwise"; readonly counts: CellCounts; readonly edited: number }
  /** Cases whose row was edited since the baseline, and their own result. */
  | { readonly kind: "edited"; readonly counts: CellCounts }
  /** `known`: metrics that a rule already reports as missing from all samples. */
  | { readonly kind: "lacking"; readonly counts: CellCounts; readonly known: readonly string[] }
  | { readonly kind: "ungated"; readonly task: string };

/** Benefit of twice as many earlier runs: the smallest drop that a rule detects now, and would detect with them. */
export interface PoolWorth {
  readonly task: string;
  readonly metric: string;
  readonly range: MetricSpec["range"];
  readonly mde: number;
  readonly doubled: number;
}

export type ComparisonNote =
  | { readonly kind: "no_baseline"; readonly reason: string }
  | { readonly kind: "pool"; readonly runs: number; readonly worth: PoolWorth | undefined }
  | { readonly kind: "candidate"; readonly head: string; readonly base: string }
  | { readonly kind: "new_task"; readonly task: string }
  | {
      readonly kind: "task";
      readonly task: string;
      /** The changed parts that make its scores incomparable. */
      readonly decisive: readonly FingerprintPart[];
      readonly tolerated: readonly FingerprintPart[];
      /** Number of repeats in this run and in the baseline. */
      readonly repeats: readonly [number, number];
      readonly regraded: RegradedTask | undefined;
    }
  | { readonly kind: "cases"; readonly counts: CellCounts };

/** Problems that keep a run from passing, whatever its rules say. */
export type GateProblem =
  | { readonly kind: "nothing_ran" }
  | { readonly kind: "no_cases"; readonly task: string; readonly candidate: string }
  | {
      readonly kind: "too_few_cases";
      readonly task: string;
      readonly candidate: string;
      readonly cases: number;
      readonly minCases: number;
    }
  | {
      readonly kind: "too_many_ungraded";
      readonly task: string;
      readonly candidate: string;
      readonly ungraded: number;
      readonly cases: number;
      /** Number of cases that may be ungraded. */
      readonly allowed: number;
    }
  | {
      readonly kind: "none_scored";
      readonly task: string;
      readonly candidate: string;
      readonly failed: number;
      readonly invalid: number;
      readonly cases: number;
    }
  | { readonly kind: "task_gone"; readonly task: string; readonly cases: number }
  | { readonly kind: "candidate_gone"; readonly candidate: string; readonly cases: number }
  | { readonly kind: "metric_gone"; readonly task: string; readonly metric: string }
  | {
      readonly kind: "cases_missing";
      readonly task: string;
      readonly candidate: string;
      readonly caseIds: readonly string[];
    }
  /** A baseline may exist that could not be searched for or read, so the rules that need it were not measured. */
  | { readonly kind: "baseline_unread"; readonly reason: string; readonly remedy: string }
  /** A re-run that can't read the results of earlier attempts: a pass would hide them. */
  | { readonly kind: "attempts_unread"; readonly reason: string }
  /** The compared cases don't represent the cases of both sides. */
  | TooFewPairs
  /** A rule that is met and would be missed if the ungraded samples had failed. */
  | {
      readonly kind: "ungraded_decide";
      readonly task: string;
      readonly candidate: string;
      readonly metric: string;
      readonly ungraded: number;
    }
  /** A rule that is met and would be missed if cases whose rows differ from the baseline's were compared. */
  | {
      readonly kind: "edited_decide";
      readonly task: string;
      readonly candidate: string;
      readonly metric: string;
      readonly edited: number;
      /** The source of the rows: another tool, the base, or whoever started the run. */
      readonly by: "tool" | "base" | "user";
    }
  /** The baseline has few of the cases that judge a change. */
  | {
      readonly kind: "baseline_partial";
      readonly task: string;
      readonly candidate: string;
      readonly known: number;
      readonly cases: number;
    };

/** A comparison of fewer cases than it stands for. */
export interface TooFewPairs {
  readonly kind: "too_few_pairs";
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  /** The candidate of the same run that it was compared with; absent: it is the baseline. */
  readonly against?: string;
  /** Cases with a grade on both sides. */
  readonly paired: number;
  /** Cases that both sides have, with the same row. */
  readonly expected: number;
  /** Number of cases that may lack a grade. */
  readonly allowed: number;
  readonly minCases: number;
}

/** Counts of the cases of one task × candidate. */
export interface CellCounts {
  readonly task: string;
  readonly candidate: string;
  readonly cases: number;
  readonly minCases: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** True if at least one sample has a score of its own. */
  readonly anyScored: boolean;
  /** Metrics that the grader left out of samples that it scored. */
  readonly lacking: readonly LackingMetric[];
  /** Metrics with scores outside of their declared range. */
  readonly outside: readonly OutsideMetric[];
  /** Ids of scores that the grader gave although the task does not declare them. */
  readonly undeclared: readonly string[];
  /** Number of pairs in the comparison of the task's first metric. */
  readonly paired: number;
  readonly dropped: DroppedPairs;
  /** Result of the cases with the same id, but another row; undefined: there are none, or they have no scores by case. */
  readonly edited: EditedResult | undefined;
  /** Compared cases that another tool judged in another way than in the baseline, as its files tell. */
  readonly judgedOtherwise: number;
  /** Cases that the baseline does not have. */
  readonly fresh: number;
  /** Cases with another id than in the baseline. */
  readonly renamed: number;
  /** Ids of cases that the baseline has and this run lacks, sorted. */
  readonly missing: readonly string[];
}

/** A metric for which some scored samples have no score. */
interface LackingMetric {
  readonly metric: string;
  readonly cases: number;
  /** No sample has a score for it: the name may be misspelt. */
  readonly everywhere: boolean;
}

/** A metric with scores outside its declared range. */
interface OutsideMetric {
  readonly metric: string;
  readonly cases: number;
  readonly range: readonly [number, number];
}

/** How cases whose row was edited since the baseline score in the task's first metric, here and in the baseline. */
export interface EditedResult {
  readonly metric: string;
  readonly range: MetricSpec["range"];
  readonly now: number;
  readonly before: number;
  /** For 0/1 scores: number of these cases that fail, and that failed in the baseline. */
  readonly failing: { readonly now: number; readonly before: number } | undefined;
}

export interface DroppedPairs {
  /** Cases without a grade on at least one side. */
  readonly ungraded: number;
  /** Cases for which the baseline's grader gave no score. */
  readonly invalid: number;
  /** Cases with the same id, but another row. */
  readonly changed: number;
  /** Cases whose row in the baseline is an error's, without its input or its target. */
  readonly unasked: number;
}
