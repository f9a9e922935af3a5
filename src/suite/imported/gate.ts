import { ownValue } from "../../model/own-value.ts";
import { exceedsSpan, isSampleMetric, valueRange } from "../../model/definition/metric.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { ResultRules } from "../../model/results.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { defaultMaxDrop } from "../../gate/rules/plan.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import type { Gate, RuleSpec } from "../../model/definition/gate.ts";

/** The metrics of a judged task, the main one first. */
export interface JudgedTask {
  readonly id: string;
  readonly metrics: readonly MetricSpec[];
}

/** The baseline's metrics and rules. */
export type Earlier = Pick<Run["suite"], "tasks" | "gate">;

/**
 * The gate for the given flags. A given drop applies to each named metric, whatever its range; without one, the default
 * rule applies to metrics with the range [0, 1], in addition to the other rules.
 *
 * Metrics that judged the baseline are judged here too, unless flags name others: a file whose main metric has changed
 * or is missing must not pass because of that.
 */
export function gateOf(
  rules: ResultRules,
  tasks: readonly JudgedTask[],
  earlier: Earlier | undefined,
): Gate {
  const { maxDrop, min } = rules;
  const judged = tasks.map((task) => ({ task, gated: gated(task, rules.metrics, earlier) }));
  const isUsual = judged.every(({ task, gated: own }) => isByDefault(task, own));
  if (maxDrop === undefined && min === undefined && isUsual) return {};
  return {
    rules: judged.flatMap(({ task, gated: own }) =>
      own.flatMap(({ spec, wasShare }) => {
        const drop = maxDrop ?? (wasShare ? defaultMaxDrop : undefined);
        return rulesOf(`${task.id}/${spec.id}`, spec, { drop, min });
      }),
    ),
  };
}

/** Orders a task's metrics by the baseline's gate: the main metric is that of both sides. */
export function leadBy(
  task: JudgedTask,
  wanted: readonly string[],
  earlier: Earlier | undefined,
): readonly MetricSpec[] {
  if (wanted.length > 0) return task.metrics;
  const first = gated(task, wanted, earlier).flatMap(({ spec }) => {
    const own = task.metrics.find(({ id }) => id === spec.id);
    // A judged metric stays in the figures even if some cases lack it.
    if (own === undefined) return [];
    return [own.aggregation === "none" ? { ...own, aggregation: "mean" as const } : own];
  });
  const ids = new Set(first.map(({ id }) => id));
  return [...first, ...task.metrics.filter(({ id }) => !ids.has(id))];
}

/** Problems of limits far outside their metric's values: most likely percentage points written as whole numbers. */
export function limitProblems(
  { maxDrop, min, metrics }: ResultRules,
  tasks: readonly JudgedTask[],
  placeOf: (task: string) => Place | undefined,
): readonly Problem[] {
  const problems: Problem[] = [];
  for (const task of tasks)
    for (const { spec } of gated(task, metrics, undefined)) {
      const range = valueRange(spec);
      if (range === null) continue;
      const [low, high] = range;
      const said = { metric: `${task.id}/${spec.id}`, range };
      const complain = (limit: string, value: number): void =>
        void problems.push(
          problem("results_limit_outside", { ...said, limit, value }, placeOf(task.id)),
        );
      if (maxDrop !== undefined && exceedsSpan(maxDrop, range)) complain("max-drop", maxDrop);
      if (min !== undefined && (min < low || min > high)) complain("min", min);
    }
  return problems;
}

interface Gated {
  readonly spec: MetricSpec;
  /** True if the range is [0, 1] in this run or in the baseline: a value outside does not remove the default rule. */
  readonly wasShare: boolean;
}

function gated(
  { id, metrics }: JudgedTask,
  wanted: readonly string[],
  earlier: Earlier | undefined,
): readonly Gated[] {
  const there = ownValue(earlier?.tasks, id)?.metrics ?? [];
  const named = metrics.filter((metric) => wanted.includes(metric.id));
  const isCompared = named.some((metric) => isAmong(there, metric));
  // A missing metric fails by itself: the gate reports metrics that only the baseline has.
  const before = isCompared ? [] : gatedBefore(id, earlier).filter((one) => isAmong(metrics, one));
  const own = wanted.length > 0 || before.length > 0 ? named : metrics.slice(0, 1);
  const ids = new Set([...own, ...before].map((metric) => metric.id));
  return [...ids].flatMap((each) => {
    const spec = metrics.find((metric) => metric.id === each);
    const base = there.find((metric) => metric.id === each);
    if (spec === undefined) return [];
    return [{ spec, wasShare: isShare(spec) || (base !== undefined && isShare(base)) }];
  });
}

/** Metrics of a task that the baseline's rules name; without such rules its main metric. */
function gatedBefore(task: string, earlier: Earlier | undefined): readonly MetricSpec[] {
  const metrics = (ownValue(earlier?.tasks, task)?.metrics ?? []).filter(
    ({ id }) => !isSampleMetric(id),
  );
  const gate = earlier?.gate;
  if (gate === undefined || gate === "none") return metrics.slice(0, 1);
  const named = new Set((gate.rules ?? []).map(({ metric }) => metric));
  const ruled = metrics.filter(({ id }) => named.has(`${task}/${id}`));
  return ruled.length > 0 ? ruled : metrics.slice(0, 1);
}

/** Whether the default rule judges the same, because it covers a task's first metric. */
function isByDefault({ metrics }: JudgedTask, own: readonly Gated[]): boolean {
  if (own.length !== 1) return own.length === 0;
  const [first] = metrics;
  return own.every((one) => one.spec.id === first?.id && (!one.wasShare || isShare(first)));
}

function isAmong(metrics: readonly MetricSpec[], { id }: MetricSpec): boolean {
  return metrics.some((metric) => metric.id === id);
}

function isShare({ range }: MetricSpec): boolean {
  return range?.[0] === 0 && range[1] === 1;
}

/** Rules for the metrics; if lower is better, a rise is the loss. */
function rulesOf(
  metric: string,
  { higher_is_better }: MetricSpec,
  { drop, min }: { readonly drop: number | undefined; readonly min: number | undefined },
): readonly RuleSpec[] {
  const rules: RuleSpec[] = [];
  if (drop !== undefined)
    rules.push(higher_is_better ? { metric, max_drop: drop } : { metric, max_rise: drop });
  if (min !== undefined) rules.push({ metric, min });
  return rules;
}
