import { basename, join, relative, resolve } from "node:path";
import type { NoBaseline, SoughtSuite } from "../model/baseline.ts";
import type { BaseTree } from "../model/outcomes/policy.ts";
import type { SuiteRun } from "../model/ports/store.ts";
import type { Suite } from "../model/definition/suite.ts";
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

interface Lacking {
  readonly suite: Pick<Suite, "name" | "path" | "root">;
  readonly together?: readonly string[] | undefined;
  readonly policyFrom?: BaseTree | undefined;
  readonly sought?: SoughtSuite | undefined;
}

/**
 * The reason why folders have no run of a suite although they have runs of others that it runs together with; undefined: they
 * have none of these either. A suite that may have had another name is not new: nothing tells then what it has lost.
 */
export async function lackingAmong(
  folders: readonly string[],
  { suite, together = [], policyFrom, sought }: Lacking,
  tools: Tools,
): Promise<NoBaseline | undefined> {
  const runs = (await Promise.all(folders.map((each) => runsIn(each, policyFrom, tools)))).flat();
  if (runs.some((each) => each.suite === suite.name)) return undefined;
  if (!runs.some((each) => together.includes(each.suite))) return undefined;
  const others = [...new Set(runs.map((each) => each.suite))].toSorted().join(", ");
  const reason = `${folders.join(", ")} has no run of ${suite.name}, and has runs of ${others}`;
  const remedy = await remedyFor({ suite, runs, isInBase: sought?.isInBase }, tools);
  return { kind: "none", reason, remedy };
}

interface Missed extends Pick<Lacking, "suite"> {
  readonly runs: readonly SuiteRun[];
  readonly isInBase: boolean | undefined;
}

/** Advice for a suite that may not be new. The base knows, where there is one; else manifests that are gone are a sign. */
async function remedyFor(
  { suite, runs, isInBase }: Missed,
  { files }: Tools,
): Promise<string | undefined> {
  if (isInBase === true)
    return "The base has this suite: run it there with the others, and compare with that run.";
  if (isInBase === false) return undefined;
  for (const { path, suite: name, directory } of runs) {
    const { kind } = await files.inspectPath(join(suite.root, path));
    if (path === suite.path || kind === "missing") return renamedRemedy({ name, directory, suite });
  }
  return undefined;
}

function renamedRemedy(found: {
  readonly name: string;
  readonly directory: string;
  readonly suite: Lacking["suite"];
}): string {
  const { name, directory, suite } = found;
  return `If ${suite.name} was called ${name} before, compare it with ${directory}; if it is new, take ${directory} out of the folder.`;
}

/** The runs of suites in a folder, with paths as the user would type them: of the base's tree, if that has some, else here. */
async function runsIn(
  folder: string,
  tree: BaseTree | undefined,
  { findSuiteRuns }: Tools,
): Promise<readonly SuiteRun[]> {
  const within = tree?.repository && relative(tree.repository, resolve(folder));
  const there =
    tree && within && !within.startsWith("..") ? await findSuiteRuns(join(tree.root, within)) : [];
  const found = there.length > 0 ? there : await findSuiteRuns(resolve(folder));
  return found.map((each) => ({
    suite: each.suite,
    path: each.path,
    directory: join(folder, basename(each.directory)),
  }));
}

/** Whether a directory is that of a finished run. */
export async function hasRun(directory: string, { files }: Tools): Promise<boolean> {
  return (await files.inspectPath(resolve(directory, "run.json"))).kind === "file";
}
