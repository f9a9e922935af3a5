import { join, posix, relative, resolve } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import type { CiContext } from "../../model/baseline.ts";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { locateInBase } from "../../suite/policy/base-manifest.ts";
import type { Tools } from "../../tools.ts";
import { judgesOfBase } from "../runner/base-judges.ts";
import { changeOf, type WorkflowContext } from "../runner/context.ts";
import { traitsOf } from "../runner/events.ts";
import type { Settings } from "../runner/inputs.ts";
import { findSuites, lookForSuites, refuseGaps, type FoundSuites } from "../../wiring.ts";
import { noteOf } from "../runner/log.ts";
import { openBase, openCi } from "./ci.ts";
import { hasOwnWorkflow, settingsOfBase } from "./base-settings.ts";
import type { GitHubAccess, Step } from "./step.ts";

/** The baselines and the policy of a step's suites. */
export interface Checkout {
  /** The inputs that count: where the change edits the workflow, the base's for all that judges. */
  readonly settings: Settings;
  readonly ci: CiContext;
  /** The tree whose policy judges; undefined: each suite's own policy does. */
  readonly policyFrom: BaseTree | undefined;
  /** True if this step's runs may reuse an earlier run with the same inputs. */
  readonly mayReuseRun: boolean;
  readonly close: () => Promise<void>;
}

/** Opens the checkout in the working directory. Throws a Refusal if the base's files can't be fetched. */
export async function openCheckout(
  { settings, access }: { readonly settings: Settings; readonly access: GitHubAccess },
  tools: Tools,
  step: Step,
): Promise<Checkout> {
  const workingDirectory = process.cwd();
  const { overrides } = settings;
  const { ci, base } = await openCi({ access: access, tools, workingDirectory, overrides }, step);
  const changes = changeOf(step.context) === undefined ? undefined : base;
  const open = async (asked: Settings): Promise<BaseTree | undefined> => {
    const choice = asked.policyFrom;
    if (choice === "none") return undefined;
    if (choice !== "auto") return tools.openBaseTree(choice);
    const { token } = asked;
    const opening = changes && openBase(changes, { access: access, token, workingDirectory }, step);
    return needsBase(asked) ? opening : opening?.catch(withoutBase(step));
  };
  // Whose rules judge is for the base's workflow to say, so its file is needed whatever the input says.
  const isAsked = settings.policyFrom === "auto" || (await hasOwnWorkflow(step));
  const ofBase = isAsked ? await open({ ...settings, policyFrom: "auto" }) : undefined;
  const judged = ofBase === undefined ? settings : await settingsOfBase(settings, ofBase, step);
  const isOther = judged.policyFrom !== "auto" || (ofBase === undefined && needsBase(judged));
  if (isOther) await ofBase?.close();
  const tree = isOther ? await open(judged) : ofBase;
  const policyFrom = tree && (await withJudges(tree, judged, { tools, step }));
  if (policyFrom !== undefined) step.log.info(policyLine(policyFrom, judged));
  return {
    settings: judged,
    ci,
    policyFrom,
    mayReuseRun: isBranchPush(step.context),
    close: async () => policyFrom?.close(),
  };
}

/**
 * The rules for results are in the workflow, so the base's files only tell what the change edits around them, unless one of
 * them is the baseline.
 */
function needsBase({ results, baseline }: Settings): boolean {
  return results === undefined || baseline?.kind === "path";
}

function withoutBase({ log }: Step): (cause: unknown) => undefined {
  return (cause) => {
    if (!(cause instanceof Refusal)) throw cause;
    const [{ message: reason } = { message: "" }] = cause.problems;
    log.warning(noteOf(problem("results_without_base", { reason })));
    return undefined;
  };
}

/** The tree, with the judge models of the base's workflow if the change edits the workflow. */
async function withJudges(
  tree: BaseTree,
  { overrides = {} }: Settings,
  { tools, step }: { readonly tools: Tools; readonly step: Step },
): Promise<BaseTree> {
  const { root: head } = await tools.files.locate(join(process.cwd(), "suite.yaml"));
  const { workflow, job } = step.context;
  const action = step.env["GITHUB_ACTION_REPOSITORY"] || undefined;
  const here = { workflow: workflow.path, job, action };
  const judges = await judgesOfBase(overrides, { base: tree.root, head }, here);
  return judges === undefined ? tree : { ...tree, judges };
}

function policyLine({ source, sha }: BaseTree, { results }: Settings): string {
  const commit = sha === null ? "" : `, commit ${sha.slice(0, 12)}`;
  return results === undefined
    ? `Judged by the policy of ${source}${commit}.`
    : `Judged by the inputs. What the change edits around the results is looked for beside ${source}${commit}.`;
}

function isBranchPush(context: WorkflowContext): boolean {
  const { event, ref } = context;
  const isOfBranch = ref?.startsWith("refs/heads/") === true;
  return traitsOf(event).mayReuse === true && isOfBranch && changeOf(context) === undefined;
}

/**
 * Finds the suites of this change, and those that it deleted. Deleted suites run as the base has them, because a change
 * could otherwise remove a suite unnoticed. A moved suite runs once, at its new place.
 */
export async function findAllSuites(
  patterns: readonly string[],
  tree: BaseTree | undefined,
  tools: Tools,
): Promise<FoundSuites> {
  const directory = process.cwd();
  if (tree === undefined) return findSuites(patterns, directory);
  const prefix = await prefixOf(directory, tools);
  const there = await lookForSuites(patterns, join(tree.root, prefix));
  const here = await lookForSuites(patterns, directory);
  const claimed = new Set<string>();
  for (const manifest of here.manifests) {
    const { basePath } = await locateInBase(manifest, tree, tools);
    claimed.add(basePath ?? "");
  }
  const deleted = there.manifests.filter(
    (manifest) =>
      !here.manifests.includes(manifest) && !claimed.has(posix.join(withSlashes(prefix), manifest)),
  );
  const manifests = [...here.manifests, ...deleted];
  // A path that neither side has is a typing error.
  const absent = here.absent.filter((path) => there.absent.includes(path));
  return refuseGaps({ manifests, skipped: here.skipped, absent }, patterns, directory);
}

/**
 * Throws a Refusal if the working directory is a link that the base lacks or has differently: the suites that the base
 * has at that place would not be found.
 */
export async function checkDirectory(
  workingDirectory: string,
  tree: BaseTree | undefined,
  tools: Tools,
): Promise<void> {
  if (tree === undefined) return;
  const { inspectPath } = tools.files;
  const prefix = await prefixOf(process.cwd(), tools);
  const there = await inspectPath(join(tree.root, workingDirectory));
  const isNew = there.kind === "missing";
  const written = relative("/", resolve("/", workingDirectory));
  if (isNew ? prefix === written : relative(tree.root, there.real) === prefix) return;
  const found = { directory: workingDirectory, real: withSlashes(prefix) || "." };
  throw new Refusal(problem("input_directory_linked", found));
}

/** Path of the working directory from the repository's root; the base has the same folders. */
async function prefixOf(directory: string, { files }: Tools): Promise<string> {
  const { root } = await files.locate(join(directory, "suite.yaml"));
  return relative(root, directory);
}
