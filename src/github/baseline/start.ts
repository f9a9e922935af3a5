import { changeOf, type WorkflowContext } from "../runner/context.ts";
import { traitsOf } from "../runner/events.ts";
import type { CommitFacts } from "../api/commits.ts";

/** From where the base branch is walked back, by the event. */
export interface Start {
  /**
   * `commit`: that one is the base commit. `first_parent`: its first parent is, if it is what `merges` says.
   * `merge_base`: what the two have in common.
   */
  readonly at:
    | { readonly kind: "commit"; readonly sha: string }
    | {
        readonly kind: "first_parent";
        readonly sha: string;
        /** The second parent that it must have; undefined: none is asked for. */
        readonly merges: string | undefined;
        /** The base commit if it has another second parent. */
        readonly otherwise: string | undefined;
      }
    | { readonly kind: "merge_base"; readonly base: string; readonly head: string };
  /** Where the base's runs were made: the base branch, then the default branch, which it may have come from. */
  readonly branches: readonly string[];
}

/**
 * The base of each event. `checkedOut` is the commit that is in the workspace, where that is known: a pull request's
 * merge commit stands on the base branch's tip, its head alone stands on what they have in common. Pure.
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
  // pull_request_target runs on the default branch: its commit is not the one that is judged.
  if (!traitsOf(event).isMerged || sha === undefined) return ofCommit(pull.baseSha);
  if (checkedOut === pull.headSha && pull.headSha !== sha)
    return { kind: "merge_base", base: pull.baseSha, head: pull.headSha };
  return { kind: "first_parent", sha, merges: pull.headSha, otherwise: pull.baseSha };
}

function ofCommit(sha: string): Start["at"] {
  return { kind: "commit", sha };
}

/** A push of a tag follows no commit of its own. */
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

/** The base commit of a merge commit, or of a branch's first commit: undefined where it is not what it should be. Pure. */
export function baseCommitOf(
  at: Extract<Start["at"], { kind: "first_parent" }>,
  commits: readonly CommitFacts[],
): string | undefined {
  const found = commits.find(({ sha }) => sha === at.sha);
  const [first, second] = found?.parents ?? [];
  if (at.merges === undefined) return first;
  return second === at.merges ? first : at.otherwise;
}
