import { isSampleMetric } from "../../model/definition/metric.ts";
import { nearest } from "../../base/nearest.ts";
import { recordedTask, type RecordedTask } from "../../model/definition/recorded.ts";
import { problem } from "../../model/refusal.ts";
import type { Problem } from "../../model/refusal.ts";
import type { ResultMetric, ResultsAsked } from "../../model/results.ts";
import type { MetricSpec, Task } from "../../model/definition/suite.ts";
import { limitProblems } from "./gate.ts";
import type { TakenGroup } from "./groups.ts";
import type { TakenResults } from "./take.ts";

/** Adds metrics and repeats from the files to the task; the manifest's own description of a metric has priority. */
export function withFacts(
  { spec, group }: { readonly spec: RecordedTask; readonly group: TakenGroup },
  results: ResultsAsked | undefined,
): Task & RecordedTask {
  const known = new Map(group.metrics.map((metric) => [metric.id, metric]));
  const own = spec.metrics.filter(({ id }) => !isSampleMetric(id));
  const metrics =
    own.length === 0
      ? [
          ...group.metrics.map((metric, i) => unlessPartial(specOf(metric), i, group)),
          ...spec.metrics,
        ]
      : spec.metrics.map((metric) => withKnown(metric, known.get(metric.id), spec.from.directed));
  const task = recordedTask({ ...spec, metrics, repeats: group.repeats.size });
  return results?.isBaseline === true ? withoutLacking(task, group) : task;
}

/** A baseline without the requested metrics that it lacks. */
function withoutLacking(
  task: Task & RecordedTask,
  { metrics: found }: TakenGroup,
): Task & RecordedTask {
  const known = new Set(found.map(({ id }) => id));
  const metrics = task.metrics.filter(({ id }) => isSampleMetric(id) || known.has(id));
  return { ...task, metrics };
}

/**
 * A metric that only some cases have, such as a tool's assertion, gets no aggregation unless a rule or a manifest asks
 * for it. The main metric always counts every case.
 */
function unlessPartial(metric: MetricSpec, i: number, { complete }: TakenGroup): MetricSpec {
  return i === 0 || complete.has(metric.id) ? metric : { ...metric, aggregation: "none" };
}

function specOf({ id, range, direction, scale }: ResultMetric): MetricSpec {
  const higher_is_better = direction === "higher_is_better";
  return { id, aggregation: "mean", higher_is_better, range, scale: scale ?? null };
}

function withKnown(
  metric: MetricSpec,
  known: ResultMetric | undefined,
  directed: readonly string[],
): MetricSpec {
  if (known === undefined) return metric;
  const found = specOf(known);
  return {
    ...metric,
    higher_is_better: directed.includes(metric.id)
      ? metric.higher_is_better
      : found.higher_is_better,
    range: metric.range ?? found.range,
    scale: metric.scale ?? found.scale,
  };
}

/** A task, and the results that it comes from. */
interface Chosen {
  readonly spec: Task;
  readonly group: TakenGroup;
  readonly taken: TakenResults;
}

/** Problems with the requested metrics. A baseline has none: a metric that it lacks is new in the judged run. */
export function askedProblems(
  tasks: readonly Chosen[],
  results: ResultsAsked | undefined,
): readonly Problem[] {
  if (results?.isBaseline === true) return [];
  const missing = metricProblems(tasks);
  if (missing.length > 0 || results === undefined) return missing;
  const specs = tasks.map(({ spec }) => spec);
  return limitProblems(results.rules, specs, (id) => {
    const found = tasks.find(({ spec }) => spec.id === id);
    return { file: found?.taken.files[0]?.path ?? "" };
  });
}

/** Problems of requested metrics without any score: most likely the name is misspelt. */
function metricProblems(tasks: readonly Chosen[]): readonly Problem[] {
  return tasks.flatMap(({ spec, group, taken }) => {
    const known = group.metrics.map(({ id }) => id);
    const missing = spec.metrics.filter(
      ({ id }) => !isSampleMetric(id) && known.length > 0 && !known.includes(id),
    );
    return missing.map(({ id: metric }) =>
      problem(
        "results_metric_missing",
        { metric, known, nearest: nearest(metric, known) },
        { file: taken.files[0]?.path ?? "" },
      ),
    );
  });
}
