import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { runFiles } from "./run-files.ts";

/** Below a place: a run, or the folder of a command's suites. */
const mostLevels = 2;
const mostFolders = 1000;
const mostFiles = 256;

interface Folder {
  readonly path: string;
  /** Levels of folders below it that are looked through. */
  readonly levels: number;
}

/**
 * The files with the texts of other runs, as absolute paths: of runs in the working directory, at these places, in folders
 * below them, and in the folder of each run. Left out are the runs in `except`, runs in which a process works, and links. Of
 * very many, the first.
 */
export async function findRunTexts(
  workingDirectory: string,
  { places, except }: { readonly places: readonly string[]; readonly except: string },
): Promise<readonly string[]> {
  const texts = new Set<string>();
  const from = (path: string): string => resolve(workingDirectory, path);
  const seen = new Set([from(except)]);
  const waiting: Folder[] = [...places, "."].map((each) => ({
    path: from(each),
    levels: mostLevels,
  }));
  for (const folder of waiting) {
    if (seen.has(folder.path)) continue;
    if (seen.size > mostFolders || texts.size >= mostFiles) break;
    seen.add(folder.path);
    const found = await lookInto(folder);
    for (const each of found.texts) texts.add(each);
    waiting.push(...found.folders);
  }
  return [...texts].slice(0, mostFiles);
}

async function lookInto({
  path,
  levels,
}: Folder): Promise<{ readonly texts: readonly string[]; readonly folders: readonly Folder[] }> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const names = entries.map(({ name }) => name);
  if (names.some((name) => name.startsWith(runFiles.lock))) return { texts: [], folders: [] };
  const isRun = names.includes(runFiles.samples) && names.some((name) => ofRuns.has(name));
  const left = isRun ? mostLevels : levels - 1;
  const folders = entries.filter((each) => each.isDirectory() && !leftOut.has(each.name));
  const files = entries.filter((each) => isRun && each.isFile() && !withoutTexts.has(each.name));
  return {
    texts: files.map(({ name }) => join(path, name)),
    folders: left < 0 ? [] : folders.map(({ name }) => ({ path: join(path, name), levels: left })),
  };
}

const ofRuns: ReadonlySet<string> = new Set([runFiles.run, runFiles.generated]);
/** Regrade itself opens them when it compares with the run. */
const withoutTexts: ReadonlySet<string> = new Set([
  runFiles.run,
  runFiles.scores,
  runFiles.regraded,
]);
const leftOut: ReadonlySet<string> = new Set(["node_modules", ".git", ".venv"]);
