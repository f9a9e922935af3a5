import { join } from "node:path";
import type { AttemptAsked } from "../../model/attempts.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { ResultsAsked } from "../../model/results.ts";
import type { RunKey } from "../../model/run.ts";
import { runSuite, type FinishedRun, type RunRequest } from "../../runs.ts";
import type { Tools } from "../../tools.ts";
import { expectUploads } from "../artifacts/artifact.ts";
import type { PlannedRun } from "../artifacts/attempts.ts";
import { changeOf } from "../runner/context.ts";
import { readEvent, type RunEvent } from "../runner/event.ts";
import type { Settings } from "../runner/inputs.ts";
import { createProgress } from "../runner/progress.ts";
import { readJobKey, resultsPath } from "../runner/run-key.ts";
import { folderNames } from "../runner/suite-names.ts";
import type { FoundSuites } from "../../wiring.ts";
import { tellEnd } from "../runner/tell.ts";
import { findDirectory, makeRunFolder, workspaceRoot } from "../runner/workspace.ts";
import { isInGit, openTools } from "../../wiring.ts";
import { leaveAlone } from "./affected.ts";
import type { Checks } from "./checks.ts";
import { openBase } from "./ci.ts";
import type { StepEnd } from "./ends.ts";
import { goOn, openAttempt } from "./resume.ts";
import { createNames } from "../runner/suite-names.ts";
import { endOfRefusal } from "./no-secrets.ts";
import { endAsBefore } from "./same-verdict.ts";
import { checkDirectory, findAllSuites, openCheckout, type Checkout } from "./checkout.ts";
import type { GitHubAccess, Step } from "./step.ts";
import { tellAll } from "./tell.ts";

/** What every mode receives: the inputs, the event's payload and the access to GitHub. */
export interface StepSetup {
  readonly settings: Settings;
  readonly payload: unknown;
  readonly access: GitHubAccess;
  readonly checks: Checks;
}

export interface StepPlan {
  /** Refuses a suite whose name is already used. */
  readonly claim: (suite: string, manifest: string) => void;
  readonly event: RunEvent;
  readonly suites: readonly PlannedSuite[];
  /** Folder of all runs; with a single suite, it is the run directory itself. */
  readonly folder: string;
  /** The caller closes the checkout at the end. */
  readonly checkout: Checkout;
}

/** The first attempt of a run, for which there is nothing to resume. */
const firstAttempt: AttemptAsked = { number: 1, before: undefined, unread: undefined };

interface PlannedSuite {
  readonly manifest: string;
  /** The run directory. */
  readonly out: string;
  /** The number of the workflow run's attempt, and the facts about earlier attempts. */
  readonly attempt: AttemptAsked;
}

/** `mode: run`: inputs → suites → runs → summary, artifacts, comment, checks, outputs → the step's exit code. */
export async function runMode(setup: StepSetup, step: Step): Promise<number> {
  const made = await makePlan(setup, step);
  try {
    const code = await endAsBefore(
      { plan: made, setup: setup, tools: toolsOf(setup.settings, step) },
      step,
    );
    if (code !== undefined) return code;
    const plan = await resumePlan(made, setup, step);
    const ends = await runSuites(plan, setup, step);
    const { folder } = plan;
    const pull = step.context.pull?.number;
    const keptFor = plannedRuns(plan, setup);
    return await tellAll(
      { ...setup, pageTools: pageTools(setup, step), ends, folder, pull, keptFor },
      step,
    );
  } finally {
    await made.checkout.close();
  }
}

/** Plans the suites and their run directories. */
export async function makePlan(setup: StepSetup, step: Step): Promise<StepPlan> {
  const { settings } = setup;
  const directory = await findDirectory(workspaceRoot(step.env), settings.workingDirectory);
  // Relative paths resolve against `working-directory` from here on.
  process.chdir(directory);
  if (await isInGit(directory, ".regrade"))
    throw new Refusal(problem("cache_in_git", { path: ".regrade" }));
  const tools = toolsOf(settings, step);
  const checkout = await openCheckout(setup, tools, step);
  try {
    const { results } = settings;
    if (results !== undefined)
      return await planResults(results, { checkout: checkout, payload: setup.payload }, step);
    await checkDirectory(settings.workingDirectory, checkout.policyFrom, tools);
    const found = await findAllSuites(settings.suites, checkout.policyFrom, tools);
    return await planSuites(found, { checkout: checkout, payload: setup.payload }, step);
  } catch (cause) {
    await checkout.close();
    throw cause;
  }
}

async function planSuites(
  { manifests, skipped }: FoundSuites,
  { checkout, payload }: { readonly checkout: Checkout; readonly payload: unknown },
  { log, env }: Step,
): Promise<StepPlan> {
  if (skipped.length > 0) log.info(`Files that are no suites, skipped: ${skipped.join(", ")}`);
  const folder = await makeRunFolder(env);
  const names = folderNames(manifests);
  const suites = manifests.map((manifest, i) => ({
    manifest,
    out: manifests.length === 1 ? folder : join(folder, names[i] ?? String(i)),
    attempt: firstAttempt,
  }));
  if (suites.length > 1) log.info(`${suites.length} suites: ${manifests.join(", ")}`);
  return {
    event: readEvent(env, payload),
    suites,
    folder,
    checkout: checkout,
    claim: createNames(),
  };
}

/** Plans results of another tool, which are one suite without a manifest. */
async function planResults(
  { from }: ResultsAsked,
  { checkout, payload }: { readonly checkout: Checkout; readonly payload: unknown },
  { env }: Step,
): Promise<StepPlan> {
  const folder = await makeRunFolder(env);
  const suites = [{ manifest: from.paths.join(", "), out: folder, attempt: firstAttempt }];
  return {
    event: readEvent(env, payload),
    suites,
    folder,
    checkout: checkout,
    claim: createNames(),
  };
}

/** The plan, after the files of the attempt before this one are restored. */
async function resumePlan(plan: StepPlan, setup: StepSetup, step: Step): Promise<StepPlan> {
  const tools = toolsOf(setup.settings, step);
  const planned = await Promise.all(
    plannedRuns(plan, setup).map(async ({ manifest, out, shard }) => {
      const key = await keyOf(manifest, setup, { ...step, tools });
      return { manifest, out, shard, key };
    }),
  );
  const attempts = await openAttempt(planned, step);
  const suites = plan.suites.map(({ manifest, out }, i) => {
    return { manifest, out, attempt: attempts[i] ?? firstAttempt };
  });
  return { ...plan, suites };
}

function plannedRuns(plan: StepPlan, { settings }: StepSetup): readonly PlannedRun[] {
  return plan.suites.map(({ manifest, out }) => ({ manifest, out, shard: settings.shard }));
}

async function runSuites(
  plan: StepPlan,
  setup: StepSetup,
  step: Step,
): Promise<readonly StepEnd[]> {
  const { log, signal } = step;
  const tools = { ...toolsOf(setup.settings, step), openCommit: commitOpener(setup, step) };
  const ends: StepEnd[] = [];
  for (const suite of plan.suites) {
    if (signal.aborted) break;
    const run = (): Promise<StepEnd> => runOne({ plan, suite, setup: setup, step }, tools);
    const what = setup.settings.results === undefined ? "Suite" : "Results";
    const end = await log.group(`${what} ${suite.manifest}`, run);
    tellEnd(end, setup.settings.failOn, log);
    ends.push(end);
  }
  return ends;
}

/** Tools for making the runs' pages; undefined: pages are not wanted. */
export function pageTools({ settings }: StepSetup, step: Step): Tools | undefined {
  return settings.report ? toolsOf(settings, step) : undefined;
}

/** The tools of a run, by the action's inputs. */
export function toolsOf(
  { python, sandbox, cachePath }: Settings,
  { log, secrets, signal, env }: Step,
): Tools {
  return openTools({
    python,
    sandbox,
    report: createProgress(log.info, Date.now),
    secrets,
    signal,
    env,
    workingDirectory: process.cwd(),
    cachePath,
  });
}

/** Opens commits. A checkout usually has only one, so others are fetched. */
function commitOpener({ settings, access }: StepSetup, step: Step): Tools["openCommit"] {
  const { token } = settings;
  const workingDirectory = process.cwd();
  return (sha) => openBase({ sha, ref: sha }, { access: access, token, workingDirectory }, step);
}

interface Running {
  readonly plan: StepPlan;
  readonly suite: PlannedSuite;
  readonly setup: StepSetup;
  readonly step: Step;
}

async function runOne(running: Running, tools: Tools): Promise<StepEnd> {
  const { plan, suite, setup, step } = running;
  const { manifest } = suite;
  const { policyFrom, mayStandIn } = plan.checkout;
  const { changedOnly } = setup.settings;
  let begun: string | undefined;
  try {
    const alone = await leaveAlone(manifest, { changedOnly, tree: policyFrom }, { ...step, tools });
    if (alone !== undefined) return alone;
    const key = await keyOf(manifest, setup, { ...step, tools });
    const asked = requestOf(running);
    const run = (attempt: AttemptAsked): Promise<FinishedRun> =>
      runSuite(
        {
          ...asked,
          key,
          resume: attempt.before !== undefined,
          attempt,
          starting: (name) => {
            plan.claim(name, manifest);
            begun = name;
            setup.checks.begin(name);
            void expectUploads(step.env);
          },
          // A re-run adds samples, and reusing an earlier run would add none.
          mayStandIn: mayStandIn && attempt.before === undefined && attempt.unread === undefined,
        },
        tools,
      );
    return { kind: "finished", manifest, ...(await goOn(suite, run, step)) };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const base = policyFrom && { ...policyFrom, overrides: setup.settings.overrides };
    const around = { tools, context: step.context, policyFrom: base };
    return endOfRefusal(cause, { manifest, begun }, around);
  }
}

/** The request for a suite's run, from the inputs, the event and the base. */
function requestOf({ plan, suite, setup, step }: Running): Omit<RunRequest, "resume"> {
  const { baseline, candidates, tasks, cache, shard, results, strict } = setup.settings;
  const { maxSamples, overrides } = setup.settings;
  const { ci, policyFrom } = plan.checkout;
  const { path: workflow } = step.context.workflow;
  return {
    manifest: suite.manifest,
    out: suite.out,
    baseline: baseline?.kind === "path" ? baseline.path : baseline?.kind,
    candidates,
    tasks,
    choices: { maxSamples, overrides },
    shard,
    strict,
    cache,
    publish: plan.event.publish,
    git: plan.event.git,
    // A change is responsible for what it broke.
    ofChange: changeOf(step.context) !== undefined,
    ci,
    policyFrom: policyFrom && { ...policyFrom, ...(workflow !== undefined && { workflow }) },
    results,
    ...(results && scoredBy(step.context)),
  };
}

/** The key by which later runs find a suite's run. */
export async function keyOf(
  manifest: string,
  { settings: { results } }: StepSetup,
  { tools, env }: Pick<Step, "env"> & { readonly tools: Tools },
): Promise<RunKey> {
  const located = await tools.files.locate(results === undefined ? manifest : "results");
  const path = results === undefined ? located.path : resultsPath(located, results.from.paths);
  return { path, ...readJobKey(env) };
}

/** The origin of results. A fork's job recorded them with the fork's code, which reports mention. */
function scoredBy({ pull, runUrl }: Step["context"]): Partial<RunRequest> {
  if (pull?.isFork !== true) return {};
  const repository = pull.headRepo ?? "a fork that is gone";
  return { scoredBy: { repository, source: runUrl ?? "", scored: true } };
}
