import { problem, type Problem } from "../../model/refusal.ts";
import type { Doing, FailedCall, GitHub } from "../api/github.ts";
import type { CommitFacts } from "../api/commits.ts";
import type { ArtifactFacts, WorkflowRun } from "./choose.ts";

/** The calls of GitHub's API that a lookup needs. They throw errors that `attempt` catches. */
export interface BaselineApi {
  readonly listCommits: (from: string, page: number) => Promise<readonly CommitFacts[]>;
  readonly mergeBase: (base: string, head: string) => Promise<string>;
  readonly listRuns: (asked: RunsAsked) => Promise<readonly WorkflowRun[]>;
  /** All artifacts of a run, of every attempt. */
  readonly listRunArtifacts: (runId: number) => Promise<readonly ArtifactFacts[]>;
  /** Artifacts of all runs, the newest first, including those of forks. */
  readonly listArtifacts: (name: string, page?: number) => Promise<readonly ArtifactFacts[]>;
  readonly readRun: (runId: number) => Promise<WorkflowRun>;
}

interface RunsAsked {
  /** The workflow's file, without its folder. */
  readonly workflow: string;
  readonly event: string;
  /** undefined: all branches. */
  readonly branch: string | undefined;
}

export const commitsPerPage = 100;
export const runsPerPage = 100;
export const artifactsPerPage = 100;
/** Limit of pages: 256 jobs with ten artifacts each. */
const mostPages = 26;

/** Makes the calls from `GitHub.request`. */
export function createBaselineApi(github: GitHub): BaselineApi {
  return {
    listCommits: (from, page) => listCommits({ from, page }, github),
    mergeBase: (base, head) => mergeBase({ base, head }, github),
    listRuns: (asked) => listRuns(asked, github),
    listRunArtifacts: (runId) => listRunArtifacts(runId, github),
    listArtifacts: (name, page = 1) => listArtifacts({ name, page }, github),
    readRun: (runId) => readRun(runId, github),
  };
}

async function listCommits(
  { from, page }: { readonly from: string; readonly page: number },
  { request, repository }: GitHub,
): Promise<readonly CommitFacts[]> {
  const { data } = await request("GET /repos/{owner}/{repo}/commits", {
    ...repository,
    sha: from,
    page,
    per_page: commitsPerPage,
  });
  return data.map(({ sha, parents }) => ({ sha, parents: parents.map((parent) => parent.sha) }));
}

async function mergeBase(
  { base, head }: { readonly base: string; readonly head: string },
  { request, repository }: GitHub,
): Promise<string> {
  const { data } = await request("GET /repos/{owner}/{repo}/compare/{basehead}", {
    ...repository,
    basehead: `${base}...${head}`,
    per_page: 1,
  });
  return data.merge_base_commit.sha;
}

async function listRuns(
  { workflow, event, branch }: RunsAsked,
  { request, repository }: GitHub,
): Promise<readonly WorkflowRun[]> {
  const { data } = await request("GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs", {
    ...repository,
    workflow_id: workflow,
    event,
    ...(branch !== undefined && { branch }),
    status: "completed",
    exclude_pull_requests: true,
    per_page: runsPerPage,
  });
  return data.workflow_runs.map(readWorkflowRun);
}

/**
 * Lists a run's artifacts. Usually they fill one page; a wide matrix has more. A truncated list is an error, because
 * the wanted artifact may be missing from it.
 */
async function listRunArtifacts(
  runId: number,
  { request, repository }: GitHub,
): Promise<readonly ArtifactFacts[]> {
  const all: ArtifactFacts[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const { data } = await request("GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", {
      ...repository,
      run_id: runId,
      per_page: artifactsPerPage,
      page,
    });
    all.push(...data.artifacts.map(readArtifact));
    if (data.artifacts.length < artifactsPerPage) return all;
  }
  const message = `the run ${runId} has more than ${mostPages * artifactsPerPage} artifacts`;
  throw Object.assign(new Error(message), { status: 422 });
}

async function readRun(runId: number, { request, repository }: GitHub): Promise<WorkflowRun> {
  const { data } = await request("GET /repos/{owner}/{repo}/actions/runs/{run_id}", {
    ...repository,
    run_id: runId,
  });
  return readWorkflowRun(data);
}

async function listArtifacts(
  { name, page }: { readonly name: string; readonly page: number },
  { request, repository }: GitHub,
): Promise<readonly ArtifactFacts[]> {
  const { data } = await request("GET /repos/{owner}/{repo}/actions/artifacts", {
    ...repository,
    name,
    per_page: artifactsPerPage,
    page,
  });
  return data.artifacts.map(readArtifact);
}

/** The facts of a run, from the API's answer. */
function readWorkflowRun(run: {
  readonly id: number | bigint;
  readonly event: string;
  readonly status: string | null;
  readonly conclusion: string | null;
  readonly head_branch: string | null;
  readonly head_sha: string;
  readonly path: string;
  readonly repository: { readonly id: number | bigint };
  /** null if the fork was deleted, although the API's description does not allow it. */
  readonly head_repository?: { readonly id: number | bigint } | null;
}): WorkflowRun {
  return {
    id: Number(run.id),
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    headBranch: run.head_branch,
    headSha: run.head_sha,
    path: run.path,
    repositoryId: Number(run.repository.id),
    headRepositoryId: run.head_repository ? Number(run.head_repository.id) : undefined,
  };
}

function readArtifact(artifact: {
  readonly id: number;
  readonly name: string;
  readonly size_in_bytes: number;
  readonly expired: boolean;
  readonly digest?: string | null;
  readonly workflow_run?: {
    readonly id?: number;
    readonly head_sha?: string;
    readonly repository_id?: number;
    readonly head_repository_id?: number;
  } | null;
}): ArtifactFacts {
  const { workflow_run: run } = artifact;
  return {
    id: artifact.id,
    name: artifact.name,
    bytes: artifact.size_in_bytes,
    expired: artifact.expired,
    digest: artifact.digest ?? undefined,
    runId: run?.id,
    headSha: run?.head_sha,
    isOwn: run?.repository_id !== undefined && run.repository_id === run.head_repository_id,
  };
}

/** Calls GitHub. A failed call is reported with its consequence: there is no comparison. */
export type CallGitHub = <T>(doing: Doing, work: () => Promise<T>) => Promise<Answered<T>>;

export type Answered<T> =
  | { readonly kind: "done"; readonly value: T }
  | {
      readonly kind: "failed";
      readonly reason: string;
      /** Advice, as one sentence. */
      readonly remedy: string;
      /** Status of GitHub's answer; undefined if there was none. */
      readonly status?: number | undefined;
    };

/** Makes a function that calls GitHub and warns if a call fails. */
export function createCallGitHub(github: GitHub, warn: (problem: Problem) => void): CallGitHub {
  return async (doing, work) => {
    const attempt = await github.attempt(doing, work);
    if (attempt.kind === "done") return attempt;
    const reason = attempt.problem.message;
    const remedy = remedyOf(attempt, doing);
    if (attempt.reason !== "cancelled") warn(problem("baseline_lookup_failed", { reason, remedy }));
    const { status } = attempt;
    return { kind: "failed", reason, remedy, status };
  };
}

/** Advice for a failed call. GitHub also answers 404 if the token lacks a permission. */
function remedyOf({ reason, status }: FailedCall, { permission }: Doing): string {
  if (status === 401)
    return "Give the input `token` a token that is valid, then run this job again.";
  switch (reason) {
    case "forbidden":
    case "missing":
      return `Give the job the permission '${permission}', then run it again.`;
    case "gone":
    case "refused":
    case "limited":
    case "down":
    case "cancelled":
      return "Run this job again.";
  }
}
