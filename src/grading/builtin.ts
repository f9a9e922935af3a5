import { canonicalJson } from "../model/json.ts";
import { isAggregate } from "../model/graders.ts";
import { builtinGraders } from "../model/builtins.ts";
import type { SingleGrader } from "../model/suite.ts";
import type { GraderKind } from "./kind.ts";

type BuiltinSpec = Exclude<SingleGrader, { readonly type: "python" | "recorded" }>;

/** The default of the manifest's `grader.timeout_seconds`. */
const usualSeconds = 120;
/** The name of the only score where a built-in returns a bare number. */
const metricId = "score";

/** A grader that Regrade brings, one file in `python/regrade/graders`. */
export function builtinProgram(spec: BuiltinSpec): GraderKind {
  const { type, options, models } = spec;
  return {
    program: {
      kind: "builtin",
      name: type,
      options,
      metricId,
      timeoutSeconds: builtinGraders[type].timeoutSeconds ?? usualSeconds,
      execution: isAggregate(spec) ? "aggregate" : "per_sample",
      contract: models === undefined ? "sample" : "model_backed",
      isolation: "chunk",
      allowRead: [],
      models: undefined,
    },
    identity: { kind: type, metricId, options: canonicalJson(options) },
  };
}
