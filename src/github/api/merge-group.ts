import type { MergeGroupContext } from "../runner/context.ts";
import { queuedPull } from "../runner/events.ts";
import { groupCommits } from "./commits.ts";
import type { GitHub } from "./github.ts";

/** A pull request whose labels count. */
export interface LabelledPull {
  readonly number: number;
  readonly headSha: string;
  readonly headRef: string;
  readonly headRepo: string | undefined;
  /** Author of the pull request; undefined if GitHub does not tell. */
  readonly author: string | undefined;
}

/**
 * The pull requests in a group of a merge queue. `unknown`: they can't be determined; the reason is given as a sentence
 * and as a clause.
 */
export type GroupPulls =
  | {
      readonly kind: "known";
      readonly pulls: readonly LabelledPull[];
      /**
       * True if the group's commits name the heads of the pull requests; false if only the name of the group's branch
       * does.
       */
      readonly isByCommit: boolean;
    }
  | { readonly kind: "unknown"; readonly reason: string; readonly why: string };

/**
 * Finds the pull requests of a group. The name of the group's branch names one. Its head is based on the entry before
 * it, so it is nearly always the only one. Otherwise the group's own commits name the others; if they don't, none is
 * assumed. Two calls, some more for a group of several.
 */
export async function findGroupPulls(
  group: MergeGroupContext,
  ref: string | undefined,
  github: GitHub,
): Promise<GroupPulls> {
  const queued = queuedPull(ref, group.baseRef);
  if (queued === undefined) return unknown("its branch is not named after a pull request");
  const { request, repository } = github;
  const { data } = await request("GET /repos/{owner}/{repo}/pulls/{pull_number}", {
    ...repository,
    pull_number: queued,
  });
  if (data.base.ref !== group.baseRef) return unknown(`#${queued} is for another branch`);
  if (data.state !== "open") return unknown(`#${queued} is closed`);
  const named = { ...pullOf(data), commits: data.commits };
  const { data: head } = await request("GET /repos/{owner}/{repo}/commits/{ref}", {
    ...repository,
    ref: group.headSha,
  });
  const [first, merged] = head.parents;
  if (first?.sha !== group.baseSha) return findOthers(group, named, github);
  if (merged !== undefined && merged.sha !== named.headSha)
    return unknown(`#${queued} stands at another commit than the group's`);
  return { kind: "known", pulls: [named], isByCommit: merged !== undefined };
}

/**
 * Finds the pull requests that may be told about a group's run. Anybody with push access can create a branch with such
 * a name, which GitHub does not vouch for. So either the group's commits must name the head, or the name must end in
 * the commit that the event gives as its base, as GitHub writes it.
 */
export async function findToldPulls(
  group: MergeGroupContext,
  ref: string | undefined,
  github: GitHub,
): Promise<GroupPulls> {
  const found = await findGroupPulls(group, ref, github);
  if (found.kind === "unknown" || found.isByCommit) return found;
  const isOnBase = group.baseSha !== "" && ref?.endsWith(`-${group.baseSha}`) === true;
  return isOnBase ? found : unknown("its branch does not end in the commit that it stands on");
}

async function findOthers(
  group: MergeGroupContext,
  named: LabelledPull & { readonly commits: number },
  github: GitHub,
): Promise<GroupPulls> {
  const { request, repository } = github;
  const { data } = await request("GET /repos/{owner}/{repo}/compare/{basehead}", {
    ...repository,
    basehead: `${group.baseSha}...${group.headSha}`,
    per_page: 100,
  });
  const listed = data.commits.map(({ sha, parents }) => ({
    sha,
    parents: parents.map((parent) => parent.sha),
  }));
  const own = groupCommits(listed, group);
  if (own === undefined) return unknown("it has too many commits");
  // A queue that rebases puts each commit of a pull request on the base.
  const isRebased = own.every(({ parents }) => parents.length === 1);
  if (isRebased && own.length === named.commits)
    return { kind: "known", pulls: [named], isByCommit: false };
  const pulls: LabelledPull[] = [];
  for (const { parents } of own) {
    const [, merged] = parents;
    const pull =
      merged === named.headSha ? named : merged && (await findMerged(merged, group, github));
    if (!pull) return unknown("its commits don't tell of which pull requests they are");
    pulls.push(pull);
  }
  return { kind: "known", pulls, isByCommit: true };
}

async function findMerged(
  sha: string,
  { baseRef }: MergeGroupContext,
  { request, repository }: GitHub,
): Promise<LabelledPull | undefined> {
  const { data } = await request("GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls", {
    ...repository,
    commit_sha: sha,
    per_page: 100,
  });
  const found = data.filter(
    (pull) => pull.state === "open" && pull.head.sha === sha && pull.base.ref === baseRef,
  );
  const [only, ...others] = found;
  return only !== undefined && others.length === 0 ? pullOf(only) : undefined;
}

function pullOf(pull: {
  readonly number: number;
  readonly head: {
    readonly sha: string;
    readonly ref: string;
    /** The API's description does not allow null here, but it occurs if a fork was deleted. */
    readonly repo: { readonly full_name: string } | null;
  };
  readonly user: { readonly login: string } | null;
}): LabelledPull {
  const { sha: headSha, ref: headRef, repo } = pull.head;
  const author = pull.user?.login;
  return { number: pull.number, headSha, headRef, headRepo: repo?.full_name, author };
}

function unknown(why: string): GroupPulls {
  const reason = `No label counts for this group of the merge queue: which pull requests are in it is not known, as ${why}.`;
  return { kind: "unknown", reason, why };
}
