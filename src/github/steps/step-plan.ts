import type { RunKey } from "../../model/outcomes/run.ts";
import type { Tools } from "../../tools.ts";
import type { PlannedRun } from "../artifacts/attempts.ts";
import { readJobKey, resultsPath } from "../runner/run-key.ts";
import type { Step, GitHubAccess } from "./step.ts";
import { join } from "node:path";
import type { StampTree } from "../../model/ports/files.ts";
import type { AttemptAsked } from "../../model/outcomes/attempts.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { ResultsAsked } from "../../model/results.ts";
import { readEvent, type RunEvent } from "../runner/event.ts";
import type { Settings } from "../runner/inputs.ts";
import { folderNames, createNames } from "../runner/suite-names.ts";
import { type FoundSuites, isInGit } from "../../wiring.ts";
import { findDirectory, makeRunFolder, workspaceRoot } from "../runner/workspace.ts";
import type { Checks } from "./checks.ts";
import { openAttempt } from "./resume.ts";
import { toolsOf } from "./step-tools.ts";
import { checkDirectory, findAllSuites, openCheckout, type Checkout } from "./checkout.ts";

/** Data that every mode receives: the inputs, the event's payload and the access to GitHub. */
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
  /** The setup, with the inputs that count. */
  readonly setup: StepSetup;
}

/** The first attempt of a run, for which there is nothing to resume. */
const firstAttempt: AttemptAsked = { number: 1, before: undefined, unread: undefined };

export interface PlannedSuite {
  readonly manifest: string;
  /** The run directory. */
  readonly out: string;
  /** The number of the workflow run's attempt, and the facts about earlier attempts. */
  readonly attempt: AttemptAsked;
  /** The earlier attempt's files as they were restored; undefined: none were. */
  readonly restored?: Awaited<ReturnType<StampTree>> | undefined;
}

/** Plans the suites and their run directories. */
export async function makePlan(given: StepSetup, step: Step): Promise<StepPlan> {
  const { workingDirectory } = given.settings;
  const directory = await findDirectory(workspaceRoot(step.env), workingDirectory);
  // Relative paths resolve against `working-directory` from here on.
  process.chdir(directory);
  if (await isInGit(directory, ".regrade"))
    throw new Refusal(problem("cache_in_git", { path: ".regrade" }));
  const tools = toolsOf(given.settings, step);
  const checkout = await openCheckout(given, tools, step);
  try {
    const { settings } = checkout;
    const opened = { checkout, setup: { ...given, settings } };
    const { results } = settings;
    if (results !== undefined) return await planResults(results, opened, step);
    await checkDirectory(workingDirectory, checkout.policyFrom, tools);
    const found = await findAllSuites(settings.suites, checkout.policyFrom, tools);
    return await planSuites(found, opened, step);
  } catch (cause) {
    await checkout.close();
    throw cause;
  }
}

type Opened = Pick<StepPlan, "checkout" | "setup">;

async function planSuites(
  { manifests, skipped }: FoundSuites,
  opened: Opened,
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
  const event = readEvent(env, opened.setup.payload);
  return { ...opened, event, suites, folder, claim: createNames() };
}

/** Plans results of another tool, which are one suite without a manifest. */
async function planResults(
  { from }: ResultsAsked,
  opened: Opened,
  { env }: Step,
): Promise<StepPlan> {
  const folder = await makeRunFolder(env);
  const suites = [{ manifest: from.paths.join(", "), out: folder, attempt: firstAttempt }];
  const event = readEvent(env, opened.setup.payload);
  return { ...opened, event, suites, folder, claim: createNames() };
}

/** The plan, after the files of the attempt before this one are restored. */
export async function resumePlan(plan: StepPlan, setup: StepSetup, step: Step): Promise<StepPlan> {
  const tools = toolsOf(setup.settings, step);
  const planned = await Promise.all(
    plannedRuns(plan, setup).map(async ({ manifest, out, shard }) => {
      const key = await keyOf(manifest, setup, { ...step, tools });
      return { manifest, out, shard, key };
    }),
  );
  const attempts = await openAttempt(planned, step);
  const suites = plan.suites.map(async ({ manifest, out }, i): Promise<PlannedSuite> => {
    const attempt = attempts[i] ?? firstAttempt;
    const restored = attempt.before === undefined ? undefined : await tools.stampTree(out);
    return { manifest, out, attempt, restored };
  });
  return { ...plan, suites: await Promise.all(suites) };
}

/** The runs of a plan, as the steps after it need them. */
export function plannedRuns(plan: StepPlan, { settings }: StepSetup): readonly PlannedRun[] {
  return plan.suites.map(({ manifest, out }) => ({ manifest, out, shard: settings.shard }));
}

/** The key by which later runs find a suite's run. */
export async function keyOf(
  manifest: string,
  { settings: { results } }: StepSetup,
  { tools, env }: Step & { readonly tools: Tools },
): Promise<RunKey> {
  const located = await tools.files.locate(results === undefined ? manifest : "results");
  const path = results === undefined ? located.path : resultsPath(located, results.from.paths);
  return { path, ...readJobKey(env) };
}
