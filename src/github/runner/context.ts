import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** This is a type and no interface, so that it can be spread into the parameters of calls. */
export type Repository = {
  readonly owner: string;
  readonly repo: string;
};

/**
 * A workflow run's facts from the runner's environment and the event's payload. They are trusted, because GitHub wrote
 * both.
 */
export interface WorkflowContext {
  /** GITHUB_EVENT_NAME: `pull_request`, `push`, `merge_group`, `schedule`, `workflow_dispatch`, `workflow_run`, … */
  readonly event: string;
  /** undefined outside of GitHub Actions. */
  readonly repository: (Repository & { readonly id: number | undefined }) | undefined;
  /** Set for pull_request and pull_request_target. */
  readonly pull: PullContext | undefined;
  readonly mergeGroup: MergeGroupContext | undefined;
  /** Set for workflow_run: the run that ended. A stranger may have chosen its names. */
  readonly upstream: UpstreamContext | undefined;
  /** The branch's commit before a push; undefined for a new branch. */
  readonly before: string | undefined;
  /** GITHUB_SHA; for a pull request it is the merge commit. */
  readonly sha: string | undefined;
  /** GITHUB_REF: `refs/heads/main`, `refs/pull/7/merge`. */
  readonly ref: string | undefined;
  /** The commit that a check run belongs to: a pull request's head, not its merge commit. */
  readonly checkSha: string | undefined;
  readonly defaultBranch: string | undefined;
  readonly workflow: {
    readonly name: string;
    /** `.github/workflows/evals.yml`; undefined if GITHUB_WORKFLOW_REF does not have it. */
    readonly path: string | undefined;
  };
  readonly runId: string;
  readonly attempt: number;
  /** GITHUB_JOB: the job's id in the workflow. */
  readonly job: string;
  /**
   * True for a pull request of Dependabot, or a run that it started: the token is read-only, and the secrets are
   * Dependabot's.
   */
  readonly isDependabot: boolean;
  /** `https://github.com`, or the address of GitHub Enterprise Server. */
  readonly serverUrl: string;
  /** The page of this workflow run; undefined outside of GitHub Actions. */
  readonly runUrl: string | undefined;
}

export interface PullContext {
  readonly number: number;
  readonly headSha: string;
  readonly headRef: string;
  /** `owner/name`; undefined if the fork was deleted. */
  readonly headRepo: string | undefined;
  readonly baseSha: string;
  readonly baseRef: string;
  /** True if the head's repository is another one, or was deleted. */
  readonly isFork: boolean;
  /** Labels at the time of the event. */
  readonly labels: readonly string[];
  readonly author: string;
  /** True if the event is that the pull request got another base. */
  readonly isRetargeted: boolean;
}

export interface MergeGroupContext {
  readonly headSha: string;
  readonly baseSha: string;
  /** `main`, without `refs/heads/`. */
  readonly baseRef: string;
}

/** The run that a `workflow_run` event is about. */
interface UpstreamContext {
  readonly runId: string;
  readonly headSha: string;
}

/** Reads the context. `payload` is the untrusted content of GITHUB_EVENT_PATH. */
export function readContext(env: Environment, payload: unknown): WorkflowContext {
  const body = isJsonObject(payload) ? payload : {};
  const own = object(body["repository"]);
  const pull = readPull(object(body["pull_request"]), own, isRetargeted(body));
  const mergeGroup = readMergeGroup(object(body["merge_group"]));
  const upstream = readUpstream(object(body["workflow_run"]));
  const sha = text(env["GITHUB_SHA"]);
  const actor = text(env["GITHUB_ACTOR"]) ?? "";
  const repository = readRepository(env);
  return {
    event: text(env["GITHUB_EVENT_NAME"]) ?? "",
    repository: repository && { ...repository, id: number(own["id"]) },
    pull,
    mergeGroup,
    upstream,
    before: commit(body["before"]),
    sha,
    ref: text(env["GITHUB_REF"]),
    checkSha: pull?.headSha ?? mergeGroup?.headSha ?? upstream?.headSha ?? sha,
    defaultBranch: text(own["default_branch"]),
    workflow: { name: text(env["GITHUB_WORKFLOW"]) ?? "evals", path: workflowPath(env) },
    ...readRun(env),
    isDependabot: actor === dependabot || pull?.author === dependabot,
  };
}

/** The repository that the workflow runs in; undefined outside GitHub Actions. */
export function readRepository(env: Environment): Repository | undefined {
  const [owner, repo, ...rest] = (env["GITHUB_REPOSITORY"] ?? "").split("/");
  return owner && repo && rest.length === 0 ? { owner, repo } : undefined;
}

/** The change that a pull request or a merge queue's group brings to a branch; undefined if there is none. */
export function changeOf({
  pull,
  mergeGroup,
}: WorkflowContext): { readonly baseSha: string; readonly baseRef: string } | undefined {
  return pull ?? mergeGroup;
}

/** The page of a workflow run of this repository. */
export function runPage({ serverUrl, repository }: WorkflowContext, id: number): string {
  const { owner = "", repo = "" } = repository ?? {};
  return `${serverUrl}/${owner}/${repo}/actions/runs/${id}`;
}

const dependabot = "dependabot[bot]";

function readRun(
  env: Environment,
): Pick<WorkflowContext, "job" | "runId" | "attempt" | "serverUrl" | "runUrl"> {
  const runId = env["GITHUB_RUN_ID"] ?? "";
  const serverUrl = env["GITHUB_SERVER_URL"] || "https://github.com";
  const repository = env["GITHUB_REPOSITORY"];
  return {
    runId,
    attempt: Number(env["GITHUB_RUN_ATTEMPT"]) || 1,
    job: env["GITHUB_JOB"] ?? "",
    serverUrl,
    runUrl: repository && runId ? `${serverUrl}/${repository}/actions/runs/${runId}` : undefined,
  };
}

/**
 * The path in `owner/app/.github/workflows/evals.yml@refs/heads/main`; the name of the branch may contain an `@`, too.
 */
function workflowPath(env: Environment): string | undefined {
  const [, path] =
    /^[^/]+\/[^/]+\/(\.github\/workflows\/[^@]+)@/.exec(env["GITHUB_WORKFLOW_REF"] ?? "") ?? [];
  return path;
}

function isRetargeted({ action, changes }: JsonObject): boolean {
  return action === "edited" && object(changes)["base"] !== undefined;
}

function readPull(
  pull: JsonObject,
  repository: JsonObject,
  retargeted: boolean,
): PullContext | undefined {
  const head = object(pull["head"]);
  const base = object(pull["base"]);
  const found = number(pull["number"]);
  const [headSha, baseSha] = [text(head["sha"]), text(base["sha"])];
  if (found === undefined || headSha === undefined || baseSha === undefined) return undefined;
  const headRepo = object(head["repo"]);
  const ours = object(base["repo"])["id"] ?? repository["id"];
  return {
    number: found,
    headSha,
    headRef: text(head["ref"]) ?? "",
    headRepo: text(headRepo["full_name"]),
    baseSha,
    baseRef: text(base["ref"]) ?? "",
    // Two unknown repositories are not the same.
    isFork: headRepo["id"] === undefined || headRepo["id"] !== ours,
    labels: labelsOf(pull["labels"]),
    author: text(object(pull["user"])["login"]) ?? "",
    isRetargeted: retargeted,
  };
}

function labelsOf(labels: Json | undefined): readonly string[] {
  if (!Array.isArray(labels)) return [];
  return labels.flatMap((label) => text(object(label)["name"]) ?? []);
}

function readMergeGroup(group: JsonObject): MergeGroupContext | undefined {
  const [headSha, baseSha] = [text(group["head_sha"]), text(group["base_sha"])];
  if (headSha === undefined || baseSha === undefined) return undefined;
  const baseRef = (text(group["base_ref"]) ?? "").replace(/^refs\/heads\//, "");
  return { headSha, baseSha, baseRef };
}

function readUpstream(run: JsonObject): UpstreamContext | undefined {
  const [runId, headSha] = [number(run["id"]), text(run["head_sha"])];
  if (runId === undefined || headSha === undefined) return undefined;
  return { runId: String(runId), headSha };
}

/** A commit; undefined if GitHub writes zeros, which mean "no commit before" for a new branch. */
function commit(value: Json | undefined): string | undefined {
  const sha = text(value);
  return sha === undefined || /^0+$/.test(sha) ? undefined : sha;
}

function object(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function text(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function number(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}
