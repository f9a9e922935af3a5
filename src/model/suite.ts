import type { AgentSpec } from "./agent.ts";
import type { AnswerSpec } from "./answer.ts";
import type { DatasetSource } from "./dataset.ts";
import type { AskedAs, ImageFolder } from "./asked.ts";
import type { ExtractionSpec } from "./extraction.ts";
import type { FenceWish } from "./fence.ts";
import type { HiddenText } from "./secrets.ts";
import type { UsedCalibration } from "./judge-calibration.ts";
import type { Json, JsonObject } from "./json.ts";
import type { ForeignClass } from "./programs.ts";
import type { Overrides } from "./overrides.ts";
import type { BaseRecording } from "./recorded.ts";
import type { ResultsFrom } from "./results.ts";
import type { Aggregation } from "./aggregations.ts";
import type { BuiltinGraderSpec } from "./builtins.ts";

/** Models for graders that ask for `model="auto"`. */
export interface SuiteModels {
  readonly judge_model: ModelRef | undefined;
  readonly embedding_model: ModelRef | undefined;
}

/** A suite after its manifest was resolved: with every default filled in and every path looked up. */
export interface Suite extends SuiteModels {
  readonly name: string;
  /** The manifest's path as the user wrote it, for messages. */
  readonly path: string;
  /** The manifest's folder, absolute: paths in the manifest are relative to it. */
  readonly directory: string;
  /** No path leaves this folder: the repository, or the working directory outside git. Absolute. */
  readonly root: string;
  readonly schema_version: "2026-05-27";
  readonly tasks: readonly Task[];
  readonly candidates: readonly CandidateSpec[];
  readonly concurrency: "auto" | number;
  readonly budget: Budget;
  /**
   * Models of candidates that graders may ask by name, if they differ from the suite's own candidates: a change must
   * not bring its own judge.
   */
  readonly askable?: readonly ModelRef[];
  /** The gate verbatim, so that a run records the rules that judged it. */
  readonly gate: Gate;
  /** People's labels for the scores of its judges, as an earlier `calibrate --judge` stored them. */
  readonly judge_calibration?: UsedCalibration;
  readonly publish: PublishContent | undefined;
  readonly metadata: JsonObject;
  /** For a suite in another tool's format: the tool, and the data that a report in its format needs. */
  readonly foreign?: JsonObject;
  /** Values of variables in the suite, each with the text that is shown instead. */
  readonly hidden_texts?: readonly HiddenText[];
  /** Number of cases in a seeded subset of each task. */
  readonly max_samples?: number;
  /** Globs of case ids, given for this run: only matching cases are run. */
  readonly only_cases?: readonly string[];
  /** `field=glob` over rows, given for this run: only matching cases are run. */
  readonly only_where?: readonly string[];
  /** Values of flags that replaced the manifest's. */
  readonly overrides?: Overrides;
  /** Metadata of the run; overrides the suite's. */
  readonly run_metadata?: JsonObject;
}

/** Limits of a run; undefined: no limit. */
export interface Budget {
  readonly usd: number | undefined;
  readonly tokens: number | undefined;
  readonly minutes: number | undefined;
}

/** Text of cases that the comment, the check and the summary may contain. */
export type PublishContent = "full" | "failures" | "ids";

/** A file that a manifest names. */
export interface FileRef {
  /** Relative to the manifest's folder, with forward slashes: used in messages and hashes. */
  readonly path: string;
  readonly absolute: string;
}

export interface Task extends AskedAs {
  readonly id: string;
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly dataset: DatasetSource;
  readonly preprocess: PreprocessSpec | undefined;
  /** Examples before the prompt. */
  readonly fewshot?: FewshotSpec;
  readonly target_template: string | undefined;
  readonly choices: readonly string[];
  readonly output_extraction: ExtractionSpec;
  readonly grader: GraderSpec;
  /** The metrics; the default rule gates the first one. Empty: all metrics that grade_batch returns. */
  readonly metrics: readonly MetricSpec[];
  readonly repeats: number;
  /** A row field: cases with equal values are not independent. */
  readonly cluster_by?: string;
  readonly slices: readonly string[];
  readonly min_cases: number;
  readonly metadata: JsonObject;
  /** Results of another tool: nothing is asked or graded, and `dataset` has no meaning. */
  readonly from?: ResultsFrom;
}

/** Examples that are rendered before each prompt; at least one. */
export interface FewshotSpec {
  /** The key of the task that asks for them, for messages. */
  readonly key: "num_fewshot" | "fewshot";
  readonly count: number;
  /** undefined: the task's own data set, without the case that is asked. */
  readonly dataset: DatasetSource | undefined;
  /** undefined: an example asks with the messages that `messages_template` makes of its row. */
  readonly prompt_template: string | undefined;
  readonly target_template: string | undefined;
  /** The template that combines `{{prompt}}` and `{{target}}` of an example. */
  readonly example_template: string;
  readonly separator: string;
  readonly strategy: "first" | "random";
  readonly seed: number;
  /** Folder of the images of the examples' own data set. */
  readonly images?: ImageFolder;
}

export type GraderSpec = SingleGrader | SeveralGraders;

/** The `graders` of a task: each scores under its name, and all of them together give a weighted `score`. */
export interface SeveralGraders {
  readonly type: "several";
  readonly graders: readonly NamedGrader[];
}

export interface NamedGrader {
  /** Unique in its task, without dots: its main score is the metric of that name. */
  readonly name: string;
  /** Weight in `score`; 0: reported, but not counted. */
  readonly weight: number;
  /** Replaces the task's target for this grader. */
  readonly target_template?: string;
  readonly grader: SingleGrader;
}

export type SingleGrader =
  | {
      readonly type: "python";
      readonly contract: GraderContract;
      readonly execution: GraderExecution;
      readonly metric_id: string;
      readonly source: CodeSource;
      /**
       * A class of the file, written for another tool, that is used as a grader; undefined: the file has `grade` or
       * `grade_batch`.
       */
      readonly class?: ForeignClass | undefined;
      readonly timeout_seconds: number;
      /** undefined: `sample` for a grader that executes text (the host that loads it finds out), otherwise `chunk`. */
      readonly isolation: GraderIsolation | undefined;
      /** Files and folders that it may read in addition to its own. */
      readonly allow_read: readonly FileRef[];
      /** undefined: the grader has no access to models. */
      readonly models: GraderModels | undefined;
      readonly extracted_field?: string;
    }
  | BuiltinGraderSpec
  /** The scores were given elsewhere. */
  | { readonly type: "recorded"; readonly options: JsonObject; readonly models: undefined };

export type GraderContract = "sample" | "batch" | "model_backed";
export type GraderExecution = "per_sample" | "aggregate";
/** `chunk`: some dozens of samples share a process; `sample`: each has its own. */
export type GraderIsolation = "chunk" | "sample";

/** Limits on a grader's requests to models. */
export interface GraderModels {
  readonly max_calls: number;
  /**
   * Models that may be asked in addition to the run's, as `provider:model`; the models that the grader's own code names
   * are added to them.
   */
  readonly allow_models: readonly ModelRef[];
  readonly named_in_code?: readonly ModelRef[];
  /** Whether requests may have tools. */
  readonly allow_tools: boolean;
  /** Whether requests may name URLs (images, files), which the provider would fetch. */
  readonly allow_urls: boolean;
}

/** A model of the run: `openai:gpt-4.1-mini`. */
export interface ModelRef {
  readonly model: string;
  readonly provider: Provider;
  readonly name: string;
}

/** Python code of the suite. */
export type CodeSource =
  | { readonly kind: "inline"; readonly text: string }
  | { readonly kind: "file"; readonly file: FileRef };

export interface PreprocessSpec {
  readonly contract: "row" | "batch";
  readonly source: CodeSource;
  readonly timeout_seconds: number;
  readonly allow_read: readonly FileRef[];
}

/**
 * How the scores of a case's repeats become the case's score. A repeat passes if its score is at least `pass`.
 * `pass_at_k`: the chance that at least one of k passes; `pass_hat_k`: the chance that all k pass; `at_least_k`: 1 if k
 * of the repeats pass, else 0.
 */
export type Reducer =
  | { readonly kind: "mean" | "mode" | "max" }
  | {
      readonly kind: "pass_at_k" | "pass_hat_k" | "at_least_k";
      readonly k: number;
      readonly pass: number;
    };

/** How scores are combined to a metric's value. */
export interface ScoreReading {
  readonly aggregation: Aggregation | "none";
  /** undefined: the mean of the repeats. */
  readonly reducer?: Reducer;
  readonly range: readonly [number, number] | null;
}

export interface MetricSpec extends ScoreReading {
  readonly id: string;
  readonly higher_is_better: boolean;
  /** null: determined from the base's scores. */
  readonly scale: "binary" | "graded" | null;
  readonly description?: string;
}

/** A program of the user's own. */
interface ProgramSpec {
  readonly id: string;
  /** undefined: it may use all files that the user may. */
  readonly fence?: FenceWish;
  /** Prepares a checkout of the base before this candidate is run there; undefined: nothing is known of it. */
  readonly setup?: readonly string[];
  /** Globs, relative to the manifest: files whose content the answers depend on. */
  readonly inputs: readonly string[];
  /** Names of environment variables to pass on. */
  readonly env: readonly string[];
  /** Row fields to pass on besides the prompt. */
  readonly pass: readonly string[];
  readonly timeout_seconds: number;
}

export type CandidateSpec =
  | AgentSpec
  | (ProgramSpec & { readonly kind: "command"; readonly command: readonly string[] })
  | {
      readonly id: string;
      readonly kind: "replay";
      /** A file of recordings, one per line; for trajectories (`format`) the folder that contains them. */
      readonly file: FileRef;
      readonly format?: "atif";
      /** The model whose lines are read if the file holds several. */
      readonly model: string | undefined;
      readonly output_field: string;
      readonly id_field: string;
      /** Cases for which the base has an answer, if a base judges: those of its recording, or all; undefined: unknown. */
      readonly answeredBefore?: BaseRecording | "all";
    }
  | {
      readonly id: string;
      readonly kind: "model";
      /** As the manifest has it: `openai:gpt-4.1-mini`. */
      readonly model: string;
      readonly provider: Provider;
      /** The model's name at its provider: `gpt-4.1-mini`. */
      readonly name: string;
      readonly generation: Generation;
    }
  | AnswerSpec
  | (ProgramSpec & { readonly kind: "worker"; readonly worker: readonly string[] })
  | {
      readonly id: string;
      readonly kind: "http";
      readonly url: string;
      readonly method: string;
      /** Templates: `{{prompt}}`, row fields that the prompt uses or `pass` names, `{{env.NAME}}` for names in `env`. */
      readonly headers: Readonly<Record<string, string>>;
      /** Every text in it is a template. undefined: no body. */
      readonly body: Json | undefined;
      /** A JSON pointer into the answer; "" is the whole body as text. */
      readonly output: string;
      /** A JSON pointer to the calls of tools in the answer. */
      readonly tool_calls?: string;
      readonly inputs: readonly string[];
      readonly env: readonly string[];
      readonly pass: readonly string[];
      readonly timeout_seconds: number;
      readonly max_retries: number;
    };

/** The API that a provider accepts. */
export interface ProviderApi {
  readonly api: "responses" | "chat";
  /** OpenAI itself gets only the fields that it documents; others get the passthrough fields too. */
  readonly passthrough: boolean;
}

/** A provider of models. */
export interface Provider extends ProviderApi {
  readonly id: string;
  readonly base_url: string;
  /** The environment variable with the key; undefined: none is needed. */
  readonly api_key_env: string | undefined;
  /** A built-in provider's key goes to its own host only. */
  readonly builtin: boolean;
  /** US dollars per million tokens, by model name: the manifest's prices, then this version's table. */
  readonly prices: Readonly<Record<string, Price>>;
  /** Sent with every request, in addition to the API's own headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly cached_input: number;
  readonly output: number;
}

/** Settings of model calls aliases resolved, defaults of controls filled in. */
export interface Generation {
  readonly instructions?: string;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_output_tokens?: number;
  readonly stop?: readonly string[];
  readonly tools?: Json;
  readonly tool_choice?: Json;
  readonly parallel_tool_calls?: boolean;
  readonly max_tool_calls?: number;
  readonly reasoning?: Json;
  readonly text?: Json;
  readonly truncation?: string;
  readonly service_tier?: string;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly top_k?: number;
  readonly min_p?: number;
  readonly repetition_penalty?: number;
  readonly do_sample?: boolean;
  readonly extra_body?: JsonObject;
  readonly chat_template_kwargs?: JsonObject;
  readonly prefill_think?: Json;
  readonly use_cache?: boolean;
  readonly timeout_seconds: number;
  readonly max_retries: number;
  readonly max_empty_retries: number;
}

/** The gate as a manifest declares it. */
export type Gate = "none" | GateSpec;

export interface GateSpec {
  readonly max_drop?: number;
  readonly alpha?: number;
  readonly max_error_rate?: number;
  /** The share of the cases of both sides that must have a grade on both. Default: all but the larger of 2 cases and 10 %. */
  readonly min_paired?: number;
  readonly rules?: readonly RuleSpec[];
  readonly confirm?: Confirm;
  /** Names of labels on a pull request: the first lets a changed policy judge itself, the second a proven loss pass. */
  readonly policy_label?: string;
  readonly accept_label?: string;
  /** Whose labels count as approval. Default: `others`. */
  readonly approvers?: Approvers;
  readonly baseline?: BaselineSpec;
}

/** People with write access: either only those who neither opened the pull request nor pushed to it, or all. */
export type Approvers = "others" | "writers";

/**
 * Whether a proven drop is run again before it blocks. `auto`: if the base's candidate can be run here; `always`: also
 * programs without a `setup` for a checkout of the base.
 */
type Confirm = "auto" | "always" | "never";

/** A run directory, or where to search for one. */
export interface BaselineSpec {
  /** Relative to the manifest. Without it, a baseline is searched for in CI. */
  readonly path?: string;
  readonly from?: "auto" | "rerun" | "pooled";
  /** Fallback if no earlier run is found or readable: run the base in the same job. */
  readonly fallback?: "rerun";
  /** Older runs are not used as a baseline. */
  readonly max_age_days?: number;
}

/**
 * One of `min`, `max`, `max_drop`, `max_rise`, `must_pass`; with `must_pass`, `min` or `max` defines passing. `metric` is
 * a glob `task/metric`, or `metric` for every task; `slice` one over `field=value`.
 */
export interface RuleSpec {
  readonly metric: string;
  readonly candidate?: string;
  /** For `max_drop` and `max_rise`: another candidate of the same run replaces the baseline. Its name, not a glob. */
  readonly against?: string;
  readonly slice?: string;
  /** Case ids, or globs of them. */
  readonly must_pass?: readonly string[];
  /** A change is also responsible for the cases of `must_pass` that fell short before it. */
  readonly always?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly max_drop?: number;
  readonly max_rise?: number;
  /** For `min` and `max`: the rule applies only without a baseline; with one, the comparison judges. */
  readonly without_baseline?: boolean;
  readonly prove?: Prove;
  readonly alpha?: number;
  readonly level?: RuleLevel;
}

export type Prove = "drop" | "no_drop" | "nothing";
export type RuleLevel = "block" | "warn" | "info";

export const defaultAlpha = 0.05;
