import { recallChecks } from "../platform/check-memory.ts";
import { completeCheck } from "../platform/check-run.ts";
import { renderCheck } from "../report/check.ts";
import { circumstancesOf } from "./circumstances.ts";
import { leaveAttempt } from "./resume.ts";
import { openOffice, type Step } from "./step.ts";

/** Completes the checks that a killed process left open, and keeps what was stopped: that may take the rest of the time. */
export async function runPost(step: Step): Promise<number> {
  try {
    await closeChecks(step);
  } finally {
    await leaveAttempt(step);
  }
  return 0;
}

async function closeChecks(step: Step): Promise<void> {
  const checks = recallChecks(step.env);
  const office = openOffice(step, step.env["INPUT_TOKEN"] ?? "");
  if (checks.length === 0 || office.github === undefined) return;
  const github = await office.github();
  for (const check of checks) {
    const suite = check.subject.name.replace(/^Regrade: /, "");
    const end = { kind: "refused", manifest: suite, problems: [], exit: 130 } as const;
    const known = { artifactId: undefined, workspace: "", severalSuites: false };
    const circumstances = circumstancesOf(end, step.context, known);
    const reason = { kind: "cancelled" } as const;
    const output = renderCheck({ kind: "no_run", suite, reason, circumstances });
    const done = await completeCheck(github, check, { conclusion: "cancelled", output });
    // Where the run could not complete it either, it has said so as a warning.
    const said = done.kind === "failed" ? done.problem.message : "completed; the run left it open";
    step.log.info(`${check.subject.name}: ${said}`);
  }
}
