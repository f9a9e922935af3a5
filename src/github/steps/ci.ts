import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { CiContext } from "../../model/baseline.ts";
import type { Overrides } from "../../model/definition/overrides.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import type { Tools } from "../../tools.ts";
import { openApprovals } from "../api/approvals.ts";
import { isOnBase } from "../api/base-merge.ts";
import { openArchivedTree } from "../baseline/base-archive.ts";
import { openBaselineFinder } from "../baseline/finder.ts";
import type { FinderOptions } from "../baseline/runs.ts";
import { startOf, type Start } from "../baseline/start.ts";
import { createBaselineApi } from "../baseline/api.ts";
import type { PullContext } from "../runner/context.ts";
import { noteOf } from "../runner/log.ts";
import { readJobKey } from "../runner/run-key.ts";
import { makeRunFolder, workspaceRoot } from "../runner/workspace.ts";
import {
  findRepository,
  findSubmodule,
  headOf,
  openRemoteTree,
  readCheckout,
} from "../../wiring.ts";
import type { GitHubAccess, Step } from "./step.ts";

/** Earlier runs and the base, as one step sees them. */
export interface CiSite {
  readonly ci: CiContext;
  /** The base commit that the change is judged against; undefined if the event has none, or it can't be determined. */
  readonly base: { readonly sha: string; readonly ref: string } | undefined;
}

interface CiOptions {
  readonly access: GitHubAccess;
  readonly tools: Tools;
  readonly workingDirectory: string;
  /** The workflow whose runs are baselines; undefined: this workflow. */
  readonly workflowPath?: string | undefined;
  /** Identifies this job's runs; undefined: by its own job id and leg. */
  readonly of?: FinderOptions["of"] | undefined;
  /** Values that replace the manifests' in this run. */
  readonly overrides: Overrides | undefined;
  /** Replaces the event's base, for the pull request of a fork. */
  readonly start?: Start | undefined;
}

/** Determines the base commit, and opens the searches in its history. Without a token there are no searches. */
export async function openCi(options: CiOptions, step: Step): Promise<CiSite> {
  const { context, env, log } = step;
  const { start, base } = await findPlaces(options, step);
  const { github } = options.access;
  const workflowPath = options.workflowPath ?? context.workflow.path;
  const noBaselines = whyNoBaselines(options.access, context);
  if (github === undefined || start === undefined || workflowPath === undefined)
    return { ci: { noBaselines }, base };
  const warn = (found: Parameters<typeof noteOf>[0]): void => log.warning(noteOf(found));
  const { readRun, visitSamples, now } = options.tools;
  const folder = await makeRunFolder(env);
  const known = { context, workflowPath, github, warn };
  const of = options.of ?? readJobKey(env);
  const hasWorkflow = (path: string): Promise<boolean> => isFile(join(workspaceRoot(env), path));
  const { overrides } = options;
  const setup = { ...known, start, of, hasWorkflow, folder, readRun, visitSamples, now, overrides };
  return {
    base,
    ci: {
      ...(noBaselines === undefined ? { baselines: openBaselineFinder(setup) } : { noBaselines }),
      findApprovals: openApprovals({ ...known, baseSha: base?.sha, note: log.info }),
    },
  };
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

/**
 * The reason why earlier runs are not searched: there is no token, or the server has no artifact API. undefined: they
 * are searched.
 */
function whyNoBaselines(
  { github }: GitHubAccess,
  { serverUrl }: Step["context"],
): string | undefined {
  if (github === undefined) return "without a token no earlier run can be looked for";
  return isEnterpriseServer(serverUrl)
    ? "GitHub Enterprise Server has no API for these artifacts"
    : undefined;
}

/** True for GitHub Enterprise Server. The test is that of @actions/artifact, which refuses to work there. */
function isEnterpriseServer(serverUrl: string): boolean {
  const host = URL.parse(serverUrl)?.hostname.toLowerCase() ?? "github.com";
  return host !== "github.com" && !host.endsWith(".ghe.com") && !host.endsWith(".localhost");
}

interface Places {
  /** The base branch on which baselines are searched. */
  readonly start: Start | undefined;
  /** The base whose policy judges. */
  readonly base: CiSite["base"];
}

/** Finds the places on the base. The checkout contains the merge commit's parents, so no request is needed. */
async function findPlaces(options: CiOptions, { context }: Step): Promise<Places> {
  const { access, workingDirectory } = options;
  const checkout = options.start ? undefined : await readCheckout(workingDirectory);
  const start = options.start ?? startOf(context, checkout?.sha);
  if (start === undefined) return { start, base: undefined };
  const { at, branches } = start;
  switch (at.kind) {
    case "commit":
      return placesAt(at.sha, branches);
    case "first_parent": {
      const sha = await firstParent(at, checkout, { access: access, context });
      return sha === undefined ? { start, base: undefined } : placesAt(sha, branches);
    }
    case "merge_base": {
      // A branch that is behind is compared with the commit where it began, but judged by the current rules.
      const sha = (await askMergeBase(at, access)) ?? at.base;
      // The event may be older than the base's rules. A report has asked GitHub for the base already.
      const tip = options.start === undefined ? await askTip(branches[0], access) : undefined;
      return { ...placesAt(sha, branches), base: baseOf(tip ?? at.base, branches) };
    }
  }
}

async function firstParent(
  { sha, merges, otherwise }: Extract<Start["at"], { kind: "first_parent" }>,
  checkout: Awaited<ReturnType<typeof readCheckout>>,
  { access, context: { pull } }: Pick<BaseRequest, "access"> & Pick<Step, "context">,
): Promise<string | undefined> {
  const [first, second] = checkout?.sha === sha ? checkout.parents : [];
  // If the checkout does not tell, the event's base is used, because the policy must come from somewhere.
  if (first === undefined || (merges !== undefined && merges !== second)) return otherwise;
  if (pull?.isRetargeted === true) await checkMerge(first, pull, access);
  return first;
}

/**
 * After a pull request got another base, the merge commit must be one into the new base; otherwise the judged state is
 * not what would be merged. GitHub makes a new merge commit a moment later.
 */
async function checkMerge(
  parent: string,
  { baseSha, baseRef }: PullContext,
  { github }: GitHubAccess,
): Promise<void> {
  if (parent === baseSha) return;
  const api = await github?.();
  const doing = {
    what: "checking whether the base has a commit",
    permission: "contents: read",
    decides: true,
  };
  const found = await api?.attempt(doing, () => isOnBase(parent, baseSha, api));
  if (found?.kind === "done" && found.value) return;
  throw new Refusal(problem("merge_into_other_base", { base: baseRef, parent }), { exit: 4 });
}

function placesAt(sha: string, branches: Start["branches"]): Places {
  return { start: { at: { kind: "commit", sha }, branches }, base: baseOf(sha, branches) };
}

function baseOf(sha: string, branches: Start["branches"]): CiSite["base"] {
  return { sha, ref: branches[0] ?? sha };
}

async function askMergeBase(
  { base, head }: { readonly base: string; readonly head: string },
  { github, tellFailure }: GitHubAccess,
): Promise<string | undefined> {
  if (github === undefined) return undefined;
  const api = await github();
  const doing = {
    what: "finding the merge base",
    permission: "contents: read",
    decides: true,
  };
  const found = await api.attempt(doing, () => createBaselineApi(api).mergeBase(base, head));
  if (found.kind === "done") return found.value;
  tellFailure(found);
  return undefined;
}

/** The commit of a branch now; undefined if GitHub does not tell. */
async function askTip(
  branch: string | undefined,
  { github, tellFailure }: GitHubAccess,
): Promise<string | undefined> {
  if (github === undefined || branch === undefined) return undefined;
  const { request, repository, attempt } = await github();
  const doing = {
    what: "finding the base branch's newest commit",
    permission: "contents: read",
    decides: true,
  };
  const found = await attempt(doing, () =>
    request("GET /repos/{owner}/{repo}/commits/{ref}", { ...repository, ref: `heads/${branch}` }),
  );
  if (found.kind === "done") return found.value.data.sha;
  tellFailure(found);
  return undefined;
}

interface BaseRequest {
  readonly access: GitHubAccess;
  readonly token: string;
  readonly workingDirectory: string;
}

/**
 * Opens the tree of the base commit: from the checkout, fetched by git, or else as an archive. Throws a Refusal if all
 * of these fail, because a change must not choose its own judge because the network is down.
 */
export async function openBase(
  base: { readonly sha: string; readonly ref: string },
  { access, token, workingDirectory }: BaseRequest,
  { context, signal, log }: Step,
): Promise<BaseTree> {
  const { repository, serverUrl } = context;
  const source = base.ref;
  const url = `${serverUrl}/${repository?.owner ?? ""}/${repository?.repo ?? ""}`;
  const remote = { source, sha: base.sha, url, token };
  const submodule = await findSubmodule(workingDirectory);
  if (submodule !== undefined)
    throw new Refusal(problem("policy_in_submodule", { path: submodule }));
  const tree = await openRemoteTree(remote, workingDirectory, signal);
  if (tree !== undefined) return tree;
  log.info(`git has no way to the base commit ${base.sha}: asking GitHub's API for its files.`);
  const reason = "git can't fetch it here, and there is no token to ask GitHub with";
  const ownRepository = await findRepository(workingDirectory);
  const own = { repository: ownRepository, head: await headOf(ownRepository) };
  const asked = { source, sha: base.sha, ...own };
  const got = access.github && (await openArchivedTree(asked, await access.github()));
  if (got?.kind === "done") return got.value;
  const why = got === undefined ? reason : got.problem.message;
  throw new Refusal(problem("policy_base_unreachable", { sha: base.sha, reason: why }), {
    exit: 4,
  });
}
