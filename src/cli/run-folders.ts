import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Tools } from "../tools.ts";
import { hasRun } from "../verdict/suite-folder.ts";
import { runNamed } from "./latest.ts";

/** Folders that are not searched, because they are large and hold no runs. */
const large = new Set([".git", "node_modules"]);

/**
 * Finds the runs in a folder, the folder itself included, down to `depth` levels below it; sorted by name. Folders
 * within a run are not searched.
 */
export async function runFolders(
  folder: string,
  depth: number,
  tools: Tools,
): Promise<readonly string[]> {
  const { kind } = await tools.files.inspectPath(join(folder, "run.json"));
  if (kind === "file") return [folder];
  if (depth === 0) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isDirectory() && !large.has(entry.name))
    .map(({ name }) => name);
  const found: string[] = [];
  for (const name of names.toSorted())
    found.push(...(await runFolders(join(folder, name), depth - 1, tools)));
  return found;
}

/** The run that a path or `latest` names, or the runs of several suites in a folder, one for each suite. */
export async function runsNamed(path: string, tools: Tools): Promise<readonly string[]> {
  const directory = await runNamed(path, tools);
  if (await hasRun(directory, tools)) return [directory];
  const found = await tools.findSuiteRuns(directory);
  const suites = new Set(found.map(({ suite }) => suite));
  const isOneEach = found.length > 0 && suites.size === found.length;
  return isOneEach ? found.map((each) => each.directory) : [directory];
}
