import { isAbsolute, join, relative, sep } from "node:path";
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
  /** Links that lead out of the root: they do not widen what a manifest may name. */
  readonly outside: readonly string[];
}

/** The files inside the root that a glob matches, links followed. Throws a Refusal as `walkGlob`. */
export async function expandGlob(
  pattern: string,
  { directory, root }: GlobBounds,
  choices: WalkChoices,
): Promise<Expanded> {
  if (isAbsolute(pattern)) return { files: [], outside: [] };
  const { real } = await inspectPath(root);
  const outside: string[] = [];
  const files = await walkGlob(pattern, {
    ...choices,
    directory,
    accepts: (found, path) => {
      if (withEnd(found.real).startsWith(withEnd(real))) return true;
      // A path that leaves the root as it is written is refused where the manifest is read.
      if (withEnd(path).startsWith(withEnd(root)))
        outside.push(relative(directory, path).split(sep).join("/"));
      return false;
    },
  });
  return { files, outside: outside.toSorted() };
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
}

/** What git and Regrade write themselves. */
const ownFolders: ReadonlySet<string> = new Set([".git", ".regrade"]);

/** Hashes the content of all files that some globs match, those whose names begin with a dot as well. */
export async function hashGlobs(
  patterns: readonly string[],
  bounds: GlobBounds,
): Promise<HashedGlobs> {
  const choices: WalkChoices = { dot: true, closed: ownFolders };
  const expand = (pattern: string): Promise<Expanded> => expandGlob(pattern, bounds, choices);
  const matched = await Promise.all(patterns.map(expand));
  const hashes: [string, string][] = [];
  for (const path of sorted(matched.flatMap(({ files }) => files))) {
    hashes.push([path, await hashFile(join(bounds.directory, path))]);
  }
  return {
    files: Object.fromEntries(hashes),
    unmatched: patterns.filter((_, i) => matched[i]?.files.length === 0),
    outside: sorted(matched.flatMap(({ outside }) => outside)),
  };
}

function sorted(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].toSorted();
}
