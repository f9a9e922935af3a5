import type { Command } from "commander";
import { exitCodes } from "../../model/verdict.ts";
import { renderAgain } from "../../analyse/compare.ts";
import { checkExport, exportJunit } from "../../analyse/export.ts";
import { escapeLog } from "../../report/escape.ts";
import { toolsToRead, type Chosen, type CliContext } from "../context.ts";

interface ReportFlags {
  /** A file for JUnit XML. */
  readonly junit: string | undefined;
  readonly json: boolean;
}

/** `regrade report` */
export function declareReport(program: Command, chosen: Chosen): void {
  program
    .command("report")
    .description("write a run's summary.md again, and to standard output")
    .argument("<dir>", "run directory")
    .option("--junit <file>", "write the run as JUnit XML too, for tools that show tests")
    .option("--json", "write run.json to standard output, in place of the summary", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade report runs/today
  regrade report runs/today >> "$GITHUB_STEP_SUMMARY"
  regrade report runs/today --junit junit.xml              for GitLab, Jenkins, Azure and their like
  regrade report runs/today --json | jq .metrics
`,
    )
    .action((directory: string, flags: ReportFlags) =>
      chosen((context) => reportAgain(directory, flags, context)),
    );
}

/** Renders a run again, for people and for other tools. */
async function reportAgain(
  directory: string,
  { junit, json }: ReportFlags,
  context: CliContext,
): Promise<number> {
  const { screen } = context;
  const tools = toolsToRead(context);
  if (junit !== undefined) await checkExport(junit, tools);
  const summary = await renderAgain(directory, tools);
  if (junit !== undefined) await exportJunit([directory], junit, tools);
  if (json) screen.printJson((await tools.readRun(directory)).run);
  else screen.print(escapeLog(summary));
  return exitCodes.pass;
}
