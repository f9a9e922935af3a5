import { Refusal } from "../../model/refusal.ts";
import { concludeStep } from "../runner/conclusion.ts";
import { readInputs } from "../runner/inputs.ts";
import { noteOf } from "../runner/log.ts";
import { writeStepSummary } from "../runner/summary.ts";
import { tellEnd } from "../runner/tell.ts";
import { openChecks, type Checks } from "./checks.ts";
import { contextOfJudged } from "./judged-commit.ts";
import { mergeMode } from "./merge-mode.ts";
import { tellGroup } from "./merge-queue.ts";
import { reportMode } from "./report-mode.ts";
import { runMode } from "./run-mode.ts";
import type { StepSetup } from "./step-plan.ts";
import { openGitHubAccess, type Step } from "./step.ts";
import { summaryOf, tellNothing } from "./tell.ts";

/**
 * Runs the action's step, from its inputs to its exit code. `onChecks` receives the checks as soon as there may be one:
 * anything that ends the process early must complete them.
 */
export async function runStep(
  step: Step,
  payload: unknown,
  onChecks: (checks: Checks) => void,
): Promise<number> {
  let setup: StepSetup | undefined;
  try {
    const read = readInputs(step.env);
    if (read.kind === "problems") throw new Refusal(read.problems);
    const { settings } = read;
    const access = openGitHubAccess(step, settings.token);
    const context = await contextOfJudged({ settings, access }, step);
    const judging = { ...step, context };
    const checks = openChecks({ ...judging, access: access, mode: settings.checkRun });
    onChecks(checks);
    setup = { settings, payload, access: access, checks };
    return await runByMode(setup, judging);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return reportRefusal(cause, setup, step);
  }
}

function runByMode(setup: StepSetup, step: Step): Promise<number> {
  const { mode } = setup.settings;
  switch (mode) {
    case "run":
      return runMode(setup, step);
    case "merge":
      return mergeMode(setup, step);
    case "report":
      return reportMode(setup, step);
  }
}

/** Reports a refusal that came before the first suite was opened. */
async function reportRefusal(
  refusal: Refusal,
  setup: StepSetup | undefined,
  step: Step,
): Promise<number> {
  const { problems, exit } = refusal;
  const end = { kind: "refused", manifest: "The step", problems, exit } as const;
  tellEnd(end, [], step.log);
  for (const found of await writeStepSummary(step.env, [summaryOf(end, step)]))
    step.log.warning(noteOf(found));
  const conclusion = concludeStep([end], { failOn: [], cancelled: false });
  tellNothing(conclusion, [end], step);
  if (setup !== undefined) {
    const { comment, failOn } = setup.settings;
    await tellGroup({ ends: [end], comment, failOn, access: setup.access }, step);
  }
  return conclusion.stepCode;
}
