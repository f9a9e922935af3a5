import { readdir } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import { hasGlob, parseGlob, type Glob } from "../../base/glob.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { inspectPath, type Inspected } from "./files.ts";

export interface WalkChoices {
  /** A wildcard matches names that begin with a dot. */
  readonly dot: boolean;
  /** Names that no wildcard matches or looks into, at any depth. */
  readonly closed: ReadonlySet<string>;
}

interface GlobWalk extends WalkChoices {
  /** Relative patterns start here. Absolute. */
  readonly directory: string;
  /** False for files and folders to skip, links followed; `path` is as the pattern names it. */
  readonly accepts?: (found: Inspected, path: string) => boolean | Promise<boolean>;
}

/** More folders than repositories have: links that lead into each other make as many paths as one likes. */
const maxFolders = 200_000;

/**
 * The files that a glob matches: relative to the directory, or absolute where the pattern is; with forward slashes,
 * sorted. Links are followed, except those into a folder that contains them. Only folders that can contain a match are
 * read. Throws a Refusal for a glob that can't be used, and for one that leads into too many folders.
 */
export async function walkGlob(pattern: string, walk: GlobWalk): Promise<readonly string[]> {
  const { fixed, rest } = splitPattern(pattern);
  const start = resolve(walk.directory, fixed);
  const seen = await inspectPath(start);
  if (seen.kind !== "directory" || (await walk.accepts?.(seen, start)) === false) return [];
  const glob = parseGlob(rest, { isPath: true, dot: walk.dot });
  const found: string[] = [];
  const waiting: Folder[] = [{ path: "", above: [seen.real] }];
  let folders = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    folders += 1;
    if (folders > maxFolders)
      throw new Refusal(problem("glob_too_many_folders", { glob: pattern, folders: maxFolders }));
    const { files, below } = await lookInto(folder, { start, glob, walk });
    // Not all at once: a call takes about a hundred thousand arguments, and a folder may have more files.
    for (const file of files) found.push(file);
    waiting.push(...below);
  }
  const paths = found.map((path) => join(start, path));
  const shown = isAbsolute(pattern) ? paths : paths.map((path) => relative(walk.directory, path));
  return shown.map(withSlashes).toSorted();
}

interface Folder {
  /** Steps from the start, joined by `/`. */
  readonly path: string;
  /** The folder and its parents, links followed. */
  readonly above: readonly string[];
}

async function lookInto(
  folder: Folder,
  { start, glob, walk }: { readonly start: string; readonly glob: Glob; readonly walk: GlobWalk },
): Promise<{ readonly files: readonly string[]; readonly below: readonly Folder[] }> {
  const files: string[] = [];
  const below: Folder[] = [];
  for (const entry of await readdir(join(start, folder.path), { withFileTypes: true })) {
    if (walk.closed.has(entry.name)) continue;
    const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`;
    const isWanted = glob.matches(path);
    const isOnTheWay = glob.mayBegin(`${path}/`);
    if (!isWanted && (!isOnTheWay || entry.isFile())) continue;
    const absolute = join(start, path);
    const seen = await inspectPath(absolute);
    if ((await walk.accepts?.(seen, absolute)) === false) continue;
    if (seen.kind === "file" && isWanted) files.push(path);
    if (seen.kind === "directory" && isOnTheWay && !folder.above.includes(seen.real))
      below.push({ path, above: [...folder.above, seen.real] });
  }
  return { files, below };
}

/** `../app/*.py` → `../app` and `*.py`: the literal folders, and the pattern to match. */
function splitPattern(pattern: string): { readonly fixed: string; readonly rest: string } {
  // On Windows a backslash is a separator; elsewhere it escapes the next character.
  const steps = (sep === "\\" ? pattern.replaceAll("\\", "/") : pattern)
    .split("/")
    .filter((step) => step !== "." && step !== "");
  const first = steps.findIndex((step) => hasGlob(step));
  // The last step names a file, with a wildcard or without.
  const at = first < 0 ? Math.max(steps.length - 1, 0) : first;
  const root = isAbsolute(pattern) && !/^[a-z]:/i.test(pattern) ? "/" : "";
  return { fixed: root + steps.slice(0, at).join("/"), rest: steps.slice(at).join("/") };
}
