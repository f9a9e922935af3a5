import { runPage, type PullContext, type WorkflowContext } from "../runner/context.ts";
import type { CallResult, GitHub } from "../api/github.ts";
import { matchPulls, notReported, type PullFacts, type RunFacts } from "./fork-run.ts";

/** The workflow run that this one reports on, and the pull requests that it was for. All facts come from GitHub. */
export interface ForeignRun {
  readonly id: number;
  readonly headSha: string;
  /** `owner/repo` of the head. */
  readonly repository: string;
  /** Path of its workflow's file in the head; the base must have a workflow there, too. */
  readonly workflowPath: string;
  readonly url: string;
  readonly pulls: readonly PullContext[];
}

type FoundRun =
  | { readonly kind: "found"; readonly run: ForeignRun }
  /** There is nothing to report, and nobody made a mistake. The reason is a sentence. */
  | { readonly kind: "nothing"; readonly reason: string };

/** Asks GitHub for the run that ended, and for its pull request. Two calls. */
export async function findForeignRun(
  context: WorkflowContext,
  github: GitHub,
): Promise<CallResult<FoundRun>> {
  const doing = {
    what: "finding the run to report on",
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
  // Null if the fork was deleted, contrary to the API description.
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
