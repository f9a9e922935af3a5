import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { nearest } from "../../base/nearest.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { renderHistory } from "../../report/terminal/history.ts";
import {
  carriedRuns,
  historyCsv,
  historyRows,
  type PastRun,
} from "../../report/terminal/history-rows.ts";
import { readRunJson } from "../../wiring.ts";
import { noPagerOption } from "../options.ts";
import { toolsToRead, type Chosen, type CliContext } from "../context.ts";
import { runFolders } from "../run-folders.ts";

interface HistoryFlags {
  /** Also lists the base branch's runs that the newest run carries with it. */
  readonly carried: boolean;
  readonly last: number;
  readonly csv: boolean;
  readonly json: boolean;
  readonly pager: boolean;
}

const runsShown = 30;

/** Declares `regrade history`, which lists the runs that this machine made. */
export function declareHistory(program: Command, chosen: Chosen): void {
  program
    .command("history")
    .description("list the runs of this folder: when, which commit, verdict, metrics, differences")
    .argument(
      "[what...]",
      "run directories, or folders of them (downloaded artifacts, say), in place of .regrade/runs; other words: only runs of the suite of this name",
    )
    .option(
      "--carried",
      "also list the base branch's last runs (up to 30), whose values the newest run of a suite carries",
      false,
    )
    .option("--last <number>", "number of runs to list, the newest ones", wholeNumber, runsShown)
    .addOption(
      new Option("--csv", "write one CSV line for each run and metric to standard output")
        .default(false)
        .conflicts("json"),
    )
    .option("--json", "write each run as one line of JSON to standard output", false)
    .addOption(noPagerOption())
    .addHelpText(
      "after",
      `
The runs are those in .regrade/runs, unless folders are named: each is looked through down to three levels. A difference is
from the suite's run before; where the grader, the data set or the judge was another, there is none. A run of CI carries what the
base branch's last runs measured, the trend of its comment and report: --carried lists it too.

Examples:
  regrade history                                          every suite, the newest run first
  regrade history support-bot --last 100 --csv > runs.csv
  regrade history support-bot --json | jq '{at, verdict}'
  gh run download 98123 --dir ci && regrade history ci --carried
`,
    )
    .action((what: readonly string[], flags: HistoryFlags) =>
      chosen((context) => showHistory(what, flags, context)),
    );
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d{1,6}$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError("Give a whole number above 0, as 30.");
}

async function showHistory(
  what: readonly string[],
  { last, csv, json, carried, pager }: HistoryFlags,
  context: CliContext,
): Promise<number> {
  const { screen } = context;
  const own = await pastRuns(what, context);
  const runs = carried ? [...own, ...carriedRuns(own)] : own;
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

/** Levels of folders to search: `gh run download` makes two for a matrix. */
const depth = 3;

/** Finished runs. A run that can't be read is reported, and the others are listed. */
async function pastRuns(what: readonly string[], context: CliContext): Promise<readonly PastRun[]> {
  const tools = toolsToRead(context);
  const places: string[] = [];
  const suites: string[] = [];
  for (const word of what) ((await isPlace(word, context)) ? places : suites).push(word);
  const own = places.length === 0 ? await tools.findOwnRuns() : undefined;
  const folders =
    own === undefined
      ? (await Promise.all(places.map((place) => runFolders(place, depth, tools)))).flat()
      : own.runs.filter(({ hasEnd }) => hasEnd).map(({ directory }) => directory);
  const found: PastRun[] = [];
  const known = new Set<string>();
  for (const directory of new Set(folders)) {
    const run = await readOrTell(directory, context);
    if (run === undefined) continue;
    known.add(run.suite.name);
    if (suites.length === 0 || suites.includes(run.suite.name)) found.push({ directory, run });
  }
  if (found.length > 0) return found;
  return refuseEmpty({ suites, known, own: own?.folder, places });
}

/** Says why no run is listed: no such suite, no such folder, or no run in it. */
async function refuseEmpty({
  suites,
  known,
  own,
  places,
}: {
  readonly suites: readonly string[];
  /** Suites of the runs that were found. */
  readonly known: ReadonlySet<string>;
  /** The default folder, if no other is named. */
  readonly own: string | undefined;
  readonly places: readonly string[];
}): Promise<never> {
  const [first] = suites;
  if (first !== undefined && (own !== undefined || known.size > 0)) {
    const folder = own === undefined ? places.join(", ") : `${own}/runs`;
    const near = { nearest: nearest(first, known), known: [...known].toSorted() };
    throw new Refusal(problem("history_empty", { folder, suites, ...near }));
  }
  for (const place of places) await readRunJson(place);
  const none = { folder: own ?? "", suite: undefined, isWhole: false };
  throw new Refusal(problem("no_latest_run", none));
}

/** True for a folder that exists, and for a word that can only be a path. */
async function isPlace(word: string, { workingDirectory }: CliContext): Promise<boolean> {
  if (/[/\\]|^\.\.?$/.test(word)) return true;
  const found = await stat(resolve(workingDirectory, word)).catch(() => undefined);
  return found?.isDirectory() === true;
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
