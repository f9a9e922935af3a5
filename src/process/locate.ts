import { dirname, resolve } from "node:path";
import { inspectPath } from "./files.ts";

/**
 * A manifest's path made absolute, its folder, and the folder that its paths may not leave: the git repository
 * around it, or the working directory outside of one (its own folder where that is elsewhere).
 */
export async function locateManifest(
  manifest: string,
  workingDirectory: string,
): Promise<{ readonly absolute: string; readonly directory: string; readonly root: string }> {
  const absolute = resolve(workingDirectory, manifest);
  const directory = dirname(absolute);
  const { real } = await inspectPath(directory);
  const root = (await findRepository(real)) ?? (await outsideGit(real, workingDirectory));
  return { absolute, directory: real, root };
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
