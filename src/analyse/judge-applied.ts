import { ownValue } from "../model/own-value.ts";
import { readCalibration } from "../manifest/task-graders/judge-calibration.ts";
import { type JudgeApplied, type KnownJudge, whyVoid } from "../model/figures/judge-calibration.ts";
import { problem, Refusal, type Problem } from "../model/refusal.ts";
import type { StoredRun } from "../model/ports/store.ts";
import { judgedValues } from "../verdict/judged-values.ts";

/**
 * Corrects a run's means by an earlier calibration of the judge. Throws a Refusal if the rubric or the model is not the
 * one that the calibration was made with.
 */
export function applyCalibration(
  { run, directory, ledger }: StoredRun,
  { path, text }: { readonly path: string; readonly text: string },
): JudgeApplied {
  const known = readCalibration(text, path);
  if (known === undefined)
    throw new Refusal(problem("judge_calibration_bad", undefined, { file: path }));
  const { tasks } = run.suite;
  const voids = known.flatMap((one) => voidProblem(tasks, one, path));
  if (voids.length > 0) throw new Refusal(voids);
  return {
    format: "regrade.judge-applied/1",
    suite: run.suite.name,
    run: { id: run.id, directory },
    metrics: judgedValues({ tasks, ledger, metrics: run.metrics }, { metrics: known }),
    notes: [
      "Corrected by an earlier calibration of the same rubric and model. The correction holds if this run's answers are similar to those that were labelled then.",
    ],
  };
}

function voidProblem(
  tasks: StoredRun["run"]["suite"]["tasks"],
  { task, metric, bound }: KnownJudge,
  path: string,
): readonly Problem[] {
  const now = ownValue(tasks, task)?.fingerprint;
  const what = now === undefined ? "the run has no such task" : whyVoid(bound, now);
  if (what === undefined) return [];
  return [problem("judge_calibration_void", { metric: `${task}/${metric}`, what }, { file: path })];
}
