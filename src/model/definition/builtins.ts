import type { JsonObject } from "../json.ts";
import type { MetricSpec } from "./suite.ts";
import type { GraderModels } from "./graders.ts";
import { agentGraders } from "../builtins/agent.ts";
import { checkGraders } from "../builtins/checks.ts";
import { choiceGraders } from "../builtins/choice.ts";
import type { BuiltinDeclaration } from "../builtins/declaration.ts";
import { formatGraders } from "../builtins/formats.ts";
import { judgeCallsGraders } from "../builtins/judge-calls.ts";
import { judgeGraders } from "../builtins/judge.ts";
import { programGraders } from "../builtins/program.ts";
import { ragGraders } from "../builtins/rag.ts";
import { rowCheckGraders } from "../builtins/row-checks.ts";
import { textGraders } from "../builtins/texts.ts";
import { toolGraders } from "../builtins/tools.ts";
import { triggerGraders } from "../builtins/triggers.ts";
import { unitMetricGraders } from "../builtins/unit-metrics.ts";
import type { HeldBase } from "../ports/held-programs.ts";

const declared = {
  ...textGraders,
  ...formatGraders,
  ...checkGraders,
  ...agentGraders,
  ...programGraders,
  ...choiceGraders,
  ...judgeGraders,
  ...judgeCallsGraders,
  ...toolGraders,
  ...ragGraders,
  ...rowCheckGraders,
  ...unitMetricGraders,
  ...triggerGraders,
};

export type BuiltinGrader = keyof typeof declared;

/**
 * The built-in graders as the manifest needs them before Python is started. A new one is a record in a file of
 * `builtins/`; `npm run schemas` puts it into the manifest's schema. The graders in python/regrade/graders/ declare the
 * same metrics and options; a test compares the two.
 */
export const builtinGraders: Readonly<Record<BuiltinGrader, BuiltinDeclaration>> = declared;

/** The metrics of a built-in grader with its options. */
export function metricsOfBuiltin(type: BuiltinGrader, options: JsonObject): readonly MetricSpec[] {
  const { metrics, givenWith } = builtinGraders[type];
  return givenWith?.(options)?.metrics ?? metrics;
}

export function isBuiltinGrader(type: string): type is BuiltinGrader {
  return Object.hasOwn(builtinGraders, type);
}

/** A grader that Regrade brings, as a suite uses it. */
export interface BuiltinGraderSpec {
  readonly type: BuiltinGrader;
  readonly options: JsonObject;
  readonly models: GraderModels | undefined;
  /** The extracted field that it reads as the extracted output. */
  readonly extracted_field?: string;
  /** The folder of the programs that it runs; undefined: it can't run any. */
  readonly held_base?: HeldBase;
}
