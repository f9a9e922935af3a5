import { glob } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { hashFile, inspectPath } from "./files.ts";

/**
 * The files that a glob matches, relative to the folder, with forward slashes, sorted.
 * Only what is inside the folder, links followed: a link out of it does not widen what a manifest may name.
 * `*` and `**` leave out names that begin with a dot, as a shell does.
 */
export async function expandGlob(pattern: string, folder: string): Promise<readonly string[]> {
  // Not even looked for: `../**` would walk the whole machine.
  if (isAbsolute(pattern) || pattern.split(/[/\\]/).includes("..")) return [];
  const { real } = await inspectPath(folder);
  const found: string[] = [];
  for await (const path of glob(pattern, { cwd: folder })) {
    const target = await inspectPath(join(folder, path));
    if (target.kind !== "file" || !target.real.startsWith(withEnd(real))) continue;
    const inside = relative(folder, join(folder, path)).split(sep).join("/");
    if (!inside.startsWith("../")) found.push(inside);
  }
  return [...new Set(found)].toSorted();
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
export async function hashGlobs(patterns: readonly string[], folder: string): Promise<HashedGlobs> {
  const matched = await Promise.all(patterns.map((pattern) => expandGlob(pattern, folder)));
  const hashes: [string, string][] = [];
  for (const path of [...new Set(matched.flat())].toSorted()) {
    hashes.push([path, await hashFile(join(folder, path))]);
  }
  return {
    files: Object.fromEntries(hashes),
    unmatched: patterns.filter((_, i) => matched[i]?.length === 0),
  };
}
