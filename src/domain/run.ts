import type { JsonObject } from "./json.ts";
import type { CandidateSpec, Gate, MetricSpec, Prove, PublishContent, RuleLevel } from "./suite.ts";

/** `run.json`. Every number is finite; what does not apply is null. */
export interface Run {
  readonly format: "regrade.run/1";
  readonly id: string;
  readonly status: RunStatus;
  /** Why a run that is `failed` was stopped before its end. Runs of earlier versions don't have it. */
  readonly stopped?: string | null;
  readonly suite: RunSuite;
  readonly input_hash: string;
  readonly git: {
    readonly sha: string | null;
    readonly base_sha: string | null;
    readonly ref: string | null;
  };
  readonly created_at: string;
  readonly completed_at: string;
  readonly candidates: readonly RunCandidate[];
  readonly generation: JsonObject;
  readonly judge_model: string | null;
  readonly embedding_model: string | null;
  readonly request_counts: {
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
  };
  readonly cases: CaseCounts;
  readonly metrics: readonly MetricValue[];
  readonly gate: GateResult;
  readonly baseline: RunBaseline | null;
  readonly usage: RunUsage;
  readonly timing: {
    readonly seconds: number;
    readonly generate_seconds: number;
    readonly grade_seconds: number;
  };
  readonly sandbox: { readonly level: string; readonly details: JsonObject };
  readonly environment: {
    readonly node: string;
    readonly python: string | null;
    readonly os: string;
    readonly regrade: string;
  };
}

export type RunStatus = "completed" | "failed" | "cancelled";

export interface RunSuite {
  readonly name: string;
  readonly path: string;
  readonly version: string;
  readonly schema_version: string;
  readonly gate: Gate;
  readonly tasks: Readonly<Record<string, RunTask>>;
  /** What the user left out on purpose (`--task`, `--candidate`): not run, and not missing either. */
  readonly not_selected: {
    readonly tasks: readonly string[];
    readonly candidates: readonly string[];
  };
  /** What text of cases the summary of this run may show. */
  readonly publish: PublishContent;
}

/** What a later comparison must know of a task. */
export interface RunTask {
  readonly fingerprint: Fingerprint;
  readonly metrics: readonly MetricSpec[];
  readonly repeats: number;
  readonly min_cases: number;
}

/** Hashes of a task's parts: what differs says what may still be compared. */
export interface Fingerprint {
  readonly dataset: string;
  readonly preprocess: string | null;
  readonly prompt: string;
  readonly extraction: string;
  readonly grader: string;
  readonly judge: string | null;
}

export interface RunCandidate {
  readonly id: string;
  readonly kind: CandidateSpec["kind"];
  readonly model: string | null;
}

/** Counted over case × candidate; a case's outcome is the worst of its repeats. */
export interface CaseCounts {
  readonly declared: number;
  readonly scored: number;
  readonly invalid: number;
  readonly failed: number;
  readonly ungraded: number;
  readonly paired: number;
  readonly new: number;
  readonly missing: number;
  readonly renamed: number;
}

export interface MetricValue {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  /** `field=value`, or null for all cases. */
  readonly slice: string | null;
  readonly aggregation: MetricSpec["aggregation"];
  readonly higher_is_better: boolean;
  readonly range: readonly [number, number] | null;
  /** As declared, else as found. */
  readonly scale: "binary" | "graded";
  /** null where no case has a score. */
  readonly value: number | null;
  /** Cases with a score. */
  readonly n: number;
  readonly stderr: number | null;
  readonly ci: readonly [number, number] | null;
  readonly ci_method: "wilson" | "t" | null;
}

export type Verdict = "pass" | "fail" | "inconclusive" | "error" | "neutral";

export interface GateResult {
  readonly verdict: Verdict;
  /** One sentence each, for people, the worst first. */
  readonly reasons: readonly string[];
  readonly rules: readonly RuleResult[];
}

export type RuleKind = "min" | "max" | "max_drop" | "max_rise";
export type RuleOutcome = "met" | "missed" | "inconclusive" | "unmeasured";

export interface RuleResult {
  readonly kind: RuleKind;
  /** null for `min` and `max`. */
  readonly prove: Prove | null;
  readonly level: RuleLevel;
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  readonly slice: string | null;
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
  /** Cases that got worse, and better. */
  readonly broke: number | null;
  readonly fixed: number | null;
  /** Pairs the comparison rests on. */
  readonly n: number | null;
  readonly mde: number | null;
  readonly limit: number;
  readonly outcome: RuleOutcome;
  readonly code: RuleCode;
  readonly reason: string;
  /** The cases that changed most, capped at `changedCasesKept` a side. */
  readonly changed: {
    readonly broke: readonly ChangedCase[];
    readonly fixed: readonly ChangedCase[];
  };
}

export const changedCasesKept = 50;

export interface ChangedCase {
  readonly case_id: string;
  readonly before: number;
  readonly after: number;
}

export type PairedTest = "mcnemar_midp" | "paired_t" | "sign_flip_exact" | "sign_flip_seeded";

export type RuleCode =
  | "within_limit" // min, max, prove: nothing: met
  | "beyond_limit" // min, max, prove: nothing: missed
  | "drop_proven" // prove: drop: missed
  | "drop_not_proven" // a drop of at least the limit was seen, and is not proven: met, a grey line
  | "drop_within_limit" // proven or not, smaller than the limit: met
  | "no_drop_detected" // met
  | "no_baseline" // unmeasured
  | "not_comparable" // inconclusive: grader, judge or extraction changed
  | "no_pairs" // inconclusive: a baseline, but not one case in common
  | "metric_missing" // missed: no case of this run has the metric
  | "metric_new"; // unmeasured: the baseline does not have the metric

export interface RunBaseline {
  readonly source: string;
  readonly run_id: string;
  readonly sha: string | null;
  readonly age_days: number | null;
  readonly distance: number | null;
  /** By task id. */
  readonly comparable: Readonly<Record<string, boolean>>;
  readonly notes: readonly string[];
}

export interface RunUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly usd: number;
  readonly judge_usd: number;
  readonly cached: number;
}
