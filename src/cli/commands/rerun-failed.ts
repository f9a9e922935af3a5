import type { Command } from "commander";
import type { Run } from "../../model/outcomes/run.ts";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { rerunRequest, type RerunAsked } from "../../analyse/rerun.ts";
import { shellWord } from "../../report/shell-word.ts";
import { count, counted, forCount } from "../../report/words/figures.ts";
import { runSuite } from "../../runs/run-suite.ts";
import { toolsFor, type Chosen, type CliContext } from "../context.ts";
import { latest, runNamed } from "../latest.ts";
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
    if (!asked.quiet) screen.say(nothingRun(run, asked.directory));
    return exitCodes[run.gate.verdict];
  }
  const finished = await runSuite(request, tools);
  printFinished(finished, asked, context);
  return stop.signal.aborted ? exitCodes.interrupted : exitCodes[finished.run.gate.verdict];
}

function nothingRun(run: Run, directory: string): string {
  const { invalid } = run.cases;
  const left = samplesLeft(run);
  if (left > 0)
    return `No sample of this run failed or was left ungraded, but ${counted(left, "sample")} of ${count(left + run.request_counts.total)} ${forCount(left, "has", "have")} not run: it was stopped. Go on with \`${resumeCommand(run, directory)}\`.\n`;
  const none = "No sample of this run failed or was left ungraded: nothing was run.";
  if (invalid === 0) return `${none}\n`;
  return `${none} The grader gave no valid score to ${counted(invalid, "case")}: correct it, then use \`regrade run\`.\n`;
}

/** Number of planned samples that a stopped run has not come to. */
function samplesLeft({ status, request_counts: { total, planned = total } }: Run): number {
  return status === "completed" ? 0 : Math.max(0, planned - total);
}

function resumeCommand({ suite, id }: Run, directory: string): string {
  const isOwn = directory === latest || directory.endsWith(id);
  const out = isOwn ? "" : ` --out ${shellWord(directory)}`;
  return `regrade run ${shellWord(suite.path)}${out} --resume`;
}
