import { posix } from "node:path";
import { isJsonObject } from "../../model/json.ts";
import { policyLabelOf } from "../../model/outcomes/policy.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { WorkflowContext } from "../runner/context.ts";
import type { GitHub } from "./github.ts";
import {
  chooseLastRun,
  noLastRun,
  type HeadAsked,
  type HeadRun,
  type LastRun,
} from "./head-runs.ts";

/** An event of a pull request that changes neither its commits nor, as far as the event shows, its approvals. */
export interface QuietEvent {
  /** The label that was added or removed; undefined: title or text were edited. */
  readonly label: string | undefined;
}

/** Reads a quiet event from the payload; undefined if the event may change the verdict. Pure. */
export function readQuietEvent(
  { event, pull, attempt }: WorkflowContext,
  payload: unknown,
): QuietEvent | undefined {
  // A person who requests a re-run wants more than the same verdict.
  if (event !== "pull_request" || pull === undefined || attempt !== 1) return undefined;
  if (!isJsonObject(payload)) return undefined;
  const { action, label, changes } = payload;
  if (action === "labeled" || action === "unlabeled") {
    const name = isJsonObject(label) ? label["name"] : undefined;
    return typeof name === "string" && name !== "" ? { label: name } : undefined;
  }
  if (action !== "edited" || !isJsonObject(changes)) return undefined;
  return changes["base"] === undefined ? { label: undefined } : undefined;
}

/** Asks GitHub for the runs of the head commit, with any conclusion. One call. */
export async function findLastRun(
  asked: HeadAsked,
  { request, repository }: GitHub,
): Promise<LastRun> {
  const { data } = await request("GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs", {
    ...repository,
    workflow_id: posix.basename(asked.workflowPath),
    event: "pull_request",
    head_sha: asked.headSha,
    per_page: mostRuns,
  });
  if (data.workflow_runs.length >= mostRuns || data.total_count > data.workflow_runs.length)
    return noLastRun("there are too many earlier runs for this commit");
  const runs = data.workflow_runs.map((run): HeadRun => {
    // Null if the fork was deleted, contrary to the API description.
    const head: { readonly id: number | bigint } | undefined = run.head_repository ?? undefined;
    return {
      id: Number(run.id),
      attempt: run.run_attempt ?? 1,
      event: run.event,
      status: run.status,
      conclusion: run.conclusion,
      headSha: run.head_sha,
      path: run.path,
      isOwnRepository: head !== undefined && Number(head.id) === Number(run.repository.id),
      startedAt: run.run_started_at ?? run.created_at,
    };
  });
  return chooseLastRun(runs, asked);
}

const mostRuns = 100;

/** The event, and the state when it arrived. */
interface QuietNow {
  readonly quiet: QuietEvent;
  /** GITHUB_SHA: the merge commit, which identifies head and base. */
  readonly sha: string | undefined;
  /** Labels of the pull request. */
  readonly labels: readonly string[];
  /** The tree whose policy judges; undefined: the suite's own policy does. */
  readonly policy: { readonly sha: string | null } | undefined;
}

/** The reason why a suite's earlier run can't be reused, as a clause; undefined if it can. Pure. */
export function whyNotSame(run: Run, { quiet, sha, labels, policy }: QuietNow): string | undefined {
  if (run.status !== "completed" || run.shard !== undefined)
    return "the earlier run did not come to a verdict of its own";
  if (sha === undefined || run.git.sha !== sha)
    return "the earlier run was of another commit or base";
  // A folder has no commit by which it could be compared.
  if (policy?.sha === null || run.policy?.sha !== policy?.sha)
    return "the earlier run was judged by another policy";
  const { gate } = run.suite;
  const accept = gate === "none" ? undefined : gate.accept_label;
  const ours = [policyLabelOf(gate), accept].map(lower);
  if (quiet.label !== undefined && ours.includes(lower(quiet.label)))
    return `the label '${quiet.label}' is one that the suite asks for`;
  const on = labels.map(lower);
  const { policy: approved, loss } = run.approvals ?? {};
  const isGone = [approved, loss].some((given) => given && !on.includes(lower(given.label)));
  return isGone ? "a label that approved the earlier run was taken off" : undefined;
}

function lower(text: string | undefined): string | undefined {
  return text?.toLowerCase();
}
