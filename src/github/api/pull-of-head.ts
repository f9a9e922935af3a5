import type { PullContext } from "../runner/context.ts";
import type { GitHub } from "./github.ts";

/** The open pull request whose head a run judges. */
type PullOfHead =
  | { readonly kind: "pull"; readonly pull: PullContext }
  | { readonly kind: "none" }
  /** There are several with different bases, none of which is the default branch, and each base has its own rules. */
  | { readonly kind: "several"; readonly bases: readonly string[] };

interface CommitsAsked {
  /** The commits that may be a pull request's head. */
  readonly shas: readonly string[];
  readonly defaultBranch: string | undefined;
}

/**
 * Asks GitHub for the open pull requests whose head is one of these commits, whatever their branches are called. Of
 * several with different bases, the one to the default branch is used. One call for each commit, and one for the heads
 * of forks, which GitHub does not list by commit.
 */
export async function findPullOfHead(
  { shas, defaultBranch }: CommitsAsked,
  github: GitHub,
): Promise<PullOfHead> {
  for (const list of [...shas.map((sha) => () => listOf(sha, github)), () => listNewest(github)]) {
    const pulls = (await list()).filter(({ headSha }) => shas.includes(headSha));
    if (pulls.length > 0) return choose(pulls, defaultBranch);
  }
  return { kind: "none" };
}

/** Chooses the pull request to the default branch if there are several. Pure. */
function choose(pulls: readonly PullContext[], defaultBranch: string | undefined): PullOfHead {
  const sorted = pulls.toSorted((a, b) => a.number - b.number);
  const bases = [...new Set(sorted.map(({ baseRef }) => baseRef))];
  const wanted = bases.length === 1 ? bases[0] : defaultBranch;
  const pull = sorted.find(({ baseRef }) => baseRef === wanted);
  return pull === undefined ? { kind: "several", bases } : { kind: "pull", pull };
}

async function listOf(
  sha: string,
  { request, repository }: GitHub,
): Promise<readonly PullContext[]> {
  const { data } = await request("GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls", {
    ...repository,
    commit_sha: sha,
    per_page: 100,
  });
  return data.filter(({ state }) => state === "open").map(readPull);
}

async function listNewest({ request, repository }: GitHub): Promise<readonly PullContext[]> {
  const { data } = await request("GET /repos/{owner}/{repo}/pulls", {
    ...repository,
    state: "open",
    sort: "updated",
    direction: "desc",
    per_page: 100,
  });
  return data.map(readPull);
}

interface Listed {
  readonly number: number;
  readonly user: { readonly login: string } | null;
  readonly labels: readonly { readonly name: string }[];
  readonly head: {
    readonly sha: string;
    readonly ref: string;
    /** Null if the fork was deleted, contrary to the API description. */
    readonly repo: { readonly id: number | bigint; readonly full_name: string } | null;
  };
  readonly base: {
    readonly sha: string;
    readonly ref: string;
    readonly repo: { readonly id: number | bigint };
  };
}

function readPull({ number, user, labels, head, base }: Listed): PullContext {
  return {
    number,
    headSha: head.sha,
    headRef: head.ref,
    headRepo: head.repo?.full_name,
    baseSha: base.sha,
    baseRef: base.ref,
    isFork: head.repo === null || Number(head.repo.id) !== Number(base.repo.id),
    labels: labels.map(({ name }) => name),
    author: user?.login ?? "",
    isRetargeted: false,
  };
}
