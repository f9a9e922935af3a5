import { builtinGraders, isBuiltinGrader } from "../../model/definition/builtins.ts";
import {
  isMetricOf,
  metricIdOf,
  type NamedGrader,
  type SeveralGraders,
  type SingleGrader,
} from "../../model/definition/graders.ts";
import { weightedId } from "../../model/definition/metric.ts";
import { problem } from "../../model/refusal.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import type { ManifestContext } from "../context.ts";
import { type Part, placeOf } from "../../base/part.ts";

/** Metrics of several graders, each under its grader's name. */
export function severalMetrics(
  { graders }: SeveralGraders,
  givenBy: (grader: SingleGrader) => readonly MetricSpec[],
): readonly MetricSpec[] {
  return graders.flatMap((named) =>
    givenBy(named.grader).map((metric) => withId(metric, metricIdOf(named, metric.id))),
  );
}

function withId(metric: MetricSpec, id: string): MetricSpec {
  return { ...metric, id };
}

/** Whether one of the graders may give a metric of this name: code may give any, under its own name. */
export function mayGive({ graders }: SeveralGraders, id: string): boolean {
  return graders.some((named) => givesOthers(named.grader) && isMetricOf(named, id));
}

/** Whether a grader gives undeclared scores. */
export function givesOthers({ type }: SingleGrader): boolean {
  if (!isBuiltinGrader(type)) return true;
  const { givesOthers: isOpen, seesAll } = builtinGraders[type];
  return isOpen === true || seesAll === true;
}

/**
 * The weighted `score`, as far as it can be described: its range is the weighted mean of the parts' ranges, if all have
 * one. undefined if no part has a weight. A part where lower is better can't be combined with the others.
 */
export function weightedMetric(
  { graders }: SeveralGraders,
  metrics: readonly MetricSpec[],
  { list, context }: { readonly list: Part; readonly context: ManifestContext },
): MetricSpec | undefined {
  const weighed = graders.filter(({ weight }) => weight > 0);
  if (weighed.length === 0) return undefined;
  for (const { name } of weighed) {
    if (metrics.find(({ id }) => id === name)?.higher_is_better !== false) continue;
    context.refuse(problem("grader_weight_direction", { name }, placeOf(list)));
  }
  return {
    id: weightedId,
    aggregation: "mean",
    higher_is_better: true,
    range: weightedRange(weighed, metrics),
    scale: "graded",
    description: `The weighted mean of ${weighed.map(({ name }) => name).join(", ")}.`,
  };
}

function weightedRange(
  weighed: readonly NamedGrader[],
  metrics: readonly MetricSpec[],
): MetricSpec["range"] {
  let [low, high, total] = [0, 0, 0];
  for (const { name, weight } of weighed) {
    const range = metrics.find(({ id }) => id === name)?.range ?? null;
    if (range === null) return null;
    low += weight * range[0];
    high += weight * range[1];
    total += weight;
  }
  return [low / total, high / total];
}
