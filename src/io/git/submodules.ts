import { join } from "node:path";
import { inspectPath } from "../files/files.ts";
import { findRepository } from "../files/locate.ts";

/** A submodule of the base that the user has checked out. */
interface Submodule {
  readonly path: string;
  /** The base's commit of it. */
  readonly commit: string;
  /** Path where it is checked out with that commit. */
  readonly real: string;
}

type Git = (
  args: readonly string[],
  at: { readonly directory: string; readonly env?: Readonly<Record<string, string>> },
) => Promise<string>;

interface Superproject {
  readonly sha: string;
  /** The user's checkout of it; undefined: there is none. */
  readonly repository: string | undefined;
  /** Folder of its objects. */
  readonly home: string;
}

/** The submodules of a commit (its files are in `root`) that are checked out at the recorded commits. */
export async function findSubmodules(
  { sha, repository, home }: Superproject,
  root: string,
  git: Git,
): Promise<readonly Submodule[]> {
  const modules = join(root, ".gitmodules");
  if (repository === undefined || (await inspectPath(modules)).kind !== "file") return [];
  const paths = ["--null", "--get-regexp", String.raw`^submodule\..*\.path$`];
  const listed = await git(["config", "--file", modules, ...paths], { directory: root }).catch(
    noText,
  );
  const found: Submodule[] = [];
  for (const each of listed.split("\0").filter((line) => line.trim() !== "")) {
    const path = each.slice(each.indexOf("\n") + 1);
    const asked = ["ls-tree", sha, "--", path];
    const entry = await git(asked, { directory: root, env: { GIT_DIR: home } }).catch(noText);
    const commit = /^160000 commit ([0-9a-f]+)\t/.exec(entry)?.[1];
    const { real } = await inspectPath(join(repository, path));
    if (commit === undefined || (await findRepository(real)) !== real) continue;
    const known = ["rev-parse", "--verify", "--quiet", `${commit}^{commit}`];
    const has = await git(known, { directory: real }).catch(noText);
    if (has === commit) found.push({ path, commit, real });
  }
  return found;
}

function noText(): string {
  return "";
}
