import { isJsonObject } from "../../model/json.ts";
import { findLastRun } from "../api/last-run.ts";
import { runPage } from "../runner/context.ts";
import { writeStepSummary } from "../runner/summary.ts";
import type { StepSetup } from "./step-plan.ts";
import type { Step } from "./step.ts";

/** Actions of a pull request that change no commit, but start another run of the same one. */
const actionsWithoutCommit: readonly unknown[] = [
  "reopened",
  "ready_for_review",
  "converted_to_draft",
  "review_requested",
  "review_request_removed",
  "assigned",
  "unassigned",
  "milestoned",
  "demilestoned",
  "locked",
  "unlocked",
  "auto_merge_enabled",
  "auto_merge_disabled",
];

/**
 * Warns reviewers that a commit is judged again after a run for it failed. A pull request can be closed and reopened
 * until a candidate is lucky, and such runs do not add their samples to each other as the attempts of one run do.
 */
export async function tellJudgedBefore(
  { payload, access }: StepSetup,
  { context, log, env }: Step,
): Promise<void> {
  const { event, pull, attempt, workflow, runId: ownRunId } = context;
  const action = isJsonObject(payload) ? payload["action"] : undefined;
  const isAgain =
    event === "pull_request" && attempt === 1 && actionsWithoutCommit.includes(action);
  if (!isAgain || pull === undefined || workflow.path === undefined) return;
  const github = await access.github?.();
  const asked = { headSha: pull.headSha, workflowPath: workflow.path, ownRunId };
  const doing = { what: "finding the last run of this commit", permission: "actions: read" };
  const found = await github?.attempt(doing, () => findLastRun(asked, github));
  if (found?.kind !== "done" || found.value.kind !== "found") return;
  const { id, conclusion } = found.value.run;
  if (conclusion !== "failure") return;
  const text = `The run before this one for the same commit failed: ${runPage(context, id)}. This one judges the commit anew and adds nothing to it. Re-run that one to add samples.`;
  log.warning({ title: "Judged again", message: text });
  await writeStepSummary(env, [text]);
}
