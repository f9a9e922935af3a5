import { canonicalJson } from "../domain/json.ts";
import type { GraderSpec } from "../domain/suite.ts";
import type { GraderKind } from "./kind.ts";

export type BuiltinSpec = Exclude<GraderSpec, { readonly type: "python" }>;

/** The default of the manifest's `grader.timeout_seconds`. */
const timeoutSeconds = 120;
/** The name of the only score where a built-in returns a bare number. */
const metricId = "score";

/** A grader that Regrade brings, one file in `python/regrade/graders`. */
export function builtinProgram({ type, options }: BuiltinSpec): GraderKind {
  return {
    program: { kind: "builtin", name: type, options, metricId, timeoutSeconds },
    identity: { kind: type, metricId, options: canonicalJson(options) },
  };
}
