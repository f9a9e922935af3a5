import type { GitHub } from "./github.ts";

/** A commit as GitHub describes it. */
export interface CommitFacts {
  readonly sha: string;
  readonly parents: readonly string[];
}

/**
 * The chain of first parents from a commit on, as far as the list of commits goes. Commits that a merge brought in are
 * excluded: they were never the branch's tip, and their runs belong to a branch that nobody had reviewed yet. Pure.
 */
export function firstParents(commits: readonly CommitFacts[], from: string): readonly string[] {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const chain: string[] = [];
  for (let at: string | undefined = from; at !== undefined;) {
    chain.push(at);
    const [parent]: readonly string[] = bySha.get(at)?.parents ?? [];
    at = parent !== undefined && !chain.includes(parent) ? parent : undefined;
  }
  return chain;
}

/**
 * The commits that a group puts on the base, the newest first, by the chain of first parents: one merge or squashed
 * commit for each pull request, several if the queue rebases. undefined if the list does not go back to the base. Pure.
 */
export function groupCommits(
  commits: readonly CommitFacts[],
  { baseSha, headSha }: { readonly baseSha: string; readonly headSha: string },
): readonly CommitFacts[] | undefined {
  const chain = firstParents(commits, headSha);
  const end = chain.indexOf(baseSha);
  if (end < 1) return undefined;
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  return chain.slice(0, end).flatMap((sha) => bySha.get(sha) ?? []);
}

/** The first digits of a commit's id, as GitHub displays them. */
export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}

/** Mode and id of each blob and submodule, by path. */
type Tree = ReadonlyMap<string, string>;

/** Reads the tree of a commit; undefined if GitHub does not list all of it. */
export async function readTree(
  sha: string,
  { request, repository }: GitHub,
): Promise<Tree | undefined> {
  const { data } = await request("GET /repos/{owner}/{repo}/git/trees/{tree_sha}", {
    ...repository,
    tree_sha: sha,
    recursive: "1",
  });
  if (data.truncated) return undefined;
  const files = data.tree.filter(({ type }) => type !== "tree");
  return new Map(files.map(({ path, mode, sha: id }) => [path, `${mode} ${id}`]));
}

/** True if a merge has each path either as it was before or as the base has it. Pure. */
export function isEitherSide({
  old,
  base,
  now,
}: {
  readonly old: Tree;
  readonly base: Tree;
  readonly now: Tree;
}): boolean {
  const paths = new Set([...old.keys(), ...now.keys()]);
  return [...paths].every(
    (path) => now.get(path) === old.get(path) || now.get(path) === base.get(path),
  );
}
