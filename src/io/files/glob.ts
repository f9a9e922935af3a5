import { lstat, readlink, stat } from "node:fs/promises";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import { isTracked } from "../git/git.ts";
import { hashFile, inspectPath } from "./files.ts";
import { walkGlob, type WalkChoices } from "./glob-walk.ts";

/** A folder that globs start in, and the folder that they may not leave. Both absolute. */
interface GlobBounds {
  readonly directory: string;
  readonly root: string;
}

interface Expanded {
  /** Relative to the directory, with forward slashes, sorted. */
  readonly files: readonly string[];
  /** Links that lead out of the root; they are not followed, because a manifest may only name files within it. */
  readonly outside: readonly string[];
  /** Entries that are listed and can't be opened: links that lead to nothing, names that are not UTF-8. */
  readonly unopened: readonly string[];
}

/** The files inside the root that a glob matches, links followed. Throws a Refusal as `walkGlob`. */
export async function expandGlob(
  pattern: string,
  { directory, root }: GlobBounds,
  choices: WalkChoices,
): Promise<Expanded> {
  if (isAbsolute(pattern)) return { files: [], outside: [], unopened: [] };
  const { real } = await inspectPath(root);
  const outside: string[] = [];
  const unopened: string[] = [];
  const named = (path: string): string => withSlashes(relative(directory, path));
  const files = await walkGlob(pattern, {
    ...choices,
    directory,
    accepts: async (found, path) => {
      if (basename(path) === ownFolder && !(await isTracked(found.real))) return false;
      if (withEnd(found.real).startsWith(withEnd(real))) {
        if (found.kind === "missing") unopened.push(named(path));
        return true;
      }
      // A path that leaves the root as written is refused by the manifest reader.
      if (withEnd(path).startsWith(withEnd(root))) outside.push(named(path));
      return false;
    },
  });
  return { files, outside: outside.toSorted(), unopened: unopened.toSorted() };
}

function withEnd(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** The files that globs match, with their hashes, sorted by path; and the globs that match none. */
interface HashedGlobs {
  readonly files: Readonly<Record<string, string>>;
  readonly unmatched: readonly string[];
  /** Paths that lead out of the root: content that is not in the hashes. */
  readonly outside: readonly string[];
  /** Paths with names that are not UTF-8: content that is not in the hashes either. */
  readonly unnamed: readonly string[];
}

/** git's own folder. */
const closedFolders: ReadonlySet<string> = new Set([".git"]);
/** Regrade's own files are not the user's, unless a commit brought them. */
const ownFolder = ".regrade";

/**
 * Hashes all files that some globs match, including hidden ones: their content, their executable flag, and the target of
 * broken links.
 */
export async function hashGlobs(
  patterns: readonly string[],
  bounds: GlobBounds,
): Promise<HashedGlobs> {
  const choices: WalkChoices = { dot: true, closed: closedFolders };
  const expand = (pattern: string): Promise<Expanded> => expandGlob(pattern, bounds, choices);
  const matched = await Promise.all(patterns.map(expand));
  const hashes: [string, string][] = [];
  const unnamed: string[] = [];
  for (const path of sorted(matched.flatMap(({ files, unopened }) => [...files, ...unopened]))) {
    const hashed = await hashEntry(join(bounds.directory, path));
    if (hashed === "unnamed") unnamed.push(path);
    else if (hashed !== "no file") hashes.push([path, hashed]);
  }
  return {
    files: Object.fromEntries(hashes),
    unmatched: patterns.filter((_, i) => matched[i]?.files.length === 0),
    outside: sorted(matched.flatMap(({ outside }) => outside)),
    unnamed,
  };
}

async function hashEntry(absolutePath: string): Promise<string> {
  const found = await lstat(absolutePath).catch(() => undefined);
  // The folder lists it, but it can't be found under the listed name.
  if (found === undefined) return absolutePath.includes("\ufffd") ? "unnamed" : "no file";
  const { kind, real } = await inspectPath(absolutePath);
  if (kind === "file") return `${await hashFile(real)}${(await isProgram(real)) ? " x" : ""}`;
  return found.isSymbolicLink() ? `link to ${await readlink(absolutePath)}` : "no file";
}

/** Git stores this flag with a file. Windows has none. */
async function isProgram(absolutePath: string): Promise<boolean> {
  return process.platform !== "win32" && ((await stat(absolutePath)).mode & 0o100) !== 0;
}

function sorted(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].toSorted();
}
