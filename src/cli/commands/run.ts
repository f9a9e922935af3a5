import type { Command } from "commander";
import { join } from "node:path";
import { checkExport, exportJunit } from "../../analyse/export.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { renderPlan } from "../../report/terminal/plan.ts";
import { planSuite } from "../../runs/check-suite.ts";
import { runSuite } from "../../runs/run-suite.ts";
import type { FinishedRun } from "../../run/finish.ts";
import type { Tools } from "../../tools.ts";
import { toolsFor, withBase, type Chosen, type CliContext } from "../context.ts";
import { collect, givenIn } from "../options.ts";
import type { GraderFlags } from "../options.ts";
import {
  junitOption,
  pageOption,
  runExamples,
  shardOption,
  withFlagChoices,
  withGraderFlags,
  watchOption,
  withOverrideFlags,
} from "../run-flags.ts";
import { printFinished, type PrintFlags } from "../print-run.ts";
import { renderOverview } from "../../report/terminal/overview.ts";
import { requestOf, runEach, selectedBy, type AskedToRun, type SuitesAsked } from "../run-each.ts";
import { runOnChange } from "../watch.ts";
import { checkResultsFlags, resultsFlagsIn, withResults } from "../results-flags.ts";
import type { ResultsFlags } from "../results-flags.ts";
import { readingResults, resultsAsked } from "../results.ts";
import { narrow, withCaseFlags } from "../case-flags.ts";
import { pageName } from "../page.ts";
import { pageSource, writePage } from "../../analyse/page/write.ts";
import { escapeLog } from "../../report/escape.ts";
import type { Screen } from "../screen.ts";
import { suiteFiles } from "../validate-each.ts";

interface RunFlags extends SuitesAsked, ResultsFlags, GraderFlags, PrintFlags {
  /** Flags that were given but have no effect with `--results`, or without it. */
  readonly idle: { readonly suites: readonly string[]; readonly results: readonly string[] };
  /** The git ref or folder whose policy judges the run. */
  readonly policyFrom: string | undefined;
  /** The folder of earlier runs' answers; undefined: the user's own cache folder. */
  readonly cachePath: string | undefined;
  /** Prepares the run, prints its plan and cost, and stops there. */
  readonly dryRun: boolean;
  /** Runs again whenever a file changes. */
  readonly watch: boolean;
  /** A file to which all runs are written as JUnit XML. */
  readonly junit: string | undefined;
  /** Writes report.html into each run directory. */
  readonly report: boolean;
}

/** Declares `regrade run`. */
export function declareRun(program: Command, chosen: Chosen): void {
  withResults(withGraderFlags(withFlagsOfChoice(program.command("run"))))
    .description(
      "run suites and judge them, or judge results of another tool; the exit code is the worst verdict's",
    )
    .argument("[suite...]", "suite manifests (YAML or JSON)")
    .option(
      "-o, --out <dir>",
      "run directory (default: .regrade/runs/<run id>); each of several suites gets a folder in it",
    )
    .option(
      "-b, --baseline <dir>",
      "run directory to compare with (or the folder of several suites' runs), 'latest' (the suite's last whole run) or 'none' (default: the manifest's gate.baseline); repeated: runs of the same input, taken together",
      collect,
      [],
    )
    .option(
      "--policy-from <ref>",
      "judge by the suite as this git ref (or folder) has it: a change can't rewrite its own rules unseen",
    )
    .option("--candidate <glob>", "only these candidates (repeatable)", collect, [])
    .option("--task <glob>", "only these tasks (repeatable)", collect, [])
    .addOption(shardOption())
    .option("--resume", "go on with the interrupted run in --out, or with the last one", false)
    .option(
      "--cache-path <dir>",
      "folder of the answers of earlier runs (default: the user's own cache folder)",
    )
    .option("--no-cache", "ask again even if an earlier run here has the answer")
    .option(
      "--dry-run",
      "check everything, print what would run and what it may cost at most, and stop there",
      false,
    )
    .addOption(watchOption())
    .addOption(junitOption())
    .addOption(pageOption())
    .option("--json", "write each run.json to standard output, one a line", false)
    .option("-q, --quiet", "no progress and no table", false)
    .addHelpText("after", runExamples)
    .action((suites: string[], flags: Omit<RunFlags, "suites" | "idle">, command: Command) => {
      const idle = {
        suites: givenIn(command, idleWithResults),
        results: resultsFlagsIn(command),
      };
      const asked = { suites, ...flags, idle };
      chosen((context) => runOrPlan(asked, context));
    });
}

async function runOrPlan(asked: RunFlags, context: CliContext): Promise<number> {
  checkResultsFlags(asked);
  const suites = await suiteFiles(asked.suites, context);
  if (asked.dryRun) return planAll({ ...asked, suites }, context);
  const run = (): Promise<number> => runAll({ ...asked, suites }, context);
  if (!asked.watch) return run();
  const { root } = await toolsFor(asked, context).files.locate(suites[0] ?? "");
  return runOnChange(root, run, context);
}

function withFlagsOfChoice(command: Command): Command {
  return withCaseFlags(withOverrideFlags(withFlagChoices(command)));
}

/** Flags that are refused with `--results`, because nothing is run. */
const idleWithResults = {
  policyFrom: "--policy-from",
  shard: "--shard",
  maxSamples: "--max-samples",
  case: "--case",
  where: "--where",
  failed: "--failed",
  repeats: "--repeats",
  model: "--model",
  judgeModel: "--judge-model",
  embeddingModel: "--embedding-model",
  concurrency: "--concurrency",
  generation: "--generation",
  resume: "--resume",
  strict: "--strict",
  cache: "--no-cache",
  cachePath: "--cache-path",
  dryRun: "--dry-run",
  watch: "--watch",
  sandbox: "--sandbox",
  python: "--python",
} as const;

async function runAll(asked: RunFlags, context: CliContext): Promise<number> {
  const tools = toolsFor(asked, context);
  if (asked.junit !== undefined) await checkExport(asked.junit, tools);
  const directories: string[] = [];
  const pages: FinishedRun[] = [];
  const tell = (finished: FinishedRun): void => {
    directories.push(finished.directory);
    if (asked.report) pages.push(finished);
    printFinished(finished, asked, context);
  };
  const { json, quiet } = asked;
  const tellAll = (runs: readonly Run[], notRun: readonly string[]): void => {
    if (json || quiet || runs.length + notRun.length < 2) return;
    context.screen.print(renderOverview(runs, { notRun, width: context.screen.width }));
  };
  const code =
    asked.results === undefined
      ? await withBase(asked, tools, (policyFrom) =>
          runEach({ ...asked, policyFrom }, tools, { tell, tellAll }),
        )
      : await runResults(asked, tools, tell);
  if (asked.junit !== undefined) await exportJunit(directories, asked.junit, tools);
  for (const finished of pages) await tellPage(finished, tools, context.screen);
  return code;
}

/** Writes a run's page. A page reports the verdict and can't change it. */
async function tellPage(finished: FinishedRun, tools: Tools, screen: Screen): Promise<void> {
  const file = join(finished.directory, pageName);
  await writePage([pageSource(finished)], file, tools);
  screen.say(`${escapeLog(`wrote ${file}`)}\n`);
}

/** `regrade run --results …`: makes a judged run directory from another tool's results. */
async function runResults(
  asked: RunFlags,
  tools: Tools,
  tell: (finished: FinishedRun) => void,
): Promise<number> {
  const { results: paths = [], out, metadata } = asked;
  const [manifest = "results"] = paths;
  const finished = await runSuite(
    {
      ...selectedBy(asked),
      manifest,
      out,
      choices: { metadata },
      resume: false,
      cache: false,
      publish: "failures",
      git: { ...(await tools.readGitHead()), base_sha: null },
      results: resultsAsked(asked, paths),
    },
    // A baseline may be a file of results, too.
    {
      ...tools,
      readRun: readingResults({ ...asked, results: undefined, head: undefined }, tools).readRun,
    },
  );
  tell(finished);
  return tools.signal.aborted ? exitCodes.interrupted : exitCodes[finished.run.gate.verdict];
}

/**
 * `--dry-run`: prints the plans, or with `--json` one line for each. Exit 0, because there is no verdict; nothing is
 * written.
 */
async function planAll(asked: RunFlags, context: CliContext): Promise<number> {
  const tools = toolsFor(asked, context);
  return withBase(asked, tools, (policyFrom) =>
    planEach({ ...asked, policyFrom }, tools, context.screen),
  );
}

async function planEach(
  asked: AskedToRun & PrintFlags,
  tools: Tools,
  screen: Screen,
): Promise<number> {
  const { suites, shard, policyFrom } = asked;
  for (const manifest of suites) {
    const narrowed = await narrow({ ...requestOf(asked), manifest }, asked, tools);
    if (narrowed === undefined) continue;
    const { plans, warnings } = await planSuite({ ...narrowed, policyFrom, shard }, tools);
    if (!asked.quiet) screen.warnings(warnings);
    for (const plan of plans) {
      if (asked.json) screen.print(`${JSON.stringify(plan)}\n`);
      else if (!asked.quiet) screen.print(renderPlan(plan, screen.width));
    }
  }
  return exitCodes.pass;
}
