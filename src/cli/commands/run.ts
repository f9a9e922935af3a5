import type { Command } from "commander";
import { join } from "node:path";
import { checkExport, exportJunit } from "../../analyse/export.ts";
import type { BaseTree } from "../../model/policy.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/run.ts";
import type { ShardChoice } from "../../model/shard.ts";
import { exitCodes, worstVerdict } from "../../model/verdict.ts";
import { renderPlan } from "../../report/plan.ts";
import { planSuite, runSuite, type FinishedRun, type RunRequest } from "../../runs.ts";
import type { RunChoices } from "../../suite/choices.ts";
import type { Tools } from "../../tools.ts";
import { toolsFor, withBase, type Chosen, type CliContext } from "../context.ts";
import { collect, givenIn } from "../options.ts";
import type { GraderFlags } from "../options.ts";
import {
  junitOption,
  overridesIn,
  pageOption,
  runExamples,
  shardOption,
  withFlagChoices,
  withGraderFlags,
  withOverrideFlags,
} from "../run-flags.ts";
import type { OverrideFlags } from "../run-flags.ts";
import { printFinished, type PrintFlags } from "../print-run.ts";
import { checkResultsFlags, resultsFlagsIn, withResults } from "../results-flags.ts";
import type { ResultsFlags } from "../results-flags.ts";
import { readingResults, resultsAsked } from "../results.ts";
import { narrow, withCaseFlags, type CaseFlags, type Narrowed } from "../case-flags.ts";
import { latest } from "../latest.ts";
import { pageName } from "../page.ts";
import { pageSource, writePage } from "../../analyse/page/write.ts";
import { escapeLog } from "../../report/escape.ts";
import type { Screen } from "../screen.ts";
import { suiteFiles, validateEach } from "../validate-each.ts";

interface RunFlags extends ResultsFlags, GraderFlags, PrintFlags, CaseFlags, OverrideFlags {
  readonly suites: readonly string[];
  /** Flags that were given and mean nothing beside results, or without them. */
  readonly idle: { readonly suites: readonly string[]; readonly results: readonly string[] };
  readonly out: string | undefined;
  /** A run directory, several that are taken together, or `none`; none of these: what the manifest says. */
  readonly baseline: readonly string[];
  /** A git ref, or a folder, whose policy judges. */
  readonly policyFrom: string | undefined;
  readonly candidate: readonly string[];
  readonly task: readonly string[];
  readonly shard: ShardChoice | undefined;
  /** A seeded subset of each task's cases, of so many. */
  readonly maxSamples: number | undefined;
  readonly repeats: number | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly resume: boolean;
  /** Whether slips of the suite are refused. */
  readonly strict: boolean;
  /** Whether answers of earlier runs may stand for new ones. */
  readonly cache: boolean;
  /** The folder of those answers; undefined: the user's own cache folder. */
  readonly cachePath: string | undefined;
  /** Prepare, tell what would be done and what it may cost, and stop there. */
  readonly dryRun: boolean;
  /** A file for JUnit XML of all runs. */
  readonly junit: string | undefined;
  /** Write report.html into each run directory. */
  readonly report: boolean;
}

/** `regrade run` */
export function declareRun(program: Command, chosen: Chosen): void {
  withResults(withGraderFlags(withFlagsOfChoice(program.command("run"))))
    .description(
      "run suites and judge them, or judge results of another tool; the exit code is the worst verdict's",
    )
    .argument("[suite...]", "suite manifests (YAML or JSON)")
    .option(
      "-o, --out <dir>",
      "run directory (default: .regrade/runs/<run id>); several suites get a folder each in it",
    )
    .option(
      "-b, --baseline <dir>",
      "run directory to compare with, 'latest' (the suite's last whole run) or 'none' (default: the manifest's gate.baseline); repeated: runs of the same input, taken together",
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
    .option("--no-cache", "ask again also where an earlier run here was given the answer")
    .option(
      "--dry-run",
      "check everything, print what would run and what it may cost at most, and stop there",
      false,
    )
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
  const suites = await suiteFiles(asked.suites, context);
  return (asked.dryRun ? planAll : runAll)({ ...asked, suites }, context);
}

function withFlagsOfChoice(command: Command): Command {
  return withCaseFlags(withOverrideFlags(withFlagChoices(command)));
}

/** Flags that are refused where nothing is run. */
const idleWithResults = {
  policyFrom: "--policy-from",
  shard: "--shard",
  maxSamples: "--max-samples",
  case: "--case",
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
  sandbox: "--sandbox",
  python: "--python",
} as const;

async function runAll(asked: RunFlags, context: CliContext): Promise<number> {
  checkResultsFlags(asked);
  const tools = toolsFor(asked, context);
  if (asked.junit !== undefined) await checkExport(asked.junit, tools);
  const directories: string[] = [];
  const pages: FinishedRun[] = [];
  const tell = (finished: FinishedRun): void => {
    directories.push(finished.directory);
    if (asked.report) pages.push(finished);
    printFinished(finished, asked, context.screen);
  };
  const code =
    asked.results === undefined
      ? await withBase(asked, tools, (policyFrom) => runEach({ ...asked, policyFrom }, tools, tell))
      : await runResults(asked, tools, tell);
  if (asked.junit !== undefined) await exportJunit(directories, asked.junit, tools);
  for (const finished of pages) await tellPage(finished, tools, context.screen);
  return code;
}

/** Writes a run's page. It tells of the verdict and changes nothing in it. */
async function tellPage(finished: FinishedRun, tools: Tools, screen: Screen): Promise<void> {
  const file = join(finished.directory, pageName);
  await writePage([pageSource(finished)], file, tools);
  screen.say(`${escapeLog(`wrote ${file}`)}\n`);
}

/** The flags of a run, with the tree that its policy is taken from. */
type AskedToRun = Omit<RunFlags, "policyFrom"> & {
  readonly policyFrom: BaseTree | undefined;
};

async function runEach(
  asked: AskedToRun,
  tools: Tools,
  tell: (finished: FinishedRun) => void,
): Promise<number> {
  const outs = await outsFor(asked, tools);
  const git = { ...(await tools.readGitHead()), base_sha: null };
  const runs: Run[] = [];
  for (const [i, manifest] of asked.suites.entries()) {
    const narrowed = await narrow({ ...requestOf(asked), manifest }, asked, tools);
    if (narrowed === undefined) continue;
    const finished = await runSuite(
      {
        ...narrowed,
        out: outs[i],
        shard: asked.shard,
        resume: asked.resume,
        strict: asked.strict,
        cache: asked.cache,
        publish: "failures",
        git,
        ofChange: asked.policyFrom !== undefined,
        policyFrom: asked.policyFrom,
      },
      tools,
    );
    runs.push(finished.run);
    tell(finished);
    if (tools.signal.aborted) return exitCodes.interrupted;
  }
  if (runs.length === 0) return exitCodes.pass;
  return exitCodes[worstVerdict(runs.map((run) => run.gate.verdict))];
}

function requestOf(asked: AskedToRun): Omit<Narrowed, "manifest"> {
  return { ...selectedBy(asked), choices: choicesOf(asked) };
}

/** The baseline, candidates and tasks that the flags name. Without `--baseline` the manifest's one holds. */
function selectedBy(
  asked: Pick<RunFlags, "baseline" | "candidate" | "task">,
): Pick<RunRequest, "baseline" | "candidates" | "tasks"> {
  const { baseline, candidate: candidates, task: tasks } = asked;
  return { baseline: baseline.length === 0 ? undefined : baseline, candidates, tasks };
}

/** Flags that go before what the manifests say under `run`. */
function choicesOf(asked: AskedToRun): RunChoices {
  const { maxSamples, case: cases, repeats, metadata } = asked;
  return { maxSamples, cases, repeats, metadata, overrides: overridesIn(asked) };
}

/** One suite into `--out`, several into a folder each. All of several are checked before the first one costs anything. */
async function outsFor(asked: AskedToRun, tools: Tools): Promise<readonly (string | undefined)[]> {
  const { suites, out, policyFrom } = asked;
  if (suites.length === 1) return [out];
  // A last run is looked for when its suite's turn comes.
  const baseline = asked.baseline.filter((each) => each !== latest);
  const choices = { overrides: overridesIn(asked) };
  const selected = { ...selectedBy({ ...asked, baseline }), policyFrom, choices };
  const prepared = await validateEach(suites, selected, tools);
  const names = prepared.map(({ suite }) => suite.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const paths = suites.filter((_, i) => names[i] === twice).join(", ");
    throw new Refusal(problem("same_name", { name: twice, paths }));
  }
  return names.map((name) => (out === undefined ? undefined : join(out, name)));
}

/** `regrade run --results …`: a run directory of what another tool recorded, judged. */
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
    // A baseline may be a file of results too.
    {
      ...tools,
      readRun: readingResults({ ...asked, results: undefined, head: undefined }, tools).readRun,
    },
  );
  tell(finished);
  return tools.signal.aborted ? exitCodes.interrupted : exitCodes[finished.run.gate.verdict];
}

/** `--dry-run`: prints the plans, with `--json` one a line. Exit 0: there is no verdict, and nothing is written. */
async function planAll(asked: RunFlags, context: CliContext): Promise<number> {
  checkResultsFlags(asked);
  const tools = toolsFor(asked, context);
  return withBase(asked, tools, (policyFrom) =>
    planEach({ ...asked, policyFrom }, tools, context.screen),
  );
}

async function planEach(asked: AskedToRun, tools: Tools, screen: Screen): Promise<number> {
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
