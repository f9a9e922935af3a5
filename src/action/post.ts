import { recallChecks } from "../platform/check-memory.ts";
import { completeCheck } from "../platform/check-run.ts";
import { renderCheck } from "../report/check.ts";
import { circumstancesOf } from "./circumstances.ts";
import { leaveAttempt } from "./resume.ts";
import { openOffice, type Step } from "./step.ts";

/** The runner calls the action again when the job ends, however it ends, and hands it what it has kept. */
export function isPostStep(env: Step["env"]): boolean {
  return env["STATE_regrade-main"] === "1";
}

/** Keeps what was stopped, and completes the checks that a killed process left open. The step's conclusion is what it was. */
export async function runPost(step: Step): Promise<number> {
  await leaveAttempt(step);
  const checks = recallChecks(step.env);
  const office = openOffice(step, step.env["INPUT_TOKEN"] ?? "");
  if (checks.length === 0 || office.github === undefined) return 0;
  const github = await office.github();
  for (const check of checks) {
    const suite = check.subject.name.replace(/^Regrade: /, "");
    const end = { kind: "refused", manifest: suite, problems: [], exit: 130 } as const;
    const known = { artifactId: undefined, workspace: "" };
    const circumstances = circumstancesOf(end, step.context, known);
    const reason = { kind: "cancelled" } as const;
    const output = renderCheck({ kind: "no_run", suite, reason, circumstances });
    const done = await completeCheck(github, check, { conclusion: "cancelled", output });
    if (done.kind === "failed") office.tellFailure(done);
  }
  step.log.info("Completed the checks that the run left open.");
  return 0;
}
