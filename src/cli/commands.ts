import { join } from "node:path";
import type { BaseTree } from "../model/policy.ts";
import type { Secrets } from "../model/secrets.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Run } from "../model/run.ts";
import type { Gate } from "../model/suite.ts";
import { exitCodes, worstVerdict } from "../model/verdict.ts";
import { planSuite, runSuite, validateSuite } from "../runs.ts";
import type { FinishedRun } from "../runs.ts";
import type { RunChoices } from "../suite/choices.ts";
import { compareRuns } from "../analyse/compare.ts";
import { checkExport, exportJunit } from "../analyse/export.ts";
import type { Prepared } from "../suite/prepare.ts";
import type { Tools } from "../tools.ts";
import { renderPlan } from "../report/plan.ts";
import { renderTerminal } from "../report/terminal.ts";
import { examineMachine, openFirstSuiteTools, openTools } from "../wiring.ts";
import { withBase } from "./base.ts";
import { calibrateSuite, showPower } from "./calibrate.ts";
import { runDoctor } from "./doctor.ts";
import { initSuite, type InitSurroundings } from "./init.ts";
import { mergeRuns } from "./merge.ts";
import type { Asked } from "./program.ts";
import { checkResultsFlags, gateByFlags, readingResults, runResults } from "./results.ts";
import { importSuite } from "./import.ts";
import { reportAgain } from "./report.ts";
import { rerunRequest } from "./rerun.ts";
import type { Screen } from "./screen.ts";
import { showCase, type FetchCiRun, type ShowAround } from "./show.ts";
import type { Stop } from "./stop.ts";

/** What the commands are given. */
export interface Surroundings {
  readonly screen: Screen;
  readonly stop: Stop;
  readonly secrets: Secrets;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Where questions can be asked. */
  readonly terminal: InitSurroundings["terminal"];
  readonly fetchCiRun: FetchCiRun;
}

type AskedFor<Command extends Asked["command"]> = Extract<Asked, { command: Command }>;

/** Does what was asked and returns the exit code. Throws a Refusal for what the user can mend. */
export async function runCli(asked: Asked, around: Surroundings): Promise<number> {
  switch (asked.command) {
    case "run":
      return asked.dryRun ? planAll(asked, around) : runAll(asked, around);
    case "rerun-failed":
      return rerunFailed(asked, around);
    case "import":
      return importSuite(asked, {
        ...around,
        tools: toolsFor(checking(asked.python), around),
        createFiles: openFirstSuiteTools().createFiles,
      });
    case "validate":
      return validateAll(asked, around);
    case "compare":
      return compare(asked, around);
    case "report":
      return reportAgain(asked, toolsFor(checking("python3"), around), around.screen);
    case "merge":
      return mergeRuns(asked, toolsFor(asked, around), (run) => show(run, asked, around.screen));
    case "show":
      return showCase(asked, showAround(around));
    case "calibrate":
      return calibrateSuite(asked, { ...around, tools: toolsFor(asked, around) });
    case "power":
      return showPower(asked, { ...around, tools: toolsFor(checking(asked.python), around) });
    case "init":
      return initSuite(asked, { ...around, tools: openFirstSuiteTools() });
    case "doctor":
      return runDoctor(asked, around.screen, () =>
        examineMachine({ ...asked, env: around.env, signal: around.stop.signal }),
      );
    case "none":
      return asked.exitCode;
  }
}

async function runAll(asked: AskedFor<"run">, around: Surroundings): Promise<number> {
  checkResultsFlags(asked);
  const tools = toolsFor(asked, around);
  if (asked.junit !== undefined) await checkExport(asked.junit, tools);
  const directories: string[] = [];
  const tell = (finished: FinishedRun): void => {
    directories.push(finished.directory);
    show(finished, asked, around.screen);
  };
  const code =
    asked.results === undefined
      ? await withBase(asked, tools, (policyFrom) => runEach({ ...asked, policyFrom }, tools, tell))
      : await runResults(asked, tools, tell);
  if (asked.junit !== undefined) await exportJunit(directories, asked.junit, tools);
  return code;
}

/** What was asked, with the tree that its policy is taken from. */
type AskedToRun = Omit<AskedFor<"run">, "policyFrom"> & {
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
    const finished = await runSuite(
      {
        manifest,
        out: outs[i],
        baseline: baselineOf(asked),
        candidates: asked.candidate,
        tasks: asked.task,
        choices: choicesOf(asked),
        resume: asked.resume,
        cache: asked.cache,
        publish: "failures",
        git,
        ofChange: asked.policyFrom !== undefined,
        policyFrom: asked.policyFrom,
        shard: asked.shard,
      },
      tools,
    );
    runs.push(finished.run);
    tell(finished);
    if (tools.signal.aborted) return exitCodes.interrupted;
  }
  return exitCodes[worstVerdict(runs.map((run) => run.gate.verdict))];
}

async function rerunFailed(asked: AskedFor<"rerun-failed">, around: Surroundings): Promise<number> {
  const tools = toolsFor(asked, around);
  const { screen, stop } = around;
  const { run, request } = await rerunRequest(asked, tools);
  if (request === undefined) {
    if (!asked.quiet)
      screen.say("No sample of this run failed or was left ungraded: nothing was run.\n");
    return exitCodes[run.gate.verdict];
  }
  const finished = await runSuite(request, tools);
  show(finished, asked, screen);
  return stop.signal.aborted ? exitCodes.interrupted : exitCodes[finished.run.gate.verdict];
}

/** Flags that go before what the manifests say under `run`. */
function choicesOf({ maxSamples, repeats, metadata }: RunFlagsChosen): RunChoices {
  return { maxSamples, repeats, metadata };
}

type RunFlagsChosen = Pick<AskedFor<"run">, "maxSamples" | "repeats" | "metadata">;

/** What the runs would do. With `--json`, a plan a line. Exit 0: there is no verdict, and nothing is written. */
async function planAll(asked: AskedFor<"run">, around: Surroundings): Promise<number> {
  checkResultsFlags(asked);
  const tools = toolsFor(asked, around);
  return withBase(asked, tools, (policyFrom) =>
    planEach({ ...asked, policyFrom }, tools, around.screen),
  );
}

async function planEach(asked: AskedToRun, tools: Tools, screen: Screen): Promise<number> {
  const { candidate: candidates, task: tasks, policyFrom, shard } = asked;
  const baseline = baselineOf(asked);
  for (const manifest of asked.suites) {
    const request = {
      manifest,
      baseline,
      candidates,
      tasks,
      policyFrom,
      shard,
      choices: choicesOf(asked),
    };
    const { plans, warnings } = await planSuite(request, tools);
    if (!asked.quiet) screen.warnings(warnings);
    for (const plan of plans) {
      if (asked.json) screen.print(`${JSON.stringify(plan)}\n`);
      else if (!asked.quiet) screen.print(renderPlan(plan, screen.width));
    }
  }
  return exitCodes.pass;
}

/** What no flag names the manifest says. */
function baselineOf({
  baseline,
}: Pick<AskedFor<"run">, "baseline">): readonly string[] | undefined {
  return baseline.length === 0 ? undefined : baseline;
}

/** One suite into `--out`, several into a folder each. All of several are checked before the first one costs anything. */
async function outsFor(asked: AskedToRun, tools: Tools): Promise<readonly (string | undefined)[]> {
  if (asked.suites.length === 1) return [asked.out];
  const prepared = await validateEach(asked, tools);
  const names = prepared.map(({ suite }) => suite.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const paths = asked.suites.filter((_, i) => names[i] === twice).join(", ");
    throw new Refusal(problem("same_name", { name: twice, paths }));
  }
  const { out } = asked;
  return names.map((name) => (out === undefined ? undefined : join(out, name)));
}

function showAround(around: Surroundings): ShowAround {
  const { signal } = around.stop;
  const fetchRun: ShowAround["fetchRun"] = (asked) =>
    around.fetchCiRun(asked, { ...around, signal });
  return { screen: around.screen, tools: toolsFor(checking("python3"), around), fetchRun };
}

function show(
  finished: FinishedRun,
  asked: Pick<AskedToRun, "json" | "quiet">,
  screen: Screen,
): void {
  screen.settle();
  if (asked.json) return screen.printJson(finished.run);
  if (asked.quiet) return undefined;
  return screen.print(table(finished.run, finished.directory, screen));
}

function table(run: Run, directory: string, screen: Screen): string {
  const { colour, width } = screen;
  return `${renderTerminal({ run, directory, colour, width })}\n`;
}

async function validateAll(asked: AskedFor<"validate">, around: Surroundings): Promise<number> {
  const flags = {
    ...asked,
    sandbox: "auto",
    baseline: [],
    policyFrom: undefined,
    candidate: [],
    task: [],
  } as const;
  const tools = toolsFor(flags, around);
  const prepared = await validateEach({ ...flags, baselineMayLack: true }, tools);
  for (const [i, each] of prepared.entries()) {
    around.screen.warnings(each.warnings);
    if (!asked.quiet) around.screen.print(`${asked.suites[i] ?? ""}: ${described(each)}\n`);
  }
  return exitCodes.pass;
}

async function validateEach(
  asked: Pick<AskedToRun, "suites" | "baseline" | "candidate" | "task" | "policyFrom"> & {
    readonly baselineMayLack?: boolean;
  },
  tools: Tools,
): Promise<readonly Prepared[]> {
  const { candidate: candidates, task: tasks, policyFrom } = asked;
  const { baselineMayLack = false } = asked;
  const baseline = baselineOf(asked);
  const selected = { baseline, candidates, tasks, policyFrom, baselineMayLack };
  const prepared: Prepared[] = [];
  const problems = [];
  for (const manifest of asked.suites) {
    try {
      prepared.push(await validateSuite({ ...selected, manifest }, tools));
    } catch (error) {
      if (!(error instanceof Refusal) || error.exit !== 2) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new Refusal(problems);
  return prepared;
}

function described({ tasks, candidates }: Prepared): string {
  const cases = tasks.reduce((sum, task) => sum + task.dataset.size, 0);
  const isAll = tasks.every(
    ({ dataset: { first } }) => first === undefined || first.size !== undefined,
  );
  const parts = [
    counted(tasks.length, "task"),
    `${counted(cases, "case")}${isAll ? "" : " or more"}`,
    counted(candidates.length, "candidate"),
  ];
  return `all right (${parts.join(", ")})`;
}

function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

async function compare(asked: AskedFor<"compare">, around: Surroundings): Promise<number> {
  const tools = toolsFor(checking("python3"), around);
  const reading = readingResults(asked, tools);
  const gate =
    asked.suite === undefined
      ? await gateByFlags(asked, reading)
      : await gateOf(asked.suite, tools);
  const run = await compareRuns({ base: asked.base, head: asked.head, gate }, reading);
  const { screen } = around;
  if (asked.json) screen.printJson(run);
  else screen.print(table(run, asked.head, screen));
  return exitCodes[run.gate.verdict];
}

async function gateOf(manifest: string, tools: Tools): Promise<Gate> {
  const everything = { baseline: "none", candidates: [], tasks: [] };
  return (await validateSuite({ ...everything, manifest }, tools)).suite.gate;
}

/** Flags for what runs no sample. */
function checking(python: string): Parameters<typeof toolsFor>[0] {
  return { python, sandbox: "auto", quiet: true };
}

function toolsFor(
  flags: {
    readonly python: string;
    readonly sandbox: "auto" | "required" | "off";
    readonly quiet: boolean;
    readonly cachePath?: string | undefined;
  },
  { screen, stop, secrets, env, workingDirectory }: Surroundings,
): Tools {
  const report = flags.quiet ? (): void => undefined : screen.progress;
  const { python, sandbox, cachePath } = flags;
  const { signal } = stop;
  return openTools({ python, sandbox, report, secrets, signal, env, workingDirectory, cachePath });
}
