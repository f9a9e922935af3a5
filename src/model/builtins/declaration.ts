import type { JsonObject } from "../json.ts";
import type { MetricSpec } from "../definition/suite.ts";

/** One built-in grader, for code that does not depend on how it grades. */
export interface BuiltinDeclaration {
  /** A sentence for editors and the reference of the manifest. */
  readonly description: string;
  /** The first one is gated by default. */
  readonly metrics: readonly MetricSpec[];
  /** JSON Schema of each option, by its name, with an example for editors. One without a default is required. */
  readonly options: JsonObject;
  /** It does not run in Python: src/grading/checks has it. */
  readonly isHere?: true;
  /** It needs a target, so that its task needs a `target_template`. */
  readonly needsTarget?: true;
  /** Options of which it needs at least one, so that the bare name is not enough. */
  readonly takesOneOf?: readonly string[];
  /** Its metrics and calls, if they depend on its options. */
  readonly givenWith?: (
    options: JsonObject,
  ) => { readonly metrics: readonly MetricSpec[]; readonly modelCalls: number } | undefined;
  /** It asks a model to judge: `model`, or `run.judge_model`. The bare name is not enough. */
  readonly asksJudge?: true;
  /** Limit of model calls per sample, if it asks models; default 1. */
  readonly modelCalls?: number;
  /** It asks for embeddings too: `embedding_model`, or `run.embedding_model`. */
  readonly asksEmbedding?: true;
  /** Options that may name one of `output_extraction.fields`: a text as `extracted.NAME`, a list by the plain names. */
  readonly fieldOptions?: readonly string[];
  /** It gives scores beside its own, under names that rows choose. */
  readonly givesOthers?: true;
  /** It sees all samples of a task and candidate together, and adds a metric for each class that it finds. */
  readonly seesAll?: true;
  /** Option that may be the path of a JSON file; the file's content then replaces it. */
  readonly fileOption?: string;
  /** Time limit for one sample, if it is not the default. */
  readonly timeoutSeconds?: number;
}

/** A metric that is 0 or 1. */
export function binary(id: string, description: string): MetricSpec {
  return {
    id,
    description,
    higher_is_better: true,
    range: [0, 1],
    scale: "binary",
    aggregation: "mean",
  };
}

/** A metric from 0 to 1. */
export function graded(id: string, description: string): MetricSpec {
  return { ...binary(id, description), scale: "graded" };
}

/** Options of a grader that asks a judge. `tokens`: default limit of the judge's output. */
export function modelOptions(tokens: number): JsonObject {
  return {
    model: {
      type: "string",
      minLength: 1,
      default: "auto",
      description: "The judge, `provider:model`; auto is run.judge_model.",
      examples: ["openai:gpt-5.4-mini"],
    },
    temperature: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 2,
      default: 0,
      description: "The judge's temperature; null leaves it out, as some models refuse it.",
      examples: [0],
    },
    max_output_tokens: {
      type: "integer",
      minimum: 16,
      maximum: 100000,
      default: tokens,
      description: "What the judge may write at most, its thoughts included.",
      examples: [512],
    },
  };
}
