import { type Command, InvalidArgumentError, Option } from "commander";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/run.ts";
import { exitCodes } from "../../model/verdict.ts";
import { renderHistory } from "../../report/history.ts";
import { historyCsv, historyRows, type PastRun } from "../../report/history-rows.ts";
import { readRunJson } from "../../wiring.ts";
import { noPagerOption } from "../options.ts";
import { toolsToRead, type Chosen, type CliContext } from "../context.ts";

interface HistoryFlags {
  readonly last: number;
  readonly csv: boolean;
  readonly json: boolean;
  readonly pager: boolean;
}

const runsShown = 30;

/** `regrade history`: the runs that this machine made. */
export function declareHistory(program: Command, chosen: Chosen): void {
  program
    .command("history")
    .description("list the runs of this folder: when, which commit, verdict, metrics, differences")
    .argument("[suite]", "only runs of the suite of this name")
    .option("--last <number>", "so many runs, the newest", wholeNumber, runsShown)
    .addOption(
      new Option("--csv", "write a line a run and metric to standard output, as CSV")
        .default(false)
        .conflicts("json"),
    )
    .option("--json", "write a run a line to standard output, as JSON", false)
    .addOption(noPagerOption())
    .addHelpText(
      "after",
      `
The runs are those in .regrade/runs. A difference is from the suite's run before; where the grader, the data set or the judge
was another, there is none. What earlier runs of the base branch measured stands in a pull request's comment and report.

Examples:
  regrade history                                          every suite, the newest run first
  regrade history support-bot --last 100 --csv > runs.csv
  regrade history support-bot --json | jq '{at, verdict}'
`,
    )
    .action((suite: string | undefined, flags: HistoryFlags) =>
      chosen((context) => showHistory(suite, flags, context)),
    );
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d{1,6}$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError("Give a whole number above 0, as 30.");
}

async function showHistory(
  suite: string | undefined,
  { last, csv, json, pager }: HistoryFlags,
  context: CliContext,
): Promise<number> {
  const { screen } = context;
  const runs = await pastRuns(suite, context);
  const rows = historyRows(runs).slice(0, last);
  if (csv) screen.print(historyCsv(rows));
  else if (json) for (const row of rows) screen.printJson(row);
  else {
    const text = renderHistory(rows, { width: screen.width, runs });
    if (pager) {
      context.stop.close();
      await screen.page(text);
    } else screen.print(text);
  }
  return exitCodes.pass;
}

/** Runs that have an end; one that can't be read is told, and the others are listed. */
async function pastRuns(
  suite: string | undefined,
  context: CliContext,
): Promise<readonly PastRun[]> {
  const { folder, runs } = await toolsToRead(context).findOwnRuns();
  const found: PastRun[] = [];
  for (const { directory, hasEnd } of runs) {
    if (!hasEnd) continue;
    const run = await readOrTell(directory, context);
    if (run === undefined) continue;
    if (suite === undefined || run.suite.name === suite) found.push({ directory, run });
  }
  if (found.length === 0) throw new Refusal(problem("no_latest_run", { folder, suite }));
  return found;
}

async function readOrTell(directory: string, { screen }: CliContext): Promise<Run | undefined> {
  try {
    return await readRunJson(directory);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    screen.warnings(error.problems);
    return undefined;
  }
}
