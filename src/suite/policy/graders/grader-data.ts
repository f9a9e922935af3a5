import { dirname, join, relative, resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { withSlashes } from "../../../base/slashes.ts";
import { singleGraders } from "../../../model/definition/graders.ts";
import type { CodeSource, FileRef, Suite, Task } from "../../../model/definition/suite.ts";
import type { Tools } from "../../../tools.ts";
import { sourceOf } from "./grader-fields.ts";

/** Files that a grader or preprocessor reads besides its code, and that differ between the two sides. */
interface AlteredData {
  readonly task: string;
  readonly part: "grader" | "preprocess";
  /** Path relative to the repository's root. */
  readonly path: string;
}

type DataTools = {
  readonly files: Pick<Tools["files"], "inspectPath" | "readBytes">;
  readonly candidateTools: Pick<Tools["candidateTools"], "hashGlobs">;
};

/**
 * Finds changed data that judges: files that `allow_read` names, and files whose names are in quotes in the code or in
 * its imports from the same folder. They are looked up in that folder and in quoted folders. *Not* found: names that
 * are composed in another way.
 */
export async function alteredData(
  { tasks, root }: Pick<Suite, "tasks" | "root">,
  otherRoot: string,
  tools: DataTools,
): Promise<readonly AlteredData[]> {
  const judged = new Set(
    tasks.flatMap(({ dataset }) => ("file" in dataset ? [dataset.file.absolute] : [])),
  );
  const found = tasks.flatMap((task) =>
    readersOf(task).map(async ({ part, source, allowed }) => {
      const named = await namedIn(source, root, { otherRoot, tools });
      const paths = [
        ...named.filter((path) => !judged.has(path)),
        ...allowed.map(({ absolute }) => absolute),
      ];
      const altered: AlteredData[] = [];
      for (const absolute of new Set(paths)) {
        const path = relative(root, absolute);
        if (await differs(path, [root, otherRoot], tools))
          altered.push({ task: task.id, part, path: withSlashes(path) });
      }
      return altered;
    }),
  );
  return (await Promise.all(found)).flat();
}

/** Code that judges, and what its sandbox lets it read besides. */
interface Reader {
  readonly part: AlteredData["part"];
  readonly source: CodeSource;
  readonly allowed: readonly FileRef[];
}

/** The Python code of a task's graders and preprocessor. */
export function readersOf({ grader, preprocess }: Task): readonly Reader[] {
  const graders = singleGraders(grader).flatMap((each): readonly Reader[] =>
    each.type === "python"
      ? [{ part: "grader", source: each.source, allowed: each.allow_read }]
      : [],
  );
  if (preprocess === undefined) return graders;
  const { source, allow_read } = preprocess;
  return [...graders, { part: "preprocess", source, allowed: allow_read }];
}

/** Longer texts are no file names. */
const quoted = /(["'])([^"'\\\n]{1,200})\1/g;

/** Files of either side that string literals of a source name. Absolute, on the first side. */
async function namedIn(
  source: CodeSource,
  root: string,
  { otherRoot, tools: { files } }: { readonly otherRoot: string; readonly tools: DataTools },
): Promise<readonly string[]> {
  if (source.kind === "inline") return [];
  // A missing file is refused where it is opened.
  const texts = await sourceOf(source, files).catch(() => []);
  const words = [
    ...new Set(texts.flatMap((text) => [...text.matchAll(quoted)].map(([, , word = ""]) => word))),
  ];
  const home = dirname(source.file.absolute);
  const isWithin = (path: string): boolean => path.startsWith(join(root, sep));
  const kindsOf = async (path: string): Promise<readonly string[]> => {
    const sides = [path, join(otherRoot, relative(root, path))];
    return (await Promise.all(sides.map(files.inspectPath))).map(({ kind }) => kind);
  };
  const found: string[] = [];
  const folders = [home];
  const paths = words.map((word) => resolve(home, word)).filter(isWithin);
  for (const path of paths) {
    const kinds = await kindsOf(path);
    if (kinds.includes("file")) found.push(path);
    else if (kinds.includes("directory")) folders.push(path);
  }
  const names = words.filter((word) => /^[^/]*\.\w+$/.test(word));
  for (const path of folders.slice(1).flatMap((folder) => names.map((name) => join(folder, name))))
    if ((await kindsOf(path)).includes("file")) found.push(path);
  return found;
}

async function differs(
  path: string,
  roots: readonly [string, string],
  { files, candidateTools }: DataTools,
): Promise<boolean> {
  const hashed = roots.map(async (root) => {
    const absolute = join(root, path);
    const isFolder = (await files.inspectPath(absolute)).kind === "directory";
    const [directory, glob] = isFolder ? [absolute, "**/*"] : [dirname(absolute), literally(path)];
    const found = await candidateTools.hashGlobs([glob], { directory, root });
    return found.files;
  });
  const [ours, theirs] = await Promise.all(hashed);
  return !isDeepStrictEqual(withoutCompiled(ours), withoutCompiled(theirs));
}

/** A glob that matches a file's name. */
export function literally(path: string): string {
  return path.slice(path.lastIndexOf(sep) + 1).replaceAll(/[*?[\]{}()!+@\\]/g, "?");
}

/** Leaves out compiled code, because the grader's own hash covers imported modules. */
function withoutCompiled(files: Readonly<Record<string, string>> = {}): object {
  return Object.fromEntries(
    Object.entries(files).filter(([path]) => !path.includes("__pycache__/")),
  );
}
