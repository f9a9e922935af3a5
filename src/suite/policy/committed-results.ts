import { relative, sep } from "node:path";
import type { AlteredFiles, BaseTree, PolicyChange } from "../../model/policy.ts";
import type { Prepared } from "../prepare.ts";

/**
 * Notes for results of another tool that git has: a change may have written them, or nobody has run anything for it. Where the
 * base is a folder without a commit, it is unknown which files git has. Pure.
 */
export function committedResults(
  { recorded, suite: { root } }: Pick<Prepared, "recorded" | "suite">,
  { paths }: Pick<AlteredFiles, "paths">,
  { sha }: Pick<BaseTree, "sha">,
): readonly PolicyChange[] {
  if (recorded === undefined || sha === null) return [];
  const known = new Set(paths);
  return recorded.parts.flatMap(({ taken, tasks }) => {
    const found = taken.files
      .map(({ absolute }) => relative(root, absolute).split(sep).join("/"))
      .filter((path) => known.has(path));
    return tasks.flatMap(({ id }) => found.map((path) => aNote(id, path)));
  });
}

function aNote(task: string, path: string): PolicyChange {
  const note = `\`${path}\`, which holds the results, is a file of the repository: see that it is what the tool says of this change, or let the job run the tool`;
  return { part: "task", task, effect: "told", note };
}
