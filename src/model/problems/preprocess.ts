import { plural } from "../number-words.ts";
import type { Said } from "./said.ts";

/** Problems with loading a preprocessor, and with its results. */
export const preprocessTexts = {
  preprocess_file_unreadable: ({ file, reason }: { file: string; reason: string }): Said => ({
    message: `can't read the preprocessor's file ${file}: ${reason}`,
    hint: "Check preprocess.file; it is relative to the manifest.",
  }),
  preprocess_syntax: ({ reason, text }: { reason: string; text: string | undefined }): Said => ({
    message: `the preprocessor has a syntax error: ${reason}${text === undefined ? "" : `\n    ${text.trim()}`}`,
    hint: "Correct it; 'python3 -m py_compile' finds such errors in a file.",
  }),
  preprocess_not_loaded: ({ reason, traceback }: { reason: string; traceback: string }): Said => ({
    message: `the preprocessor can't be imported: ${reason}${traceback === "" ? "" : `\n${traceback.replaceAll(/^/gmu, "    ")}`}`,
    hint: "Its top level must run without an error, in its own folder and without the job's environment variables; its imports must be next to it, or installed for the interpreter that Regrade uses.",
  }),
  preprocess_no_function: ({ contract, reason }: { contract: Contract; reason: string }): Said => ({
    message: `the preprocessor has no function that the contract ${contract} can call${reason === "" ? "" : `: ${reason}`}`,
    hint:
      contract === "row"
        ? "Define transform_row(row), transform(row) or process_doc(row) at its top level; for transform_batch(rows) write contract: batch."
        : "Define transform_batch(rows) or process_docs(rows) at its top level; for transform(row) write contract: row.",
  }),
  preprocess_no_sandbox: ({ reason }: { reason: string }): Said => ({
    message: `the preprocessor can't be shut in: ${reason}`,
    hint: "Use --sandbox auto to run with what this machine offers.",
  }),
  preprocess_failed: ({
    row,
    type,
    message,
  }: {
    row: number | undefined;
    type: string;
    message: string;
  }): Said => ({
    message: `the preprocessor failed${row === undefined ? "" : ` on row ${row}`} (${type}): ${message}`,
    hint: "Nothing was run. 'regrade validate' tries the preprocessor again without a sample.",
  }),
  preprocess_no_rows: ({ rows }: { rows: number }): Said => ({
    message: `the preprocessor left none of ${rows} ${plural(rows, "row")}`,
    hint: "Return the rows that are to be cases: without cases nothing is measured.",
  }),
} satisfies Record<string, (found: never) => Said>;

type Contract = "row" | "batch";
