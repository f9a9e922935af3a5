import type { Command } from "commander";
import type { Run } from "../../model/run.ts";
import { exitCodes } from "../../model/verdict.ts";
import { rerunRequest, type RerunAsked } from "../../analyse/rerun.ts";
import { counted } from "../../report/words/figures.ts";
import { runSuite } from "../../runs/run-suite.ts";
import { toolsFor, type Chosen, type CliContext } from "../context.ts";
import { runNamed } from "../latest.ts";
import { pythonOption, sandboxOption, type GraderFlags } from "../options.ts";
import { printFinished, type PrintFlags } from "../print-run.ts";

interface RerunFailedFlags extends RerunAsked, GraderFlags, PrintFlags {}

/** Declares `regrade rerun-failed`. */
export function declareRerunFailed(program: Command, chosen: Chosen): void {
  program
    .command("rerun-failed")
    .description("run the failed and ungraded samples of a finished run again, into that run")
    .argument("<dir>", "run directory, or 'latest'")
    .option("--suite <manifest>", "its manifest (default: the one that the run was made from)")
    .option("-b, --baseline <dir>", "run directory to compare with, or 'none' (default: as before)")
    .addOption(sandboxOption())
    .addOption(pythonOption())
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
      chosen((context) => rerunFailed({ directory, ...flags }, context)),
    );
}

async function rerunFailed(asked: RerunFailedFlags, context: CliContext): Promise<number> {
  const tools = toolsFor(asked, context);
  const { screen, stop } = context;
  const { run, request } = await rerunRequest(
    { ...asked, directory: await runNamed(asked.directory, tools) },
    tools,
  );
  if (request === undefined) {
    if (!asked.quiet) screen.say(nothingRun(run));
    return exitCodes[run.gate.verdict];
  }
  const finished = await runSuite(request, tools);
  printFinished(finished, asked, context);
  return stop.signal.aborted ? exitCodes.interrupted : exitCodes[finished.run.gate.verdict];
}

function nothingRun({ cases: { invalid } }: Run): string {
  const none = "No sample of this run failed or was left ungraded: nothing was run.";
  if (invalid === 0) return `${none}\n`;
  return `${none} The grader gave no valid score to ${counted(invalid, "case")}: correct it, then use \`regrade run\`.\n`;
}
