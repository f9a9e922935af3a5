import { type Command, InvalidArgumentError } from "commander";
import type { SharedOptions } from "./declare-calibrate.ts";

export type AskedOfMaking =
  | ({ readonly command: "rerun-failed" } & RerunFailedFlags)
  | ({ readonly command: "import" } & ImportFlags);

export interface RerunFailedFlags {
  readonly sandbox: "auto" | "required" | "off";
  readonly python: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly directory: string;
  readonly suite: string | undefined;
  readonly baseline: string | undefined;
}

export interface ImportFlags {
  readonly python: string;
  readonly suite: string;
  readonly samples: string | undefined;
  readonly out: string | undefined;
  readonly run: string | undefined;
  readonly file: Readonly<Record<string, string>>;
}

/** What a run may choose beside its manifest. */
export function withChoices(command: Command): Command {
  return command
    .option(
      "--max-samples <n>",
      "only so many cases of each task, chosen by a seeded draw: the same ones in every run",
      readCount,
    )
    .option("--repeats <n>", "so many samples of each case, whatever the tasks say", readCount)
    .option(
      "--metadata <key=value>",
      "an identifier of your own for run.json (repeatable)",
      readMetadata,
      {},
    );
}

/** `regrade rerun-failed`. */
export function declareRerun(
  program: Command,
  found: (asked: AskedOfMaking) => void,
  shared: SharedOptions,
): void {
  program
    .command("rerun-failed")
    .description("run the failed and ungraded samples of a finished run again, into that run")
    .argument("<dir>", "run directory")
    .option("--suite <manifest>", "its manifest (default: the one that the run was made from)")
    .option("-b, --baseline <dir>", "run directory to compare with, or 'none' (default: as before)")
    .addOption(shared.sandbox())
    .addOption(shared.python())
    .option("--json", "write run.json to standard output", false)
    .option("-q, --quiet", "no progress and no table", false)
    .addHelpText(
      "after",
      `
Nothing else is asked again, and nothing is lost: a sample that does not come to another end keeps its own, and
run.json tells how often this was done.

Examples:
  regrade rerun-failed runs/today                          after the provider's bad hour
`,
    )
    .action((directory: string, flags: Omit<RerunFailedFlags, "directory">) =>
      found({ command: "rerun-failed", directory, ...flags }),
    );
}

/** `regrade import`. */
export function declareImport(
  program: Command,
  found: (asked: AskedOfMaking) => void,
  shared: SharedOptions,
): void {
  program
    .command("import")
    .description(
      "write a manifest, and a run that serves as a baseline, of what the hosted product exported",
    )
    .argument("<suite>", "a suite version, as JSON")
    .option("--samples <file>", "the samples of one of its runs, as JSON lines")
    .option(
      "--file <id=path>",
      "where an uploaded file is in this repository, relative to the manifest (repeatable)",
      readMetadata,
      {},
    )
    .option("-o, --out <file>", "the manifest to write (default: <name>.json)")
    .option("--run <dir>", "the run directory to write (default: runs/<name> beside the manifest)")
    .addOption(shared.python())
    .addHelpText(
      "after",
      `
Examples:
  regrade import version.json --file file_dataset123=data/qa.jsonl --file file_grader123=graders/qa.py
  regrade import version.json --samples samples.jsonl --out evals/qa.json --file file_dataset123=qa.jsonl
`,
    )
    .action((suite: string, flags: Omit<ImportFlags, "suite">) =>
      found({ command: "import", suite, ...flags }),
    );
}

function readCount(value: string): number {
  const count = Number(value);
  if (/^[1-9][0-9]*$/.test(value) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError("Give a whole number of 1 or more.");
}

/** As the manifest's `metadata` has them. */
function readMetadata(
  value: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const at = value.indexOf("=");
  const [key, text] = [value.slice(0, Math.max(at, 0)), value.slice(at + 1)];
  if (key === "") throw new InvalidArgumentError("Write it as KEY=VALUE.");
  if (key.length > 64) throw new InvalidArgumentError("A key has at most 64 characters.");
  if (text.length > 512) throw new InvalidArgumentError("A value has at most 512 characters.");
  return { ...before, [key]: text };
}
