import { glob } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { hashFile, inspectPath, type Inspected } from "./files.ts";

/** A folder that globs start in, and the folder that they may not leave. Both absolute. */
export interface GlobBounds {
  readonly directory: string;
  readonly root: string;
}

/**
 * The files that a glob matches, relative to the directory, with forward slashes, sorted.
 * Only what is inside the root, links followed: a link out of it does not widen what a manifest may name.
 * `*` and `**` leave out names that begin with a dot, as a shell does.
 */
export async function expandGlob(pattern: string, bounds: GlobBounds): Promise<readonly string[]> {
  const { fixed, rest } = splitPattern(pattern);
  if (isAbsolute(pattern) || goesUp.test(rest)) return [];
  const start = resolve(bounds.directory, fixed);
  const root = (await inspectPath(bounds.root)).real;
  const isInside = ({ real }: Inspected): boolean => withEnd(real).startsWith(withEnd(root));
  const folder = await inspectPath(start);
  // Not even looked into: `../../**` would walk the whole machine.
  if (folder.kind !== "directory" || !isInside(folder)) return [];
  const found: string[] = [];
  for await (const path of glob(rest, { cwd: start })) {
    const target = await inspectPath(join(start, path));
    if (target.kind !== "file" || !isInside(target)) continue;
    found.push(relative(bounds.directory, join(start, path)).split(sep).join("/"));
  }
  return [...new Set(found)].toSorted();
}

/** `..` as a step, in braces too. After a wildcard it is nothing that a path within the root needs. */
const goesUp = /(?:^|[/\\{,(|])\.\.(?:[/\\},)|]|$)/;

/** `../app/*.py` → `../app` and `*.py`: the folders that are named outright, and what is left to match. */
function splitPattern(pattern: string): { readonly fixed: string; readonly rest: string } {
  const steps = pattern.split("/").filter((step) => step !== "" && step !== ".");
  const first = steps.findIndex((step) => /[*?[\]{}()!+@\\]/.test(step));
  // The last step names a file, with a wildcard or without.
  const at = first < 0 ? Math.max(steps.length - 1, 0) : first;
  return { fixed: steps.slice(0, at).join("/"), rest: steps.slice(at).join("/") };
}

function withEnd(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** The files that globs match, with their hashes, sorted by path; and the globs that match none. */
export interface HashedGlobs {
  readonly files: Readonly<Record<string, string>>;
  readonly unmatched: readonly string[];
}

/** Hashes the content of all files that some globs match. */
export async function hashGlobs(
  patterns: readonly string[],
  bounds: GlobBounds,
): Promise<HashedGlobs> {
  const matched = await Promise.all(patterns.map((pattern) => expandGlob(pattern, bounds)));
  const hashes: [string, string][] = [];
  for (const path of [...new Set(matched.flat())].toSorted()) {
    hashes.push([path, await hashFile(join(bounds.directory, path))]);
  }
  return {
    files: Object.fromEntries(hashes),
    unmatched: patterns.filter((_, i) => matched[i]?.length === 0),
  };
}
