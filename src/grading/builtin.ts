import { canonicalJson } from "../model/json.ts";
import type { BuiltinGrader, SingleGrader } from "../model/suite.ts";
import type { GraderKind } from "./kind.ts";

type BuiltinSpec = Exclude<SingleGrader, { readonly type: "python" | "recorded" }>;

/** The default of the manifest's `grader.timeout_seconds`. */
const usualSeconds = 120;
/** A pattern that is not through by then never will be. A judge has the time of its model's retries. */
const secondsOf: Readonly<Partial<Record<BuiltinGrader, number>>> = {
  regex: 5,
  json_schema: 5,
  judge: 600,
};
/** The name of the only score where a built-in returns a bare number. */
const metricId = "score";

/** A grader that Regrade brings, one file in `python/regrade/graders`. */
export function builtinProgram({ type, options, models }: BuiltinSpec): GraderKind {
  return {
    program: {
      kind: "builtin",
      name: type,
      options,
      metricId,
      timeoutSeconds: secondsOf[type] ?? usualSeconds,
      execution: "per_sample",
      contract: models === undefined ? "sample" : "model_backed",
      isolation: "chunk",
      allowRead: [],
      models: undefined,
    },
    identity: { kind: type, metricId, options: canonicalJson(options) },
  };
}
