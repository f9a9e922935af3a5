import type { JsonObject } from "../json.ts";
import type { MetricSpec } from "../suite.ts";

/** One built-in grader, for everyone who is not concerned with how it grades. */
export interface BuiltinDeclaration {
  /** A sentence for editors and the reference of the manifest. */
  readonly description: string;
  /** The first one is gated by default. */
  readonly metrics: readonly MetricSpec[];
  /** JSON Schema of each option, by its name, with an example for editors. One without a default is required. */
  readonly options: JsonObject;
  /** It compares with a target: its task then needs a `target_template`. */
  readonly needsTarget?: true;
  /** It asks a model to judge: `model`, or `run.judge_model`. It can't be written as a bare name. */
  readonly asksJudge?: true;
  /** It sees all samples of a task and candidate together, and gives a metric for each class that it finds beside its own. */
  readonly seesAll?: true;
  /** An option that may be the path of a JSON file, whose content then stands in it. */
  readonly fileOption?: string;
  /** The time of one sample, where it is not the usual one. */
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
