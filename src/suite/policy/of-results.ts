import type { BaseTree } from "../../model/outcomes/policy.ts";
import type { Prepared } from "../prepare.ts";
import type { Tools } from "../../tools.ts";
import { committedResults } from "./committed-results.ts";
import type { OpenPolicy } from "./open.ts";
import { editedJudges } from "./graders/result-judges.ts";
import { workflowChanges } from "./workflow.ts";

/**
 * Notes for reviewers on results without a manifest: what the change edits that may have altered them. The notes do not change
 * the verdict, whose rules are the workflow's inputs.
 */
export async function policyOfResults(
  judged: Prepared,
  tree: BaseTree,
  { files }: Tools,
): Promise<OpenPolicy> {
  const { root } = judged.suite;
  const { source, sha } = tree;
  const altered = await files.findAltered(root, tree);
  const changed = [
    ...(await workflowChanges(tree, root, files)),
    ...(await committedResults(judged, { ...altered, sha }, files)),
    ...editedJudges(judged.recorded?.parts ?? [], altered),
  ];
  const slots = { new: [], missing: [] };
  return { source, sha, suite: "none", base_path: null, slots, recorded: [], changed };
}
