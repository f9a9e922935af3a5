import { ownValue } from "../../model/own-value.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { figure, unitOf, type MetricName } from "./figures.ts";

/**
 * Text of a case's score: `✅ 1` or `❌ 0` for metrics that are right or wrong, `❌ 1/3` if the repeats of a case were
 * averaged, `$0.01`, `0.871`. A share is shown as a score, not as a percentage.
 */
export function scoreWords(run: Run, of: MetricName): (score: number) => string {
  const found = run.metrics.find(({ task, metric }) => task === of.task && metric === of.metric);
  const task = ownValue(run.suite.tasks, of.task);
  const unit = unitOf(run, of);
  const plain = (score: number): string => figure(score, unit === "share" ? "number" : unit);
  if (found?.scale !== "binary" || !found.higher_is_better) return plain;
  const repeats = task?.repeats ?? 1;
  const isMean = task?.metrics.find(({ id }) => id === of.metric)?.reducer === undefined;
  return (score) => `${markOf(score)} ${isMean ? share(score, repeats, plain) : plain(score)}`;
}

function markOf(score: number): string {
  if (score === 1) return "✅";
  return score === 0 ? "❌" : "🟡";
}

/** `2/3`, if this number of repeats can give the score. */
function share(score: number, repeats: number, plain: (score: number) => string): string {
  const right = Math.round(score * repeats);
  const isWhole = Math.abs(score * repeats - right) < 1e-6;
  return repeats > 1 && isWhole ? `${right}/${repeats}` : plain(score);
}
