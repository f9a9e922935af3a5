import type { DatasetSource } from "./dataset.ts";
import type { AskedAs, ImageFolder } from "./asked.ts";
import type { ExtractionSpec } from "./extraction.ts";
import type { HiddenText } from "../ports/secrets.ts";
import type { UsedCalibration } from "../figures/judge-calibration.ts";
import type { JsonObject } from "../json.ts";
import type { Overrides } from "./overrides.ts";
import type { ResultsFrom } from "../results.ts";
import type { Aggregation } from "./aggregations.ts";
import type { Gate } from "./gate.ts";
import type { CandidateSpec } from "./candidate-spec.ts";
import type { Provider } from "../models/providers.ts";
import type { GraderSpec } from "./graders.ts";

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
