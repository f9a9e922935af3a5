import { basename, join, relative, resolve, sep } from "node:path";
import type { Withheld } from "../model/fence.ts";
import type { Suite } from "../model/suite.ts";
import type { Tools } from "../tools.ts";

/** The tools of a run whose fenced candidates are not granted these, either. */
export function withholding(more: readonly Withheld[], tools: Tools): Tools {
  const { candidateTools } = tools;
  const withheld = [...candidateTools.withheld, ...more];
  return { ...tools, candidateTools: { ...candidateTools, withheld } };
}

/** Paths in a manifest that say how its answers are judged: its data sets, and a baseline. */
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

/** The manifest, from the root, with forward slashes: `path` is as the user wrote it, from wherever that was. */
export function manifestPath({ root, path, directory }: Suite): string {
  return relative(root, join(directory, basename(path)))
    .split(sep)
    .join("/");
}
