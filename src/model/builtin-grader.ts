import type { BuiltinGrader } from "./builtins.ts";
import type { HeldBase } from "./held-programs.ts";
import type { JsonObject } from "./json.ts";
import type { GraderModels } from "./suite.ts";

/** A grader that Regrade brings, as a suite uses it. */
export interface BuiltinGraderSpec {
  readonly type: BuiltinGrader;
  readonly options: JsonObject;
  readonly models: GraderModels | undefined;
  /** The extracted field that it reads as the extracted output. */
  readonly extracted_field?: string;
  /** The folder of the programs that it runs; undefined: it can run none. */
  readonly held_base?: HeldBase;
}
