import { join } from "node:path";
import type { BaseTree, PolicyChange } from "../../model/policy.ts";
import type { FileTools } from "../../tools.ts";
import { sameBytes } from "./recorded.ts";

/**
 * A note if the change edits the workflow that judges it. The inputs of the step are the base's, as far as its file has
 * them. The note does not block: an edited workflow could also leave this step out.
 */
export async function workflowChanges(
  { root: base, workflow }: BaseTree,
  head: string,
  files: FileTools,
): Promise<readonly PolicyChange[]> {
  if (workflow === undefined) return [];
  const paths = [join(base, workflow), join(head, workflow)] as const;
  const kinds = await Promise.all(paths.map(async (path) => (await files.inspectPath(path)).kind));
  // A workflow of another repository is in neither tree.
  if (kinds.every((kind) => kind === "missing")) return [];
  const isSame =
    kinds.every((kind) => kind === "file") &&
    (await sameBytes(files.readBytes(paths[0]), files.readBytes(paths[1])));
  const note = `\`${workflow}\`: whether this step runs, what runs before it, and whether its end counts, is the change's own word`;
  return isSame ? [] : [{ part: "workflow", task: null, effect: "told", note }];
}
