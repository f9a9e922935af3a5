import type { JsonObject } from "./json.ts";

/** A suite as resolved from its manifest: every default filled in, every path looked up. */
export interface Suite {
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
  /** As the manifest has it, verbatim: a run records the rules that judged it. */
  readonly gate: Gate;
  readonly publish: PublishContent | undefined;
  readonly metadata: JsonObject;
}

/** What text of cases goes into the comment, the check and the summary. */
export type PublishContent = "full" | "failures" | "ids";

/** A file that a manifest names. */
export interface FileRef {
  /** Relative to the manifest's folder, with forward slashes: what messages and hashes use. */
  readonly path: string;
  readonly absolute: string;
}

export interface Task {
  readonly id: string;
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly dataset: DatasetSpec;
  readonly prompt_template: string;
  readonly target_template: string | undefined;
  readonly choices: readonly string[];
  readonly output_extraction: ExtractionSpec;
  readonly grader: GraderSpec;
  /** Never empty; the first is the one that the default rule gates. */
  readonly metrics: readonly MetricSpec[];
  readonly repeats: number;
  readonly slices: readonly string[];
  readonly min_cases: number;
  readonly metadata: JsonObject;
}

export interface DatasetSpec {
  readonly file: FileRef;
  readonly format: "jsonl" | "csv";
  /** undefined: `id` if the first row has it, else the hash. null: the hash. */
  readonly id_field: string | null | undefined;
}

export type ExtractionSpec =
  | { readonly type: "none" }
  | { readonly type: "take_first"; readonly lines: number }
  | RegexSpec
  | {
      readonly type: "label_set";
      readonly labels: readonly string[];
      readonly case_sensitive: boolean;
    }
  | { readonly type: "number" };

/** `pattern` is Python's `re`; `group` undefined is group 1 where there is one, else 0. */
export interface RegexSpec {
  readonly type: "regex" | "regex_last";
  readonly pattern: string;
  readonly group: number | string | undefined;
  readonly flags: string;
}

export type GraderSpec =
  | {
      readonly type: "python";
      readonly contract: "sample";
      readonly metric_id: string;
      readonly source: GraderSource;
      readonly timeout_seconds: number;
    }
  | { readonly type: BuiltinGrader; readonly options: JsonObject };

export type GraderSource =
  | { readonly kind: "inline"; readonly text: string }
  | { readonly kind: "file"; readonly file: FileRef };

export type BuiltinGrader = "exact_match" | "contains" | "numeric" | "token_f1" | "choice";

export interface MetricSpec {
  readonly id: string;
  readonly aggregation: "mean" | "none";
  readonly higher_is_better: boolean;
  readonly range: readonly [number, number] | null;
  /** null: found out from the base's scores. */
  readonly scale: "binary" | "graded" | null;
  readonly description?: string;
}

export type CandidateSpec =
  | {
      readonly id: string;
      readonly kind: "command";
      readonly command: readonly string[];
      /** Globs, relative to the manifest: files whose content the command's answers depend on. */
      readonly inputs: readonly string[];
      /** Names of environment variables to hand on. */
      readonly env: readonly string[];
      /** Row fields to hand on beside the prompt. */
      readonly pass: readonly string[];
      readonly timeout_seconds: number;
    }
  | {
      readonly id: string;
      readonly kind: "replay";
      readonly file: FileRef;
      /** Which model's lines to take where the file holds several. */
      readonly model: string | undefined;
      readonly output_field: string;
      readonly id_field: string;
    };

/** The gate as a manifest declares it. */
export type Gate = "none" | GateSpec;

export interface GateSpec {
  readonly max_drop?: number;
  readonly alpha?: number;
  readonly max_error_rate?: number;
  readonly rules?: readonly RuleSpec[];
  readonly baseline?: { readonly path: string };
}

/** One of `min`, `max`, `max_drop`, `max_rise`. `metric` is a glob `task/metric`, or `metric` for every task. */
export interface RuleSpec {
  readonly metric: string;
  readonly candidate?: string;
  readonly min?: number;
  readonly max?: number;
  readonly max_drop?: number;
  readonly max_rise?: number;
  readonly prove?: Prove;
  readonly alpha?: number;
  readonly level?: RuleLevel;
}

export type Prove = "drop" | "nothing";
export type RuleLevel = "block" | "warn" | "info";

/** design: the default allowed drop, on each task's first metric where its range is [0, 1]. */
export const defaultMaxDrop = 0.02;
export const defaultAlpha = 0.05;
