import type { ProgramRefused } from "../../model/ports/programs.ts";
import { problem } from "../../model/refusal.ts";
import type { Place, Problem } from "../../model/refusal.ts";

interface Shown {
  readonly contract: "row" | "batch";
  /** The name of its source in messages. */
  readonly file: string;
  /** Turns a place in the source into one that the user can open. */
  readonly at: (within: Place) => Place;
}

/** The problem of a preprocessor that can't be used, with its place. */
export function preprocessorProblem(
  refused: ProgramRefused,
  { contract, file, at }: Shown,
): Problem {
  const { message: reason, text, traceback } = refused;
  const place = at(placeIn(file, refused));
  switch (refused.reason) {
    case "file_unreadable":
      return problem("preprocess_file_unreadable", { file, reason }, place);
    case "syntax":
      return problem("preprocess_syntax", { reason, text }, place);
    case "import_failed":
    case "module_missing":
    case "load_timeout":
    case "options":
    case "died":
      return problem("preprocess_not_loaded", { reason, traceback: traceback ?? "" }, place);
    case "no_grade":
    case "no_function": {
      const found = reason === "" ? "" : `it defines ${reason}`;
      return problem("preprocess_no_function", { contract, reason: found }, place);
    }
    case "not_callable": {
      const found = `the name stands for an object of type ${reason}`;
      return problem("preprocess_no_function", { contract, reason: found }, place);
    }
    case "signature": {
      const found = `its parameters are ${reason}`;
      return problem("preprocess_no_function", { contract, reason: found }, place);
    }
    case "sandbox":
      return problem("preprocess_no_sandbox", { reason }, place);
  }
}

function placeIn(file: string, { line, column }: ProgramRefused): Place {
  return { file, ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
}
