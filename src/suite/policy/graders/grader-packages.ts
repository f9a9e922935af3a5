import { dirname, join, relative } from "node:path";
import { singleGraders } from "../../../model/definition/graders.ts";
import type { ToldField } from "../../../model/outcomes/policy.ts";
import type { CodeSource, Suite, Task } from "../../../model/definition/suite.ts";
import type { FileTools } from "../../../tools.ts";
import { importsIn, sourceOf } from "./grader-fields.ts";
import { sameBytes } from "../recorded.ts";

/**
 * Finds files of the repository's own Python package that the base's graders and preprocessors import and that the
 * change alters. A job that installs the package (`pip install .`) installs the change's version, which then judges the
 * change. Covers packages whose `pyproject.toml`, `setup.py` or `setup.cfg` lies in a folder above the suite. *Not*
 * found: what such a file imports in turn, and packages elsewhere.
 */
export async function alteredPackages(
  base: Suite,
  headRoot: string,
  files: FileTools,
): Promise<readonly ToldField[]> {
  const projects = await projectsAbove(base, files);
  if (projects.length === 0) return [];
  const found = base.tasks.map(async (task) => {
    const { id } = task;
    const sources = judgingSources(task);
    const paths = await Promise.all(sources.map((source) => packagesOf(source, projects, files)));
    const altered = await Promise.all(
      [...new Set(paths.flat())].map(async (path) => {
        const within = relative(base.root, path);
        return (await differs([path, join(headRoot, within)], files)) ? [within] : [];
      }),
    );
    return altered.flat().map((field) => ({ task: id, field, reader: "package" }) as const);
  });
  return (await Promise.all(found)).flat();
}

/** The Python code that judges a task: of its graders and its preprocessor. */
export function judgingSources({ grader, preprocess }: Task): readonly CodeSource[] {
  const graders = singleGraders(grader).flatMap((each) =>
    each.type === "python" ? [each.source] : [],
  );
  return preprocess === undefined ? graders : [...graders, preprocess.source];
}

/** Folders above the suite, on the base, that a package can be installed from. */
async function projectsAbove(
  { directory, root }: Suite,
  files: FileTools,
): Promise<readonly string[]> {
  const folders = [root];
  for (const part of relative(root, directory).split(/[\\/]/).filter(Boolean))
    folders.push(join(folders.at(-1) ?? root, part));
  const marks = ["pyproject.toml", "setup.py", "setup.cfg"];
  const found = folders.map(async (folder) => {
    const all = marks.map((mark) => files.inspectPath(join(folder, mark)));
    return (await Promise.all(all)).some(({ kind }) => kind === "file") ? [folder] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Files of the packages that the imports of a grader could mean, whether they exist or not. */
async function packagesOf(
  source: CodeSource,
  projects: readonly string[],
  files: FileTools,
): Promise<readonly string[]> {
  const names = (await sourceOf(source, files)).flatMap(importsIn);
  const beside = source.kind === "file" ? dirname(source.file.absolute) : undefined;
  const paths: string[] = [];
  for (const parts of names) {
    if (beside !== undefined && (await isThere(join(beside, parts[0] ?? ""), files))) continue;
    for (const project of projects) {
      for (const folder of ["", "src", "lib"])
        paths.push(...modulesOnTheWay(join(project, folder), parts));
    }
  }
  return paths;
}

async function isThere(module: string, { inspectPath }: FileTools): Promise<boolean> {
  const found = await Promise.all([inspectPath(`${module}.py`), inspectPath(module)]);
  return found.some(({ kind }) => kind !== "missing");
}

/** Importing a module also runs the packages that contain it. */
function modulesOnTheWay(folder: string, parts: readonly string[]): readonly string[] {
  return parts.flatMap((_, i) => {
    const module = join(folder, ...parts.slice(0, i + 1));
    return [`${module}.py`, join(module, "__init__.py")];
  });
}

async function differs(paths: readonly [string, string], files: FileTools): Promise<boolean> {
  const kinds = await Promise.all(paths.map(async (path) => (await files.inspectPath(path)).kind));
  const [ours, theirs] = kinds.map((kind) => kind === "file");
  if (ours !== true || theirs !== true) return ours !== theirs;
  return !(await sameBytes(files.readBytes(paths[0]), files.readBytes(paths[1])));
}
