import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { inputsOfBase, takesToken } from "../runner/base-inputs.ts";
import { readInputs, type Settings } from "../runner/inputs.ts";
import { noteOf } from "../runner/log.ts";
import { hasJob } from "../runner/workflow-steps.ts";
import { workspaceRoot } from "../runner/workspace.ts";
import { isInGit } from "../../wiring.ts";
import type { Step } from "./step.ts";

/**
 * The inputs that count. A change can't choose how it is judged by editing its own workflow: as long as the step runs,
 * all inputs that judge are those of the base's file. `tree`: the base's files.
 */
export async function settingsOfBase(
  settings: Settings,
  tree: Pick<BaseTree, "root">,
  step: Step,
): Promise<Settings> {
  const { context, env, log } = step;
  const { path } = context.workflow;
  if (path === undefined || !(await hasOwnWorkflow(step))) return settings;
  const head = await textOf(join(workspaceRoot(env), path));
  const job = { job: context.job, action: env["GITHUB_ACTION_REPOSITORY"] || undefined };
  const before = (await textOf(join(tree.root, path))) ?? (await counterpartIn(tree.root, job));
  if (before === undefined) return byPolicyOfBase(settings, path, step);
  if (before === head) return settings;
  const texts = { base: before, head };
  if (settings.token === "" && takesToken(texts, job))
    throw new Refusal(problem("token_of_base", { path }));
  const inputs = inputsOfBase(texts, job, env);
  const names = Object.keys(inputs);
  if (names.length === 0) return settings;
  const given = names.map((name) => [`INPUT_${name.toUpperCase()}`, inputs[name]]);
  const read = readInputs({ ...env, ...Object.fromEntries(given) });
  if (read.kind === "problems") throw new Refusal(read.problems);
  log.warning(noteOf(problem("inputs_of_base", { path, inputs })));
  // The folder has been entered already, and the base's suites are named relative to it.
  return { ...read.settings, workingDirectory: settings.workingDirectory };
}

/**
 * True if the workflow is a file of the checked-out commit; false for one that is required from elsewhere. A sparse checkout
 * leaves files out that git has.
 */
export async function hasOwnWorkflow({ context, env }: Step): Promise<boolean> {
  const { path } = context.workflow;
  if (path === undefined) return false;
  const root = workspaceRoot(env);
  return (await textOf(join(root, path))) !== undefined || (await isInGit(root, path));
}

/** A workflow that the change brings does not say by itself that the base's rules don't judge. */
function byPolicyOfBase(settings: Settings, path: string, { log }: Step): Settings {
  if (settings.policyFrom === "auto") return settings;
  log.warning(noteOf(problem("policy_of_new_workflow", { path, asked: settings.policyFrom })));
  return { ...settings, policyFrom: "auto" };
}

const folder = ".github/workflows";

/** The base's workflow with a job of this id that runs Regrade: a change may move it to another file. */
async function counterpartIn(
  root: string,
  job: Parameters<typeof hasJob>[1],
): Promise<string | undefined> {
  const names = await readdir(join(root, folder)).catch(() => []);
  for (const name of names.filter((each) => /\.ya?ml$/.test(each)).toSorted()) {
    const text = await textOf(join(root, folder, name));
    if (text !== undefined && hasJob(text, job)) return text;
  }
  return undefined;
}

/** The text of a file; undefined if there is none. */
function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
