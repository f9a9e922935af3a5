import { canonicalJson } from "../domain/json.ts";
import type { HashText, OpenGrader, OpenProgram, ProgramFile } from "../domain/ports.ts";
import type { Place } from "../domain/refusal.ts";
import type { GraderSpec } from "../domain/suite.ts";
import { builtinProgram, type BuiltinSpec } from "./builtin.ts";
import type { GraderKind } from "./kind.ts";
import { pythonProgram, type PythonSpec } from "./python.ts";
import { refusedProblem } from "./refused.ts";

export interface GradingTools {
  readonly openProgram: OpenProgram;
  readonly hashText: HashText;
  /** Where the source of an inline grader stands in its manifest. Default: its name and its own line. */
  readonly inlinePlace?: (spec: PythonSpec, within: Place) => Place;
}

/** Opens graders of every kind. A kind that joins is a line in `kindOf` and a file beside this one. */
export function createOpenGrader(tools: GradingTools): OpenGrader {
  return async (spec) => {
    const { program, identity } = kindOf(spec);
    const opened = await tools.openProgram(program);
    if ("refused" in opened) {
      const at = (within: Place): Place => placeOf(spec, within, tools);
      return { problems: [refusedProblem(opened.refused, { program, at })] };
    }
    const { files, grade, close } = opened.program;
    return { grader: { grade, close, hash: graderHash(identity, files, tools.hashText) } };
  };
}

function kindOf(spec: GraderSpec): GraderKind {
  switch (spec.type) {
    case "python":
      return pythonProgram(spec);
    case "exact_match":
    case "contains":
    case "numeric":
    case "token_f1":
    case "choice":
      return builtinProgram(spec);
  }
}

function placeOf(spec: PythonSpec | BuiltinSpec, within: Place, tools: GradingTools): Place {
  const inline = spec.type === "python" && spec.source.kind === "inline";
  return inline && tools.inlinePlace ? tools.inlinePlace(spec, within) : within;
}

/** The main file counts by its content, whatever it is called; the others by name too, as imports name them. */
function graderHash(
  identity: GraderKind["identity"],
  [main, ...imported]: readonly ProgramFile[],
  hashText: HashText,
): string {
  const imports = imported.map(({ path, sha256 }) => [path, sha256]);
  return hashText(canonicalJson({ ...identity, code: main?.sha256 ?? null, imports }));
}
