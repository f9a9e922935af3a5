import type { GitHub } from "./github.ts";
import type { Push } from "./pushers.ts";
import { isEitherSide, readTree } from "./commits.ts";

/** The base branch's head. */
interface MergedBase {
  readonly baseSha: string;
}

/**
 * True if a push was made by GitHub's "Update branch": a merge of the base, made and signed by GitHub, in which each
 * file equals one of the two sides. GitHub also signs a merge whose conflicts someone resolved in its editor. If both
 * sides changed a file, the two cases can't be told apart, and the push counts as that person's. About five calls.
 */
export async function isBaseMerge(
  { kind, before, after }: Push,
  { baseSha }: MergedBase,
  github: GitHub,
): Promise<boolean> {
  if (kind !== "push" && kind !== "pr_merge") return false;
  const merged = await readMerge(after, github);
  if (merged === undefined || merged.first !== before) return false;
  if (!(await isOnBase(merged.second, baseSha, github))) return false;
  const [old, base, now] = await Promise.all(
    [before, merged.second, after].map((sha) => readTree(sha, github)),
  );
  if (old === undefined || base === undefined || now === undefined) return false;
  return isEitherSide({ old, base, now });
}

/** The parents of a merge that GitHub made and signed. */
async function readMerge(
  sha: string,
  { request, repository }: GitHub,
): Promise<{ readonly first: string; readonly second: string } | undefined> {
  const { data } = await request("GET /repos/{owner}/{repo}/commits/{ref}", {
    ...repository,
    ref: sha,
    per_page: 1,
  });
  const [first, second, ...others] = data.parents.map((parent) => parent.sha);
  if (first === undefined || second === undefined || others.length > 0) return undefined;
  const { committer } = data;
  // Anybody can write that name into a commit, but only GitHub can sign.
  const isGitHubs = committer !== null && "login" in committer && committer.login === "web-flow";
  const isSigned = data.commit.verification?.verified === true;
  return isGitHubs && isSigned ? { first, second } : undefined;
}

/** True if the base branch now has a commit. */
export async function isOnBase(
  sha: string,
  baseSha: string,
  { request, repository }: GitHub,
): Promise<boolean> {
  if (sha === baseSha) return true;
  const { data } = await request("GET /repos/{owner}/{repo}/compare/{basehead}", {
    ...repository,
    basehead: `${sha}...${baseSha}`,
    per_page: 1,
  });
  return data.status === "ahead" || data.status === "identical";
}
