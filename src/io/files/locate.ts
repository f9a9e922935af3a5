import { basename, dirname, join, relative, resolve } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import { inspectPath } from "./files.ts";

interface LocatedManifest {
  readonly absolute: string;
  /** Its folder, links followed. */
  readonly directory: string;
  /** The folder that its paths may not leave, links followed. */
  readonly root: string;
  /** Relative to the root, with forward slashes: links on the way are not followed. */
  readonly path: string;
  /** Other possible paths, if links lead back to the root. */
  readonly otherPaths: readonly string[];
}

/**
 * A manifest's path made absolute, its folder, and the folder that its paths may not leave: the git repository
 * around it, or the working directory outside of one (its own folder where that is elsewhere).
 */
export async function locateManifest(
  manifest: string,
  workingDirectory: string,
): Promise<LocatedManifest> {
  const absolute = resolve(workingDirectory, manifest);
  const directory = dirname(absolute);
  const { real } = await inspectPath(directory);
  const root = (await findRepository(real)) ?? (await outsideGit(real, workingDirectory));
  const followed = relative(root, join(real, basename(absolute)));
  const paths = [...(await pathsBelow(root, absolute)), followed];
  const [path = followed, ...otherPaths] = paths.map(withSlashes);
  return { absolute, directory: real, root, path, otherPaths };
}

/** The path from the root as written, starting at the outermost folder that is the root: a link may lead back to it. */
async function pathsBelow(root: string, absolute: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let folder = dirname(absolute); ; folder = dirname(folder)) {
    if ((await inspectPath(folder)).real === root) found.unshift(relative(folder, absolute));
    if (folder === dirname(folder)) return found;
  }
}

/** The repository around a folder. `.git` is a folder in a repository and a file in a worktree. */
export async function findRepository(directory: string): Promise<string | undefined> {
  const found = await inspectPath(resolve(directory, ".git"));
  if (found.kind !== "missing") return directory;
  const parent = dirname(directory);
  return parent === directory ? undefined : findRepository(parent);
}

async function outsideGit(directory: string, workingDirectory: string): Promise<string> {
  const { real } = await inspectPath(workingDirectory);
  return directory === real || directory.startsWith(`${real}/`) ? real : directory;
}
