import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { inspectPath } from "./files.ts";

export interface LocatedManifest {
  readonly absolute: string;
  /** Its folder, links followed. */
  readonly directory: string;
  /** The folder that its paths may not leave, links followed. */
  readonly root: string;
  /** From the root, with forward slashes: links on the way are not followed. */
  readonly path: string;
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
  const path = (await pathBelow(root, absolute)) ?? relative(root, join(real, basename(absolute)));
  return { absolute, directory: real, root, path: path.split(sep).join("/") };
}

/** The path from the root as it is written; undefined where no folder on the way is the root. */
async function pathBelow(root: string, absolute: string): Promise<string | undefined> {
  for (let folder = dirname(absolute); ; folder = dirname(folder)) {
    if ((await inspectPath(folder)).real === root) return relative(folder, absolute);
    if (folder === dirname(folder)) return undefined;
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
