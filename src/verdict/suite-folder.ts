import { join, relative, resolve } from "node:path";
import type { Tools } from "../tools.ts";

/**
 * The run directory of a suite at a path: the path itself, or the suite's folder in it, because several suites that are
 * run together get a folder each. A path without either is returned unchanged: reading it reports what is missing.
 */
export async function runOfSuite(path: string, suite: string, tools: Tools): Promise<string> {
  const folder = await folderOfSuite(path, suite, tools);
  return folder === undefined ? path : join(path, folder);
}

/**
 * Name of the folder with the suite's run; undefined if the directory is a run itself, or contains no run of the suite,
 * or several.
 */
export async function folderOfSuite(
  directory: string,
  suite: string,
  tools: Tools,
): Promise<string | undefined> {
  const absolute = resolve(directory);
  if (await hasRun(absolute, tools)) return undefined;
  // The command line names the folder after the suite, the action after the manifest's file.
  if (await hasRun(join(absolute, suite), tools)) return suite;
  const runs = await tools.findSuiteRuns(absolute);
  const [found, another] = runs.filter((each) => each.suite === suite);
  if (found === undefined || another !== undefined) return undefined;
  return relative(absolute, found.directory);
}

/** Whether a directory is that of a finished run. */
export async function hasRun(directory: string, { files }: Tools): Promise<boolean> {
  return (await files.inspectPath(resolve(directory, "run.json"))).kind === "file";
}
