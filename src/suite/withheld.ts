import { basename, join, relative, resolve } from "node:path";
import { withSlashes } from "../base/slashes.ts";
import type { Withheld } from "../model/ports/fence.ts";
import type { Suite } from "../model/definition/suite.ts";
import type { Tools } from "../tools.ts";

/** The tools with further paths that candidates in a sandbox may not access. */
export function withholding(more: readonly Withheld[], tools: Tools): Tools {
  const { candidateTools } = tools;
  const withheld = [...candidateTools.withheld, ...more];
  return { ...tools, candidateTools: { ...candidateTools, withheld } };
}

/** Paths in a manifest that show how its answers are judged: its data sets, and a baseline. */
export function dataOf({ tasks, gate, directory }: Suite): readonly Withheld[] {
  const baseline = gate === "none" ? undefined : gate.baseline?.path;
  const files = tasks.flatMap(({ dataset }) => ("file" in dataset ? [dataset.file] : []));
  return [
    ...files.map(({ path, absolute }) => ({ path: absolute, what: `the data set ${path}` })),
    ...(baseline === undefined
      ? []
      : [{ path: resolve(directory, baseline), what: `the baseline ${baseline}` }]),
  ];
}

/** A path from the suite's root, with forward slashes. */
export function pathFromRoot({ root }: Pick<Suite, "root">, absolute: string): string {
  return withSlashes(relative(root, absolute));
}

/** The manifest's path from the root, with forward slashes; `path` is as the user wrote it, relative to any folder. */
export function manifestPath({ root, path, directory }: Suite): string {
  return pathFromRoot({ root }, join(directory, basename(path)));
}
