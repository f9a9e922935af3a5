import { isJsonObject, type JsonObject } from "../json.ts";
import type { ForeignClass } from "../ports/programs.ts";
import { type BuiltinGraderSpec, builtinGraders, metricsOfBuiltin } from "./builtins.ts";
import { weightedId } from "./metric.ts";
import type { CodeSource, FileRef, ModelRef } from "./suite.ts";

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

/** A task's graders: the only one, or those of `graders`. */
export function singleGraders(spec: GraderSpec): readonly SingleGrader[] {
  return spec.type === "several" ? spec.graders.map(({ grader }) => grader) : [spec];
}

/** True if `grade_batch` sees all samples of a task together. */
export function isAggregate(grader: SingleGrader): boolean {
  if (grader.type === "python") return grader.execution === "aggregate";
  return givesMore(grader);
}

/** True if some grader of the task may ask models. */
export function asksModels(spec: GraderSpec): boolean {
  return singleGraders(spec).some(({ models }) => models !== undefined);
}

/** Models that a grader may ask in addition to those of the run. */
export function modelsAllowed({ models }: Pick<SingleGrader, "models">): readonly ModelRef[] {
  return [...(models?.allow_models ?? []), ...(models?.named_in_code ?? [])];
}

/** The main key of a grader's result: its weight applies to it. */
export function mainKeyOf(grader: SingleGrader): string {
  if (grader.type === "python") return grader.metric_id;
  if (grader.type === "recorded") return weightedId;
  return metricsOfBuiltin(grader.type, grader.options)[0]?.id ?? weightedId;
}

/**
 * The metric id of a score of one of several graders: the main score has the grader's name, the others have it as a
 * prefix. Names contain no dots, so that the ids of two graders never collide.
 */
export function metricIdOf({ name, grader }: NamedGrader, key: string): string {
  return key === mainKeyOf(grader) ? name : `${name}.${key}`;
}

/** Whether a metric belongs to this grader. */
export function isMetricOf({ name }: NamedGrader, metric: string): boolean {
  return metric === name || metric.startsWith(`${name}.`);
}

/** Fields of rows that contain checks. */
export function rowChecksOf(spec: GraderSpec): readonly string[] {
  return singleGraders(spec).flatMap((each) => {
    if (each.type !== "row_checks") return [];
    const { field } = each.options;
    return typeof field === "string" ? [field] : [];
  });
}

/** Fields of rows that contain what a grader expects: checks, required calls, whether a skill should be used. */
export function expectedFieldsOf(spec: GraderSpec): readonly string[] {
  return singleGraders(spec).flatMap((each) => {
    const option = expecting[each.type];
    return option === undefined ? [] : fieldNamed(each, option);
  });
}

/** Fields of rows that built-in graders read, with the graders' types. */
export function gradedFieldsOf(
  spec: GraderSpec,
): readonly { readonly grader: string; readonly field: string }[] {
  return singleGraders(spec).flatMap((each) => {
    const options = ["contexts", "question", "weight_field", expecting[each.type] ?? ""];
    const fields = options.flatMap((option) => fieldNamed(each, option));
    // A question may be the prompt, and contexts may be extracted from the answer.
    return fields
      .filter((field) => field !== "prompt" && !field.startsWith("extracted."))
      .map((field) => ({ grader: each.type, field }));
  });
}

/** The field that an option names, or else its default. */
function fieldNamed(grader: SingleGrader, option: string): readonly string[] {
  if (grader.type === "python" || grader.type === "recorded") return [];
  const declared = builtinGraders[grader.type].options[option];
  if (!isJsonObject(declared)) return [];
  const field = grader.options[option] ?? declared["default"];
  return typeof field === "string" ? [field] : [];
}

/** Options that name such a field, by the grader's type. */
const expecting: Readonly<Partial<Record<SingleGrader["type"], string>>> = {
  row_checks: "field",
  tool_calls: "required",
  triggers: "expected",
};

/** Whether a grader adds metrics to its declared ones: one per class that it finds. */
export function givesMore(grader: SingleGrader): boolean {
  if (grader.type === "python" || grader.type === "recorded") return false;
  return builtinGraders[grader.type].seesAll === true;
}

/** The graders of a task that grade with `grade_batch`. */
export function batchGraders(spec: GraderSpec): readonly NamedGrader[] {
  return spec.type === "several" ? spec.graders.filter(({ grader }) => isAggregate(grader)) : [];
}
