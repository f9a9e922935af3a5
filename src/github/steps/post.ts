import { setTimeout as sleep } from "node:timers/promises";
import { recallChecks } from "../api/check-memory.ts";
import { completeCheck, findCheck, type CheckEnd, type OpenCheck } from "../api/check-run.ts";
import type { CallResult, GitHub } from "../api/github.ts";
import { githubPace } from "../api/pace.ts";
import { renderCheck } from "../../report/check.ts";
import { circumstancesOf } from "./circumstances.ts";
import { leaveAttempt } from "./resume.ts";
import { openGitHubAccess, type Step } from "./step.ts";

/**
 * Completes the checks that a killed process left open, and then keeps the files of a stopped run, which may take the
 * rest of the time.
 */
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
  const access = openGitHubAccess(step, step.env["INPUT_TOKEN"] ?? "");
  if (checks.length === 0 || access.github === undefined) return;
  const github = await access.github();
  for (const check of checks) {
    const said = await closeCheck(check, github, step);
    step.log.info(`${check.subject.name}: ${said}`);
  }
}

/** Completes a check, and logs the result. The run has already warned if it could not complete the check itself. */
async function closeCheck(check: OpenCheck, github: GitHub, step: Step): Promise<string> {
  const id = await idOf(check, github, step);
  if (id.kind === "failed") return id.problem.message;
  if (id.value === undefined) return "not begun";
  const ended =
    check.cameTo === undefined
      ? cancelled(check, step)
      : { conclusion: check.cameTo, output: lateOutput(step) };
  const done = await completeCheck(github, { ...check, id: id.value }, ended);
  return done.kind === "failed" ? done.problem.message : "completed; the run left it open";
}

function cancelled({ subject }: OpenCheck, { context }: Step): CheckEnd {
  const suite = subject.name.replace(/^Regrade: /, "");
  const end = { kind: "refused", manifest: suite, problems: [], exit: 130 } as const;
  const known = { artifactId: undefined, workspace: "", severalSuites: false };
  const circumstances = circumstancesOf(end, context, known);
  const reason = { kind: "cancelled" } as const;
  const output = renderCheck({ kind: "no_run", suite, reason, circumstances });
  return { conclusion: "cancelled", output };
}

/** The text for a check that is completed late. The original text is not kept; the run's page has it. */
function lateOutput({ context }: Step): CheckEnd["output"] {
  const page = context.runUrl === undefined ? "The run" : `[The run](${context.runUrl})`;
  return {
    title: "The verdict's reasons are in the run's summary",
    summary: `GitHub did not take this check when the suite was judged; the end of the step has completed it. ${page} has the figures.`,
    text: "",
    annotations: [],
  };
}

/** Pause before a check is looked up again: a request that a killed process had sent may still be on its way. */
const pauseMilliseconds = 3000;

async function idOf(
  { id, subject }: OpenCheck,
  github: GitHub,
  { env }: Step,
): Promise<CallResult<number | undefined>> {
  if (id !== undefined) return { kind: "done", value: id };
  const looked = await findCheck(github, subject);
  if (looked.kind === "done" && looked.value !== undefined) return looked;
  await sleep(githubPace(env).pauseMilliseconds(pauseMilliseconds));
  return findCheck(github, subject);
}
