import { basename, join } from "node:path";
import { type Command, Option } from "commander";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { renderAgain } from "../../analyse/compare.ts";
import {
  checkExport,
  exportAs,
  exportedTools,
  exportJunit,
  type ExportedTool,
} from "../../analyse/export.ts";
import { escapeLog } from "../../report/escape.ts";
import { toolsToRead, type Chosen, type CliContext } from "../context.ts";
import { runsNamed } from "../run-folders.ts";
import { makePage } from "../page.ts";

interface ReportFlags {
  /** A file to write as JUnit XML. */
  readonly junit: string | undefined;
  readonly json: boolean;
  /** A file to write as a page; true: report.html in the run directory. */
  readonly html: string | true | undefined;
  /** The other tool in whose format the run is written. */
  readonly as: ExportedTool | undefined;
  /** The folder for these files; undefined: the current one. */
  readonly out: string | undefined;
}

/** Declares `regrade report`. */
export function declareReport(program: Command, chosen: Chosen): void {
  program
    .command("report")
    .description("write a run's summary.md again, and to standard output; or the run as a page")
    .argument("<dir>", "run directory, or 'latest'; or the folder of several suites' runs")
    .addOption(
      new Option(
        "--html [file]",
        "write report.html instead: one file with verdict, cases and texts, for any browser (default: in <dir>)",
      ).conflicts(["junit", "as", "json"]),
    )
    .option("--junit <file>", "write the run as JUnit XML too, for tools that show tests")
    .addOption(
      new Option("--as <tool>", "write the run in another tool's files too").choices([
        ...exportedTools,
      ]),
    )
    .option("-o, --out <dir>", "with --as: the folder of these files (default: here)")
    .option("--json", "write run.json to standard output, in place of the summary", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade report runs/today
  regrade report runs/today >> "$GITHUB_STEP_SUMMARY"
  regrade report runs/today --junit junit.xml              for GitLab, Jenkins, Azure and their like
  regrade report runs/today --as sygra --out results       output_*.json and the reports beside it
  regrade report runs/today --as waza --out results        results.json, and beside it JUnit XML, comment, interpretation
  regrade report runs/today --as k-eval --out results      the aggregate JSON and the detailed JSON lines
  regrade report runs/today --as atif --out trajectories   the work of agents, a trajectory each
  regrade report runs/today --html                         runs/today/report.html, which 'regrade view' opens
  regrade report runs/today --json | jq .metrics
`,
    )
    .action((directory: string, flags: ReportFlags, command: Command) => {
      if (flags.out !== undefined && flags.as === undefined)
        command.error(
          "error: --out is for the files of --as TOOL. Name the page's file after --html, or leave --out away.",
        );
      return chosen((context) => reportAgain(directory, flags, context));
    });
}

/** Renders a run again, for people or for other tools. */
async function reportAgain(
  named: string,
  { junit, json, html, as, out }: ReportFlags,
  context: CliContext,
): Promise<number> {
  const { screen } = context;
  const tools = toolsToRead(context);
  if (html !== undefined) {
    const file = await makePage(named, html === true ? undefined : html, tools);
    screen.say(`${escapeLog(`wrote ${file}`)}\n`);
    return exitCodes.pass;
  }
  const directories = await runsNamed(named, tools);
  if (junit !== undefined) await checkExport(junit, tools);
  const summaries: string[] = [];
  for (const directory of directories) {
    summaries.push(await renderAgain(directory, tools));
    if (as === undefined) continue;
    const folder = directories.length > 1 ? join(out ?? ".", basename(directory)) : (out ?? ".");
    for (const file of await exportAs(directory, { as, folder }, tools))
      screen.say(`${escapeLog(`wrote ${file}`)}\n`);
  }
  if (junit !== undefined) await exportJunit(directories, junit, tools);
  if (json) for (const each of directories) screen.printJson((await tools.readRun(each)).run);
  else screen.print(escapeLog(summaries.join("\n")));
  return exitCodes.pass;
}
