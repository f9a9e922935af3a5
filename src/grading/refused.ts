import type { GraderProgramSpec, ProgramRefused } from "../model/ports/programs.ts";
import { type Place, type Problem, problem } from "../model/refusal.ts";

interface Source {
  readonly program: GraderProgramSpec;
  /** Turns a place in the program's own source into one that the user can open. */
  readonly at: (within: Place) => Place;
  /** Position of the grader's declaration in the manifest, with its options. */
  readonly declared: Place | undefined;
}

/** Why a grader can't be used, in words, with its place. */
export function refusedProblem(refused: ProgramRefused, source: Source): Problem {
  const { program, at, declared } = source;
  const { message: reason, text } = refused;
  const name = nameOf(program);
  const traceback = refused.traceback ?? "";
  const place = at(placeIn(name, refused));
  switch (refused.reason) {
    case "file_unreadable":
      return problem("grader_file_unreadable", { file: name, reason });
    case "syntax":
      return problem("grader_syntax", { reason, text }, place);
    case "import_failed":
      return problem("grader_import_failed", { reason, traceback }, place);
    case "module_missing":
      return problem("grader_module_missing", { reason, traceback }, place);
    case "load_timeout":
      return problem("grader_load_timeout", { reason }, place);
    case "no_grade":
    case "no_function":
      return problemOfFunction(program, reason, place);
    case "sandbox":
      return problem("grader_sandbox", { reason }, place);
    case "not_callable":
      return problem("grader_not_callable", { found: reason }, place);
    case "signature":
      return problem("grader_signature", { signature: reason }, place);
    case "options":
      return problem("grader_options", { grader: name, reason }, declared);
    case "died":
      return problem("grader_died", { reason }, place);
  }
}

/** `functions`: functions that the grader defines, as text: `grade, helper`. */
function problemOfFunction(
  { execution }: GraderProgramSpec,
  functions: string,
  place: Place,
): Problem {
  if (execution === "aggregate") return problem("grader_no_grade_batch", { functions }, place);
  return functions.split(", ").includes("grade_batch")
    ? problem("grader_batch_function", undefined, place)
    : problem("grader_no_grade", { functions }, place);
}

function nameOf(program: GraderProgramSpec): string {
  switch (program.kind) {
    case "builtin":
      return program.name;
    case "file":
    case "source":
      return program.shown;
  }
}

function placeIn(file: string, { line, column }: ProgramRefused): Place {
  if (line === undefined) return { file };
  return column === undefined ? { file, line } : { file, line, column };
}
