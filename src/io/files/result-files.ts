import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import type { FoundFile } from "../../model/ports/files.ts";
import { problem, Refusal, type Place, type Problem } from "../../model/refusal.ts";
import { inspectPath } from "./files.ts";
import { expandGlob } from "./glob.ts";
import { walkGlob } from "./glob-walk.ts";

/** Folders with other people's files. */
const otherFolders: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * The files that paths or globs name, each once, those of a glob sorted. Throws a Refusal if one names none. `root`: no
 * file may lie outside of it, links followed; undefined: any readable file.
 */
export async function findResultFiles(
  patterns: readonly string[],
  within: {
    readonly directory: string;
    readonly root: string | undefined;
    readonly place?: Place | undefined;
  },
): Promise<readonly FoundFile[]> {
  const found = new Map<string, string>();
  const problems: Problem[] = [];
  for (const pattern of patterns) {
    const paths = await matches(pattern, within);
    if (paths.length === 0) problems.push(problem("results_no_files", { pattern }, within.place));
    for (const path of paths) found.set(resolve(within.directory, path), path);
  }
  if (problems.length > 0) throw new Refusal(problems);
  return Promise.all(
    [...found].map(async ([absolute, path]) => ({
      path,
      absolute,
      size: (await stat(absolute)).size,
    })),
  );
}

/** Finds a file with this name in the same folder. */
export async function findBeside(file: FoundFile, name: string): Promise<FoundFile | undefined> {
  if (name !== basename(name) || name === "." || name === "..") return undefined;
  const absolute = join(dirname(file.absolute), name);
  if ((await inspectPath(absolute)).kind !== "file") return undefined;
  const path = withSlashes(join(dirname(file.path), name));
  return { path, absolute, size: (await stat(absolute)).size };
}

async function matches(
  pattern: string,
  { directory, root }: { readonly directory: string; readonly root: string | undefined },
): Promise<readonly string[]> {
  // A pattern with brackets may be the plain name of a file.
  if (root === undefined && (await inspectPath(resolve(directory, pattern))).kind === "file")
    return [pattern];
  const choices = { dot: false, closed: otherFolders };
  if (root === undefined) return walkGlob(pattern, { ...choices, directory });
  return (await expandGlob(pattern, { directory, root }, choices)).files;
}
