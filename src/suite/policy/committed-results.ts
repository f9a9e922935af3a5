import { relative } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import type { AlteredFiles, BaseTree, PolicyChange } from "../../model/outcomes/policy.ts";
import { toldNote } from "../../model/outcomes/policy.ts";
import type { Prepared } from "../prepare.ts";
import type { FileTools } from "../../tools.ts";

/**
 * Notes for results of another tool that git has: a change may have written them, or nobody has run anything for it. Where the
 * base is a folder without a commit, it is unknown which files git has.
 */
export async function committedResults(
  { recorded, suite: { root } }: Pick<Prepared, "recorded" | "suite">,
  { paths, sha }: Pick<AlteredFiles, "paths"> & Pick<BaseTree, "sha">,
  { inspectPath }: Pick<FileTools, "inspectPath">,
): Promise<readonly PolicyChange[]> {
  if (recorded === undefined || sha === null) return [];
  const known = new Set(paths);
  const { real: realRoot } = await inspectPath(root);
  const notes: PolicyChange[] = [];
  for (const { taken, tasks } of recorded.parts) {
    const found = new Set<string>();
    for (const { absolute } of taken.files) {
      // A folder of the path may be a link to where git has the file.
      const { real } = await inspectPath(absolute);
      const both = [relative(root, absolute), relative(realRoot, real)].map(withSlashes);
      const path = both.find((each) => known.has(each));
      if (path !== undefined) found.add(path);
    }
    notes.push(...tasks.flatMap(({ id }) => [...found].map((path) => aNote(id, path))));
  }
  return notes;
}

function aNote(task: string, path: string): PolicyChange {
  const note = `\`${path}\`, which holds the results, is a file of the repository: see that it is what the tool says of this change, or let the job run the tool`;
  return toldNote(note, { task });
}
