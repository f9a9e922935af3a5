import { findRepository } from "../files/locate.ts";
import { inspectPath } from "../files/files.ts";
import type { EditedFiles } from "../../model/outcomes/policy.ts";
import { gitsReason } from "./git.ts";
import { askWithOwnIndex } from "./own-index.ts";

/**
 * The files of a checkout whose content is not the commit's, by their paths from this folder; none outside git. Files that are
 * missing don't count, as a checkout may be sparse. `commit`: the one to compare with, by its id.
 */
export async function findEdited(root: string, commit = "HEAD"): Promise<EditedFiles> {
  try {
    return await askWithOwnIndex(root, { at: commit }, async ({ git }) => {
      const listed = await git(["diff", "--name-only", "-z", "--relative", ...differing]);
      return { kind: "found", paths: listed.split("\0").filter((path) => path !== "") };
    });
  } catch (error) {
    const { real } = await inspectPath(root);
    if ((await findRepository(real)) === undefined) return { kind: "found", paths: [] };
    return { kind: "unknown", reason: gitsReason(error) };
  }
}

const differing = ["--diff-filter=MT", "--no-renames", "--no-ext-diff", "--ignore-submodules"];
