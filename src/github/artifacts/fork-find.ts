import { runPage, type PullContext, type WorkflowContext } from "../runner/context.ts";
import type { CallResult, GitHub } from "../api/github.ts";

/** The workflow run that this one reports on, and the pull requests that it was for: all of it by GitHub's word. */
export interface ForeignRun {
  readonly id: number;
  readonly headSha: string;
  /** `owner/repo` of the head. */
  readonly repository: string;
  /** Its workflow's file, as the head has it: the base must have one there too. */
  readonly workflowPath: string;
  readonly url: string;
  readonly pulls: readonly PullContext[];
}

type FoundRun =
  | { readonly kind: "found"; readonly run: ForeignRun }
  /** There is nothing to report, and nobody's mistake. A sentence. */
  | { readonly kind: "nothing"; readonly reason: string };

/** A run as the API tells of it. */
export interface RunFacts {
  readonly id: number;
  readonly event: string;
  readonly conclusion: string | null;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly path: string;
  readonly actor: string | undefined;
  readonly repositoryId: number;
  readonly head: { readonly id: number; readonly name: string; readonly owner: string } | undefined;
}

/** A pull request as the API tells of it. */
export interface PullFacts extends Omit<
  PullContext,
  "isFork" | "isDraft" | "labels" | "isRetargeted"
> {
  readonly headRepoId: number | undefined;
  readonly baseRepoId: number;
  readonly state: string;
}

const dependabot = "dependabot[bot]";

/** Why a run is none to report on; undefined where it is one. Pure. */
export function notReported(run: RunFacts): string | undefined {
  if (run.event !== "pull_request")
    return `The run was of the event ${run.event}, not of a pull request.`;
  if (run.conclusion !== "success" && run.conclusion !== "failure")
    return `The run ended as ${run.conclusion ?? "nothing"}: it has judged nothing.`;
  if (run.head === undefined || run.headBranch === null)
    return "The fork that the run was for is gone.";
  if (run.head.id === run.repositoryId && run.actor !== dependabot)
    return "The run was for this repository's own branch: it has told its verdict itself.";
  if (!/^\.github\/workflows\/[^/\\]+\.ya?ml$/.test(run.path))
    return `The run was of ${run.path}, which is no workflow of this repository.`;
  return undefined;
}

/**
 * The open pull requests that a run was for: of its very head commit, from its very repository, to this one. A branch's
 * name proves nothing, and a number in an artifact less. Pure.
 */
export function matchPulls(pulls: readonly PullFacts[], run: RunFacts): readonly PullContext[] {
  return pulls
    .filter(
      (pull) =>
        pull.state === "open" &&
        pull.headSha === run.headSha &&
        pull.headRepoId !== undefined &&
        pull.headRepoId === run.head?.id &&
        pull.baseRepoId === run.repositoryId,
    )
    .map(({ number, headSha, headRef, headRepo, baseSha, baseRef, author, ...pull }) => ({
      number,
      headSha,
      headRef,
      headRepo,
      baseSha,
      baseRef,
      author,
      isFork: pull.headRepoId !== pull.baseRepoId,
      isDraft: false,
      labels: [],
      isRetargeted: false,
    }));
}

/** Asks GitHub which run it was that ended, and whose pull request. Two calls. */
export async function findForeignRun(
  context: Pick<WorkflowContext, "upstream" | "serverUrl" | "repository">,
  github: GitHub,
): Promise<CallResult<FoundRun>> {
  const doing = {
    what: "the look for the run that is reported on",
    permission: "actions: read and pull-requests: read",
    decides: true,
  };
  return github.attempt(doing, async () => {
    const { upstream } = context;
    if (upstream === undefined)
      return { kind: "nothing", reason: "This event names no run that has ended." };
    const run = await readRun(upstream.runId, github);
    const reason = notReported(run);
    if (reason !== undefined || run.head === undefined)
      return { kind: "nothing", reason: reason ?? "" };
    const pulls = matchPulls(await listPulls(run, github), run);
    if (pulls.length === 0)
      return {
        kind: "nothing",
        reason: `No open pull request stands at ${run.headSha.slice(0, 12)} of ${run.head.name} any more: a newer run reports on it.`,
      };
    const { id, headSha, path: workflowPath } = run;
    const repository = run.head.name;
    const url = runPage(context, id);
    return { kind: "found", run: { id, headSha, repository, workflowPath, url, pulls } };
  });
}

async function readRun(id: string, { request, repository }: GitHub): Promise<RunFacts> {
  const { data } = await request("GET /repos/{owner}/{repo}/actions/runs/{run_id}", {
    ...repository,
    run_id: Number(id),
  });
  // Null where the fork is gone, whatever the description says.
  const head: typeof data.head_repository | null = data.head_repository;
  return {
    id: Number(data.id),
    event: data.event,
    conclusion: data.conclusion,
    headSha: data.head_sha,
    headBranch: data.head_branch,
    path: data.path.split("@", 1)[0] ?? "",
    actor: data.actor?.login,
    repositoryId: Number(data.repository.id),
    head: head ? { id: Number(head.id), name: head.full_name, owner: head.owner.login } : undefined,
  };
}

async function listPulls(
  { head, headBranch }: RunFacts,
  { request, repository }: GitHub,
): Promise<readonly PullFacts[]> {
  const { data } = await request("GET /repos/{owner}/{repo}/pulls", {
    ...repository,
    head: `${head?.owner ?? ""}:${headBranch ?? ""}`,
    state: "open",
    per_page: 100,
  });
  return data.map((pull) => {
    const repo: { readonly id: number | bigint; readonly full_name: string } | null =
      pull.head.repo;
    return {
      number: pull.number,
      state: pull.state,
      headSha: pull.head.sha,
      headRef: pull.head.ref,
      headRepo: repo?.full_name,
      headRepoId: repo ? Number(repo.id) : undefined,
      baseSha: pull.base.sha,
      baseRef: pull.base.ref,
      baseRepoId: Number(pull.base.repo.id),
      author: pull.user?.login ?? "",
    };
  });
}
