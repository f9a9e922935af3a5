import { join } from "node:path";
import { problem, Refusal } from "../../model/refusal.ts";
import { findPullOfHead } from "../api/pull-of-head.ts";
import { changeOf, type WorkflowContext } from "../runner/context.ts";
import { traitsOf } from "../runner/events.ts";
import type { Settings } from "../runner/inputs.ts";
import { noteOf } from "../runner/log.ts";
import { workspaceRoot } from "../runner/workspace.ts";
import { readCheckout } from "../../wiring.ts";
import type { GitHubAccess, Step } from "./step.ts";

type Checkout = Awaited<ReturnType<typeof readCheckout>>;

/**
 * The context of the commit that is judged. A check belongs to a commit, and a check with the gate's name counts for a
 * pull request whatever event made it: a run that someone starts on a branch, or a push to it, is judged like its pull
 * request. Throws a Refusal if the event's change is not the one that is checked out.
 */
export async function contextOfJudged(
  { settings, access }: { readonly settings: Settings; readonly access: GitHubAccess },
  step: Step,
): Promise<WorkflowContext> {
  const { context, env } = step;
  // A report takes everything from GitHub, and nothing from the checkout.
  if (settings.mode === "report" || context.repository === undefined) return context;
  const checkout = await readCheckout(join(workspaceRoot(env), settings.workingDirectory));
  if (changeOf(context) !== undefined) {
    if (settings.results === undefined) checkChange(context, checkout);
    return context;
  }
  if (traitsOf(context.event).bringsChange && settings.policyFrom === "auto")
    throw new Refusal(problem("event_unreadable", { event: context.event }), { exit: 4 });
  return await withPull(context, { checkout, access, step });
}

/** Refuses a checkout of the base: its verdict would be shown as the change's. */
function checkChange(context: WorkflowContext, checkout: Checkout): void {
  const { event, pull, mergeGroup, sha } = context;
  const head = (pull ?? mergeGroup)?.headSha ?? "";
  if (checkout === undefined || [checkout.sha, ...checkout.parents].includes(head)) return;
  // For pull_request_target, GITHUB_SHA is the base's commit; for other events it is the one to judge.
  const isOnBase = pull !== undefined && traitsOf(event).isMerged !== true;
  const bases = [changeOf(context)?.baseSha, ...(isOnBase ? [sha] : [])];
  const { sha: found } = checkout;
  if (bases.includes(found))
    throw new Refusal(problem("change_not_checked_out", { event, found, head }));
  // The runner says which commit it is, and the commit what it merges; the payload is a file that any step may write.
  const isMerge = traitsOf(event).isMerged === true && found === sha && checkout.parents.length > 1;
  if (isMerge) throw new Refusal(problem("event_of_other_commit", { found, head }), { exit: 4 });
}

interface Asking {
  readonly checkout: Checkout;
  readonly access: GitHubAccess;
  readonly step: Step;
}

async function withPull(
  context: WorkflowContext,
  { checkout, access, step }: Asking,
): Promise<WorkflowContext> {
  const shas = headsOf(context, checkout);
  if (shas.length === 0 || access.github === undefined) return context;
  const github = await access.github();
  const doing = {
    what: "finding the pull request of this commit",
    permission: "pull-requests: read",
    decides: true,
  };
  const asked = { shas, defaultBranch: context.defaultBranch };
  const found = await github.attempt(doing, () => findPullOfHead(asked, github));
  if (found.kind === "failed") {
    const { problem: trouble, reason } = found;
    const isDenied = reason === "forbidden" || reason === "missing";
    if (!isDenied) throw new Refusal(trouble, { exit: reason === "cancelled" ? 130 : 4 });
    step.log.warning(noteOf(problem("pull_of_head_unknown", { reason: trouble.message })));
    return context;
  }
  const { value } = found;
  if (value.kind === "none") return context;
  if (value.kind === "several")
    throw new Refusal(problem("pull_of_several_bases", { bases: value.bases }));
  const { pull } = value;
  step.log.info(
    `This commit is the head of pull request ${pull.number}: it is judged as a change of ${pull.baseRef}.`,
  );
  return { ...context, pull, checkSha: pull.headSha };
}

/**
 * The commits that may be the head of a pull request: the one that is checked out, the commits that it merges, and the
 * event's. None for the default branch's own commit, which is accepted.
 */
function headsOf(
  { ref, sha, defaultBranch }: WorkflowContext,
  checkout: Checkout,
): readonly string[] {
  const isAccepted = defaultBranch !== undefined && ref === `refs/heads/${defaultBranch}`;
  const own = isAccepted ? [] : [sha];
  const isOther = checkout !== undefined && checkout.sha !== sha;
  const here = isOther ? [checkout.sha, checkout.parents[1]] : [];
  return [...new Set([...here, ...own])].filter((each) => each !== undefined);
}
