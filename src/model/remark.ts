import type { MetricSpec } from "./suite.ts";
import type { RegradedTask } from "./compared.ts";
import type { RunConfirmation } from "./confirmation.ts";
import type { FingerprintPart, JudgedRule } from "./finding.ts";
import type { Verdict } from "./run.ts";
import type { Outcome } from "./sample.ts";

/** Findings of the gate for a run; `report/words` makes run.json's `gate` from them. */
export interface GateFindings {
  readonly verdict: Verdict;
  /** The worst first. */
  readonly remarks: readonly Remark[];
  readonly rules: readonly JudgedRule[];
}

/** A remark about a run: a line, or several. */
export type Remark =
  | { readonly kind: "gate_none" }
  | { readonly kind: "problem"; readonly problem: GateProblem }
  /** `accepted`: an authorized person accepted its loss. `located`: the location of its loss. */
  | { readonly kind: "rule" | "accepted" | "located"; readonly rule: JudgedRule }
  | { readonly kind: "confirmation"; readonly record: RunConfirmation }
  /** `tooFew`: a rule compared so few cases that they could not prove a drop. `rules`: how many there are. */
  | {
      readonly kind: "nothing_measured";
      readonly noBaseline?: string | undefined;
      readonly tooFew: boolean;
      readonly rules: number;
    }
  | { readonly kind: "only_advice" }
  /** Samples that did not count as they should. */
  | { readonly kind: "not_scored" | "outside"; readonly counts: CellCounts }
  /** `known`: metrics that a rule already reports as missing from all samples. */
  | { readonly kind: "lacking"; readonly counts: CellCounts; readonly known: readonly string[] }
  | { readonly kind: "ungated"; readonly task: string };

/** A note about the comparison. */
/** Benefit of twice as many earlier runs: the smallest drop that a rule would detect, now and then. */
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
      /** Parts whose change makes its scores incomparable. */
      readonly decisive: readonly FingerprintPart[];
      readonly tolerated: readonly FingerprintPart[];
      /** Here, in the baseline. */
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
      /** Cases that may be ungraded. */
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
      /** Whose rows they are: another tool's, or the base's. */
      readonly by: "tool" | "base";
    }
  /** The baseline has few of the cases that judge a change. */
  | {
      readonly kind: "baseline_partial";
      readonly task: string;
      readonly candidate: string;
      readonly known: number;
      readonly cases: number;
    };

/** A comparison that rests on fewer cases than it speaks for. */
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
  /** So many of them may lack a grade. */
  readonly allowed: number;
  readonly minCases: number;
}

/** The cases of one task × candidate, counted. */
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
  /** Ids under which the grader gave scores and that the task does not declare. */
  readonly undeclared: readonly string[];
  /** Pairs that the comparison of the task's first metric rests on. */
  readonly paired: number;
  readonly dropped: DroppedPairs;
  /** Cases that the baseline does not have. */
  readonly fresh: number;
  /** Cases that have another id than in the baseline. */
  readonly renamed: number;
  /** Ids of cases that the baseline has and this run has not, sorted. */
  readonly missing: readonly string[];
}

/** A metric that some scored samples have no score in. */
interface LackingMetric {
  readonly metric: string;
  readonly cases: number;
  /** No sample has a score in it: the name may be misspelt. */
  readonly everywhere: boolean;
}

/** A metric that some samples have a score in that its range does not hold. */
interface OutsideMetric {
  readonly metric: string;
  readonly cases: number;
  readonly range: readonly [number, number];
}

export interface DroppedPairs {
  /** No grade on one side at least. */
  readonly ungraded: number;
  /** The baseline's grader gave no score. */
  readonly invalid: number;
  /** The same id, but another row. */
  readonly changed: number;
}
