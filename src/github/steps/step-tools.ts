import type { Tools } from "../../tools.ts";
import type { Settings } from "../runner/inputs.ts";
import { createProgress } from "../runner/progress.ts";
import { openTools } from "../../wiring.ts";
import { openBase } from "./ci.ts";
import type { Step } from "./step.ts";
import type { StepSetup } from "./step-plan.ts";

/** Tools for making the runs' pages; undefined: pages are not wanted. */
export function pageTools({ settings }: StepSetup, step: Step): Tools | undefined {
  return settings.report ? toolsOf(settings, step) : undefined;
}

/** The tools of a run, by the action's inputs. */
export function toolsOf(
  { python, sandbox, cachePath }: Settings,
  { log, secrets, signal, env }: Step,
): Tools {
  return openTools({
    python,
    sandbox,
    report: createProgress(log.info, Date.now),
    secrets,
    signal,
    env,
    workingDirectory: process.cwd(),
    cachePath,
  });
}

/** Opens commits. A checkout usually has only one, so others are fetched. */
export function commitOpener({ settings, access }: StepSetup, step: Step): Tools["openCommit"] {
  const { token } = settings;
  const workingDirectory = process.cwd();
  return (sha) => openBase({ sha, ref: sha }, { access: access, token, workingDirectory }, step);
}
