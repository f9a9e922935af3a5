import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { inspectPath } from "../io/files/files.ts";
import { isOfCommit } from "../io/git/git.ts";
import { findRepository } from "../io/files/locate.ts";
import type { Environment } from "../model/ports/processes.ts";

/**
 * The folder for answers and rows of earlier runs, absolute: the requested one, otherwise the user's own cache folder,
 * by the XDG base directory specification and its equivalents on macOS and Windows. It is outside the checkout, because
 * a change could bring a cache with it.
 */
export function cacheFolder(
  asked: string | undefined,
  {
    env,
    workingDirectory,
    platform = process.platform,
    userHome = homedir,
  }: {
    readonly env: Environment;
    readonly workingDirectory: string;
    readonly platform?: string;
    readonly userHome?: () => string;
  },
): string {
  if (asked !== undefined && asked !== "") return resolve(workingDirectory, asked);
  const home = env["HOME"] || env["USERPROFILE"] || homeBy(userHome);
  if (platform === "win32") {
    const local = env["LOCALAPPDATA"] || join(home, "AppData", "Local");
    return join(local, "regrade", "cache");
  }
  if (platform === "darwin") return join(home, "Library", "Caches", "regrade");
  // The specification says that relative paths must be ignored.
  const xdg = env["XDG_CACHE_HOME"];
  return join(xdg?.startsWith("/") === true ? xdg : join(home, ".cache"), "regrade");
}

/** A container's user may be missing in its list of users and have no home. Docker sets HOME to `/` then. */
function homeBy(userHome: () => string): string {
  try {
    return userHome();
  } catch {
    return "/";
  }
}

/**
 * The cache of an earlier version, in the checkout; undefined if there is none, or if it is requested explicitly.
 * Relative to the working directory.
 */
export async function findOldCache(
  folder: string,
  workingDirectory: string,
): Promise<string | undefined> {
  const old = resolve(workingDirectory, oldFolder);
  if (withEnd(resolve(folder)) === withEnd(old)) return undefined;
  const { kind } = await inspectPath(old);
  return kind === "directory" ? oldFolder : undefined;
}

const oldFolder = ".regrade/cache";

/**
 * False for a cache that a commit may have brought: one with files that git tracks, or in a checkout whose state git
 * can't tell.
 */
export async function isOwnCache(folder: string, workingDirectory: string): Promise<boolean> {
  const { real } = await inspectPath(folder);
  const parent = await inspectPath(dirname(folder));
  const repository = (await findRepository(real)) ?? (await findRepository(parent.real));
  if (repository !== undefined) return !(await isOfCommit(folder));
  const here = await inspectPath(workingDirectory);
  return !withEnd(real).startsWith(withEnd(here.real));
}

function withEnd(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}
