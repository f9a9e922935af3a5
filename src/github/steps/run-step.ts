import { Refusal } from "../../model/refusal.ts";
import { concludeStep } from "../runner/conclusion.ts";
import { readInputs } from "../runner/inputs.ts";
import { noteOf } from "../runner/log.ts";
import { writeSummary } from "../runner/summary.ts";
import { tellEnd } from "../runner/tell.ts";
import { openChecks, type Checks } from "./checks.ts";
import { mergeMode } from "./merge-mode.ts";
import { tellGroup } from "./merge-queue.ts";
import { reportMode } from "./report-mode.ts";
import { runMode, type ModeDesk } from "./run-mode.ts";
import { openOffice, type Step } from "./step.ts";
import { summaryOf, tellNothing } from "./tell.ts";

/**
 * The action's step, from its inputs to its exit code. `onChecks` is told of the checks as soon as there may be one: whatever
 * ends the process early has to complete them.
 */
export async function runStep(
  step: Step,
  payload: unknown,
  onChecks: (checks: Checks) => void,
): Promise<number> {
  let desk: ModeDesk | undefined;
  try {
    const read = readInputs(step.env);
    if (read.kind === "problems") throw new Refusal(read.problems);
    const { settings } = read;
    const office = openOffice(step, settings.token);
    const checks = openChecks({ ...step, office, mode: settings.checkRun });
    onChecks(checks);
    desk = { settings, payload, office, checks };
    return await runByMode(desk, step);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return reportRefusal(cause, desk, step);
  }
}

function runByMode(desk: ModeDesk, step: Step): Promise<number> {
  const { mode } = desk.settings;
  switch (mode) {
    case "run":
      return runMode(desk, step);
    case "merge":
      return mergeMode(desk, step);
    case "report":
      return reportMode(desk, step);
  }
}

/** Refused before the first suite was opened. */
async function reportRefusal(
  refusal: Refusal,
  desk: ModeDesk | undefined,
  step: Step,
): Promise<number> {
  const { problems, exit } = refusal;
  const end = { kind: "refused", manifest: "The step", problems, exit } as const;
  tellEnd(end, [], step.log);
  for (const found of await writeSummary(step.env, [summaryOf(end, step)]))
    step.log.warning(noteOf(found));
  const conclusion = concludeStep([end], { failOn: [], cancelled: false });
  tellNothing(conclusion, [end], step);
  if (desk !== undefined) {
    const { comment, failOn } = desk.settings;
    await tellGroup({ ends: [end], comment, failOn, office: desk.office }, step);
  }
  return conclusion.stepCode;
}
