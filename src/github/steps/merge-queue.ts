import type { Verdict } from "../../model/outcomes/verdict.ts";
import type { CommentMode } from "../runner/comment-mode.ts";
import { findToldPulls } from "../api/merge-group.ts";
import { postComment } from "../comment/queue-comment.ts";
import { workspaceRoot } from "../runner/workspace.ts";
import { queueComment } from "../../report/merge-queue.ts";
import { circumstancesOf } from "./circumstances.ts";
import { viewOf, type StepEnd } from "./ends.ts";
import type { GitHubAccess, Step } from "./step.ts";

interface FailedGroup {
  readonly ends: readonly StepEnd[];
  readonly failOn: readonly Verdict[];
  readonly comment: CommentMode;
  readonly access: GitHubAccess;
}

/**
 * Tells the pull requests of a merge queue's group why its run failed, because GitHub removes them from the queue
 * silently, and nobody looks at the deleted branch. Returns the address of the first comment, or "". A pull request is
 * told only if GitHub's API confirms that it belongs to the group.
 */
export async function tellGroup(group: FailedGroup, step: Step): Promise<string> {
  const { access, comment } = group;
  const { context, signal, log } = step;
  const { mergeGroup, ref } = context;
  if (mergeGroup === undefined || access.github === undefined) return "";
  if (context.event !== "merge_group" || comment === "never" || signal.aborted) return "";
  const github = await access.github();
  const doing = {
    what: "finding the pull requests of the merge queue's group",
    permission: "pull-requests: write",
  };
  const found = await github.attempt(doing, () => findToldPulls(mergeGroup, ref, github));
  if (found.kind === "failed") {
    // A branch can be named after a pull request that does not exist.
    if (found.reason === "missing") log.info(found.problem.message);
    else access.tellFailure(found);
    return "";
  }
  if (found.value.kind === "unknown") {
    log.info(`No pull request is told of this group of the merge queue: ${found.value.why}.`);
    return "";
  }
  const body = bodyOf(group, step);
  let first = "";
  for (const { number } of found.value.pulls) {
    const posted = await postComment(github, number, body);
    if (posted.kind === "failed") access.tellFailure(posted);
    else first ||= posted.value;
  }
  return first;
}

function bodyOf({ ends, failOn }: FailedGroup, { context, env, secrets }: Step): string {
  const workspace = workspaceRoot(env);
  const known = { artifactId: undefined, workspace, severalSuites: ends.length > 1 };
  const red = ends.filter((end) => isRed(end, failOn));
  const views = red.map((end) => viewOf(end, circumstancesOf(end, context, known)));
  const [any] = views;
  return any === undefined ? "" : secrets.redact(queueComment(views, any.circumstances));
}

function isRed(end: StepEnd, failOn: readonly Verdict[]): boolean {
  switch (end.kind) {
    case "finished":
      return failOn.includes(end.run.gate.verdict);
    case "refused":
      return true;
    case "not_run":
      return failOn.includes("neutral");
  }
}
