import type { ValuePlace } from "../place.ts";
import type { RunAttempts } from "./attempts.ts";
import type { PooledRun, RegradedTask, SwapTest } from "./compared.ts";
import type { RunConfirmation } from "./confirmation.ts";
import type { Diagnosis } from "./diagnosis.ts";
import type { RunCandidate } from "../definition/candidate-kinds.ts";
import type { HistoryPoint } from "./history.ts";
import type { JsonObject } from "../json.ts";
import type { JudgedValue, UsedCalibration } from "../figures/judge-calibration.ts";
import type { Overrides } from "../definition/overrides.ts";
import type { RunPolicy } from "./policy.ts";
import type { ModelCallRecord, Outcome, Scores } from "./sample.ts";
import type { RunResults } from "../results.ts";
import type { Effort } from "../figures/effort.ts";
import type { RunShard } from "./shard.ts";
import type { MetricSpec, PublishContent } from "../definition/suite.ts";
import type { Approvers, Gate } from "../definition/gate.ts";
import type { GateResult } from "./rule-result.ts";

/** Content of `run.json`. Every number is finite; inapplicable values are null. */
export interface Run {
  readonly format: "regrade.run/1";
  readonly id: string;
  readonly status: RunStatus;
  /** Why a run that is `failed` was stopped before its end. Runs of earlier versions don't have it. */
  readonly stopped?: string | null;
  /** The part of the plan that this run covers. Whole runs don't have it; a part has no verdict of its own. */
  readonly shard?: RunShard;
  /** The runs that were merged into this one, the first shard's first. Runs that were never split don't have it. */
  readonly merged?: readonly string[];
  readonly suite: RunSuite;
  readonly input_hash: string;
  readonly git: {
    readonly sha: string | null;
    readonly base_sha: string | null;
    readonly ref: string | null;
  };
  /**
   * True for the run of a change (a pull request or a merge queue's group), which is responsible for what it broke.
   * Absent for runs of a branch, which are responsible for all failures, and in runs of earlier versions.
   */
  readonly of_change?: true;
  /**
   * Key by which a later run finds this one as its baseline. Absent outside of GitHub, and in runs of earlier versions.
   */
  readonly key?: RunKey;
  readonly created_at: string;
  readonly completed_at: string;
  readonly candidates: readonly RunCandidate[];
  /** The suite's `metadata`, overridden by that of the run. Runs without any don't have it. */
  readonly metadata?: JsonObject;
  /** Values of flags that replaced the manifest's. Runs without any don't have it. */
  readonly overrides?: Overrides;
  /** When failed and ungraded samples were run again into this run, and how many each time. */
  readonly reruns?: readonly { readonly at: string; readonly samples: number }[];
  /** Attempts of the same workflow run that a re-run continues. First attempts don't have it. */
  readonly attempts?: RunAttempts;
  /**
   * Data sets that a process opened while candidates were asked, from the root. Only runs in CI that no base's policy judges
   * have it: for a later change, opening them is nothing new.
   */
  readonly opened?: readonly string[];
  readonly generation: JsonObject;
  readonly judge_model: string | null;
  readonly embedding_model: string | null;
  readonly request_counts: {
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
    /** For a stopped run: number of all planned samples. Other runs don't have it. */
    readonly planned?: number;
  };
  readonly cases: CaseCounts;
  readonly metrics: readonly MetricValue[];
  /**
   * Judged metrics together with what people would give, by the calibration that the suite names. Runs without one
   * don't have it.
   */
  readonly judges?: readonly JudgedValue[];
  /** Results of batch graders, one per task and candidate. Runs without any don't have it. */
  readonly batches?: readonly BatchRecord[];
  readonly gate: GateResult;
  /** Whose policy judged the run, if a base was named (`--policy-from`). Other runs don't have it. */
  readonly policy?: RunPolicy;
  /**
   * Result of running proven drops again before they block, or the reason why not. Runs without such a drop don't have
   * it.
   */
  readonly confirmation?: RunConfirmation;
  /** Problems of the set-up that the run shows, with advice. Runs of earlier versions don't have it. */
  readonly diagnoses?: readonly Diagnosis[];
  /** Labels on the pull request that let a changed policy, or a proven loss, pass. Runs that needed none don't have it. */
  readonly approvals?: RunApprovals;
  /**
   * This run is reused: an earlier run with the same inputs stands for this commit, and nothing was run again. Other
   * runs don't have it.
   */
  readonly stands_in?: {
    /** Commit of the workflow run that reuses this run; `git` is the commit of the run itself. */
    readonly for_sha: string;
    /** Address of the earlier run. */
    readonly source: string;
  };
  /** The foreign code that produced the outputs, which are unverified. Other runs don't have it. */
  readonly outputs_from?: {
    readonly repository: string;
    readonly source: string;
    /** That code gave the scores too: nothing was graded here. */
    readonly scored?: true;
  };
  /** Results that other tools recorded: nothing was run for them. Other runs don't have it. */
  readonly results?: readonly RunResults[];
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

/** Identity of the suite in its repository, and of the job that ran it. */
export interface RunKey {
  /** The manifest, from the repository's root; of results without one, their files. */
  readonly path: string;
  /** The job's id in its workflow. */
  readonly job: string;
  /** Distinguishes the legs of a matrix; empty without a matrix. */
  readonly leg: string;
}

type RunStatus = "completed" | "failed" | "cancelled";

interface RunSuite {
  readonly name: string;
  readonly path: string;
  readonly version: string;
  readonly schema_version: string;
  readonly gate: Gate;
  /** The calibration of its judges that the manifest named. Suites without one don't have it. */
  readonly judge_calibration?: UsedCalibration;
  readonly tasks: Readonly<Record<string, RunTask>>;
  /** Parts that the user excluded on purpose (`--task`, `--candidate`): they were not run, and don't count as missing. */
  readonly not_selected: {
    readonly tasks: readonly string[];
    readonly candidates: readonly string[];
    /**
     * Tasks of which not all cases were run (`max_samples`, `--case`): a case is included if its id draws at most `up_to`
     * and, with `only`, if one of these globs matches it.
     */
    readonly cases?: readonly {
      readonly task: string;
      readonly selected: number;
      readonly of: number;
      readonly up_to: number;
      readonly only?: readonly string[];
    }[];
  };
  /**
   * For a suite in another tool's format: the tool, and the data that a report in its format needs. Other runs don't have
   * it.
   */
  readonly foreign?: JsonObject;
  /** The texts of cases that this run's summary may show. */
  readonly publish: PublishContent;
}

/** Result of a batch grader for the samples of a task and candidate. */
export interface BatchRecord {
  readonly task: string;
  readonly candidate: string;
  readonly outcome: Exclude<Outcome, "failed">;
  /** Number of samples that it received: those with an answer, and those without one by the candidate's own fault. */
  readonly samples: number;
  /** Returned metrics that the task declares. */
  readonly metrics: Scores;
  /** 95 % intervals of metrics for which the grader returned one. Runs without any don't have it. */
  readonly intervals?: Readonly<Record<string, readonly [number, number]>>;
  /**
   * Additional details of the grader; for several graders by name, with `error` for one without a valid result. Runs
   * without any don't have it.
   */
  readonly details?: JsonObject;
  /** Ids of returned metrics that the task does not declare. */
  readonly dropped: readonly string[];
  /** Parts of its result that were not used, one sentence each. */
  readonly notes: readonly string[];
  readonly error: { readonly type: string; readonly message: string } | null;
  /** For an invalid result: the raw payload and the details of the error. */
  readonly judge: JsonObject | null;
  /** The grader's output, capped. */
  readonly printed: string | null;
  /** The grader's requests to models, in order. null if none. */
  readonly model_calls: readonly ModelCallRecord[] | null;
}

/** Facts about a task that a later comparison needs. */
export interface RunTask {
  readonly fingerprint: Fingerprint;
  readonly metrics: readonly MetricSpec[];
  readonly repeats: number;
  readonly min_cases: number;
  /** Its label, kind and identifiers, for people. Tasks that declare none don't have them. */
  readonly name?: string;
  readonly type?: string;
  readonly metadata?: JsonObject;
}

/** Hashes of a task's parts. The parts that differ decide what can still be compared. */
export interface Fingerprint {
  readonly dataset: string;
  readonly preprocess: string | null;
  readonly prompt: string;
  readonly extraction: string;
  readonly grader: string;
  readonly judge: string | null;
}

/** Counts of case × candidate; a case's outcome is the worst of its repeats. */
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
  /** Cases that another tool asked or judged otherwise than in the baseline. Absent if there are none. */
  readonly otherwise?: number;
}

export interface MetricValue extends ValuePlace {
  /** `returned`: the number of a batch grader, which has no scores by case. */
  readonly aggregation: MetricSpec["aggregation"] | "returned";
  readonly higher_is_better: boolean;
  readonly range: readonly [number, number] | null;
  /** As declared, otherwise as found. */
  readonly scale: "binary" | "graded";
  /** null if no case has a score. */
  readonly value: number | null;
  /** Cases with a score. */
  readonly n: number;
  readonly stderr: number | null;
  readonly ci: readonly [number, number] | null;
  readonly ci_method:
    | "wilson"
    | "t"
    | "cluster_t"
    /** For quantiles: bounds that are two of the scores. */
    | "order_statistic"
    /** Cases, or clusters, resampled with a seed. */
    | "bootstrap"
    /** A normal approximation, if there are too many cases to resample. */
    | "large_sample"
    /** The batch grader's own interval. */
    | "returned"
    | null;
}

export interface RunApprovals {
  /** Approves that the change's own policy decides. */
  readonly policy: LabelApproval | null;
  /** Approves that proven losses don't block. */
  readonly loss: LabelApproval | null;
}

/** A label that someone with write access added for the judged commit. */
export interface LabelApproval {
  readonly label: string;
  /** Login. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  /** The rule for who may approve; absent in runs of versions that had only the rule `writers`. */
  readonly approvers?: Approvers;
}

export interface RunBaseline {
  readonly source: string;
  readonly run_id: string;
  readonly sha: string | null;
  readonly age_days: number | null;
  readonly distance: number | null;
  /** Why this baseline was chosen, if it was searched for: a clause. Runs of earlier versions don't have it. */
  readonly reason?: string | null;
  /**
   * Metrics of earlier runs, each the baseline of the next, ending with the baseline's own. Runs of earlier versions
   * don't have it.
   */
  readonly history?: readonly HistoryPoint[];
  /** Whether each task can be compared, by task id. */
  readonly comparable: Readonly<Record<string, boolean>>;
  readonly notes: readonly string[];
  /** Average effort per case on both sides. Absent if nothing was measured on both. */
  readonly effort?: readonly Effort[];
  /** Tasks whose stored outputs were graded again by this run's grader; the scores are in `regraded.jsonl`. */
  readonly regraded?: readonly RegradedTask[];
  /** Drops of batch graders' numbers for all cases together, tested by swapping base and head within cases. */
  readonly swaps?: readonly SwapTest[];
  /** The pooled runs, newest first: each case counts with its mean over them. */
  readonly pool?: readonly PooledRun[];
}

export interface RunUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly usd: number;
  /** Usage of the graders' models, separate from the candidates'. Runs of earlier versions don't have the tokens. */
  readonly judge_usd: number;
  readonly judge_input_tokens?: number;
  readonly judge_output_tokens?: number;
  /** Some of the tokens have no known price, so that the dollars are incomplete. Absent if there are none. */
  readonly unpriced?: true;
  readonly cached: number;
}
