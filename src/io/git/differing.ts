import type { BaseTree } from "../../model/outcomes/policy.ts";
import { askWithOwnIndex, type AskWithIndex } from "./own-index.ts";

/** How a checkout's files compare with a commit's. */
interface DifferingFiles {
  /** Paths that the two have with other content, or that one of them lacks. */
  readonly paths: ReadonlySet<string>;
  /** Paths of the commit's unchanged files that a sparse checkout leaves out. */
  readonly leftOut: ReadonlySet<string>;
  /** Folders of submodules, about whose files this says nothing. */
  readonly submodules: readonly string[];
}

/**
 * Compares the checkout at the repository's root with a commit, by git's own knowledge of which files are unchanged; undefined
 * if git can't tell.
 */
export async function findDiffering(
  root: string,
  { sha, repository, objects }: Pick<BaseTree, "sha" | "repository" | "objects">,
): Promise<DifferingFiles | undefined> {
  if (sha === null || repository !== root) return undefined;
  return askWithOwnIndex(root, { at: "index", objects }, async ({ git, leftOut }) => {
    const compared = await git(["diff", "--name-status", "-z", ...plain, sha, "--"]);
    const fields = compared.split("\0");
    const paths = new Set(fields.filter((_, i) => i % 2 === 1));
    const unchanged = leftOut.size === 0 ? leftOut : await sameInIndex(leftOut, sha, git);
    const entries = (await git(["ls-files", "--stage", "-z"])).split("\0");
    const links = entries.filter((entry) => entry.startsWith("160000 "));
    const submodules = links.map((entry) => entry.slice(entry.indexOf("\t") + 1));
    return { paths, leftOut: unchanged, submodules };
  }).catch(() => undefined);
}

async function sameInIndex(
  paths: ReadonlySet<string>,
  sha: string,
  git: AskWithIndex,
): Promise<ReadonlySet<string>> {
  const staged = await git(["diff", "--cached", "--name-only", "-z", ...plain, sha, "--"]);
  return paths.difference(new Set(staged.split("\0")));
}

const plain = ["--no-renames", "--no-ext-diff", "--ignore-submodules"];
