import { whyVoid } from "../model/judge-calibration.ts";
import { problem, type Problem } from "../model/refusal.ts";
import type { PreparedTask } from "./open-task.ts";
import type { Resolved } from "./prepare.ts";

/** People's labels of another judge than the suite's: their figures are not shown. */
export function voidCalibrations(
  { suite, place }: Resolved,
  tasks: readonly PreparedTask[],
): readonly Problem[] {
  const { metrics = [] } = suite.judge_calibration ?? {};
  return metrics.flatMap(({ task, metric, bound }) => {
    const fingerprint = tasks.find(({ spec }) => spec.id === task)?.fingerprint;
    const what = fingerprint && whyVoid(bound, fingerprint);
    if (what === undefined) return [];
    const found = { metric: `${task}/${metric}`, what };
    return [problem("judge_calibration_void", found, place(["judge_calibration"]))];
  });
}
