import { Command, CommanderError } from "commander";
import { declareCalibrate } from "./commands/calibrate.ts";
import { declareCompare } from "./commands/compare.ts";
import { declareDoctor } from "./commands/doctor.ts";
import { declareHistory } from "./commands/history.ts";
import { declareImport } from "./commands/import.ts";
import { declareInit } from "./commands/init.ts";
import { declareMerge } from "./commands/merge.ts";
import { declarePower } from "./commands/power.ts";
import { declareReport } from "./commands/report.ts";
import { declareRerunFailed } from "./commands/rerun-failed.ts";
import { declareRun } from "./commands/run.ts";
import { declareShow } from "./commands/show.ts";
import { declareValidate } from "./commands/validate.ts";
import { declareView } from "./commands/view.ts";
import type { Act, Chosen } from "./context.ts";

/** All commands, in the order of the help. */
const commands: readonly ((program: Command, chosen: Chosen) => void)[] = [
  declareRun,
  declareRerunFailed,
  declareValidate,
  declareCompare,
  declareReport,
  declareMerge,
  declareShow,
  declareView,
  declareHistory,
  declareCalibrate,
  declarePower,
  declareInit,
  declareImport,
  declareDoctor,
];

interface Terminal {
  readonly version: string;
  readonly write: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** A command to execute, or an exit code if everything has been printed already. */
type ReadArguments =
  | { readonly kind: "command"; readonly act: Act }
  /** The text was written already: help, the version, or a mistake in the arguments. */
  | { readonly kind: "answered"; readonly exitCode: 0 | 2 };

/** Reads the arguments (without node and script). */
export async function readArguments(
  argv: readonly string[],
  terminal: Terminal,
): Promise<ReadArguments> {
  let read: ReadArguments = { kind: "answered", exitCode: 0 };
  const program = declareProgram(terminal, (act) => {
    read = { kind: "command", act };
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return read;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: "answered", exitCode: error.exitCode === 0 ? 0 : 2 };
  }
}

function declareProgram(terminal: Terminal, chosen: Chosen): Command {
  const program = new Command("regrade")
    .description(
      "Runs evals and says, with the statistics to back it, whether a change made them worse.",
    )
    .version(terminal.version, "-V, --version")
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.complain })
    .showHelpAfterError("(regrade --help shows what there is)")
    .exitOverride()
    .addHelpText("after", examples);
  for (const declare of commands) declare(program, chosen);
  for (const command of program.commands)
    command.showHelpAfterError(`(regrade ${command.name()} --help shows what there is)`);
  return program;
}

const examples = `
Examples:
  regrade init                                             write a first suite and a workflow
  regrade validate evals/support.yaml                      is the suite all right?
  regrade run evals/support.yaml                           run it; the exit code is the verdict
  regrade run evals/support.yaml --baseline runs/main      … compared with an earlier run
  regrade run evals/*.yaml --out runs/today                several suites, each in a folder of its own
  regrade run --results out.json --max-drop 0.02           what another tool recorded, judged
  regrade compare runs/main runs/today                     the same gate on two runs, nothing run again
  regrade report runs/today                                its summary as markdown, once more
  regrade show runs/today c42                              one case: prompt, before and after, the grader's words
  regrade view                                             the last run as a page in the browser
  regrade merge runs/shard-* --out runs/whole              shards to one run, judged once
  regrade calibrate evals/support.yaml                     is its gate right about runs that changed nothing?
  regrade power runs/today                                 how many cases prove a drop of which size?
  regrade doctor                                           can graders be isolated on this machine?

Exit codes: 0 pass or neutral, 1 fail, 2 refused (manifest, arguments), 3 inconclusive,
4 error (infrastructure, too many errors), 70 a bug in Regrade, 130 interrupted.
`;
