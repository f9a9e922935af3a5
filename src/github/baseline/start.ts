import { changeOf, type WorkflowContext } from "../runner/context.ts";
import { traitsOf } from "../runner/events.ts";
import type { CommitFacts } from "../api/commits.ts";

/** Start of the comparison on the base branch, which depends on the event. */
export interface Start {
  /**
   * `commit`: the base commit itself. `first_parent`: the base is the first parent of that commit if the second parent
   * is `merges`, else `otherwise`. `merge_base`: the common ancestor of both commits.
   */
  readonly at:
    | { readonly kind: "commit"; readonly sha: string }
    | {
        readonly kind: "first_parent";
        readonly sha: string;
        /** The required second parent; undefined: any. */
        readonly merges: string | undefined;
        /** The base commit if the second parent is another one. */
        readonly otherwise: string | undefined;
      }
    | { readonly kind: "merge_base"; readonly base: string; readonly head: string };
  /**
   * Branches on which the base's runs were made: the base branch, then the default branch, from which it may have been
   * created.
   */
  readonly branches: readonly string[];
}

/**
 * The base of each event. `checkedOut`: the commit in the workspace, if known. A pull request's merge commit is based
 * on the tip of the base branch, its head on the common ancestor. Pure.
 */
export function startOf(
  context: WorkflowContext,
  checkedOut: string | undefined,
): Start | undefined {
  const { pull, sha } = context;
  const change = changeOf(context);
  if (change !== undefined) {
    const at = pull === undefined ? ofCommit(change.baseSha) : ofPull(context, pull, checkedOut);
    return { at, branches: branchesOf(change.baseRef, context) };
  }
  if (sha === undefined) return undefined;
  const branches = branchesOf(branchOf(context.ref), context);
  return branches.length === 0 ? undefined : { at: ofBranch(context, sha), branches };
}

function ofPull(
  { event, sha }: WorkflowContext,
  pull: { readonly headSha: string; readonly baseSha: string; readonly baseRef: string },
  checkedOut: string | undefined,
): Start["at"] {
  // Other events than pull_request run on the default branch or on the head: their commit is no merge.
  const merge = traitsOf(event).isMerged === true ? sha : undefined;
  if (checkedOut === pull.headSha && pull.headSha !== merge)
    return { kind: "merge_base", base: pull.baseSha, head: pull.headSha };
  if (merge === undefined) return ofCommit(pull.baseSha);
  return { kind: "first_parent", sha: merge, merges: pull.headSha, otherwise: pull.baseSha };
}

function ofCommit(sha: string): Start["at"] {
  return { kind: "commit", sha };
}

/** Start for an event of a branch. A pushed tag has no previous commit of its own. */
function ofBranch({ event, before, ref }: WorkflowContext, sha: string): Start["at"] {
  if (!traitsOf(event).followsBefore || branchOf(ref) === undefined) return ofCommit(sha);
  if (before !== undefined) return ofCommit(before);
  return { kind: "first_parent", sha, merges: undefined, otherwise: undefined };
}

function branchesOf(
  branch: string | undefined,
  { defaultBranch }: WorkflowContext,
): readonly string[] {
  return [
    ...new Set([branch, defaultBranch].filter((name) => name !== undefined && name !== "")),
  ].filter((name) => name !== undefined);
}

function branchOf(ref: string | undefined): string | undefined {
  return ref?.startsWith("refs/heads/") === true ? ref.slice("refs/heads/".length) : undefined;
}

/**
 * The base commit of a merge commit, or of a branch's first commit; undefined if the parents are not as expected. Pure.
 */
export function baseCommitOf(
  at: Extract<Start["at"], { kind: "first_parent" }>,
  commits: readonly CommitFacts[],
): string | undefined {
  const found = commits.find(({ sha }) => sha === at.sha);
  const [first, second] = found?.parents ?? [];
  if (at.merges === undefined) return first;
  return second === at.merges ? first : at.otherwise;
}
