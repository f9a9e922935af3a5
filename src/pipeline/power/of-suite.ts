import { isAggregated, withSampleMetrics } from "../../domain/metric.ts";
import { defaultAlpha, type MetricSpec } from "../../domain/suite.ts";
import { covers, isInFamily, planRules, type PlannedRule, type Target } from "../../gate/plan.ts";
import type { Prepared } from "../prepare.ts";
import { assumedNoise, type Place, placeParts, unitOfRange } from "./place.ts";

/** The metrics that a suite's relative rules will be about; without such rules each task's first one. */
export function placesOfSuite(prepared: Prepared): readonly Place[] {
  const compared = comparisonsOf(prepared);
  const comparisons = compared.filter(({ rule }) => isInFamily(rule)).length;
  const ruled = compared.flatMap(({ rule, target, spec }) => {
    const shared = isInFamily(rule) ? comparisons : 1;
    return (
      placeAt(prepared, { target, spec, alpha: rule.alpha / shared, comparisons: shared }) ?? []
    );
  });
  if (compared.length > 0) return ruled;
  return targetsOf(prepared)
    .filter(({ spec, first }) => spec.id === first)
    .flatMap((one) => placeAt(prepared, { ...one, alpha: defaultAlpha, comparisons: 1 }) ?? []);
}

/** One comparison that a rule will make. */
export interface PlannedComparison {
  readonly rule: PlannedRule;
  readonly target: Target;
  readonly spec: MetricSpec;
}

/** Every comparison that the rules of a suite ask for, over all cases; what a slice has is known when it has run. */
export function comparisonsOf({
  suite,
  tasks,
  candidateSpecs,
}: Prepared): readonly PlannedComparison[] {
  const metrics = new Map(tasks.map(({ spec }) => [spec.id, spec.metrics]));
  const rules = planRules(suite.gate, metrics);
  const targets = targetsOf({ tasks, candidateSpecs });
  return rules
    .filter(({ prove, slice }) => slice === undefined && (prove === "drop" || prove === "no_drop"))
    .flatMap((rule) =>
      targets
        .filter(({ target }) => covers(rule, target))
        .map(({ target, spec }) => ({ rule, target, spec })),
    );
}

interface SuiteTarget {
  readonly target: Target;
  readonly spec: MetricSpec;
  /** The task's first metric. */
  readonly first: string | undefined;
}

function targetsOf({
  tasks,
  candidateSpecs,
}: Pick<Prepared, "tasks" | "candidateSpecs">): readonly SuiteTarget[] {
  return tasks.flatMap(({ spec: task }) =>
    withSampleMetrics(task.metrics)
      .filter(isAggregated)
      .flatMap((spec) =>
        candidateSpecs.map(({ id }) => ({
          target: { task: task.id, candidate: id, metric: spec.id },
          spec,
          first: task.metrics[0]?.id,
        })),
      ),
  );
}

function placeAt(
  { tasks }: Prepared,
  asked: Pick<SuiteTarget, "target" | "spec"> & {
    readonly alpha: number;
    readonly comparisons: number;
  },
): Place | undefined {
  const { target, spec, alpha, comparisons } = asked;
  const task = tasks.find(({ spec: one }) => one.id === target.task);
  const noise = task && assumedNoise(spec, task.spec.repeats);
  if (task === undefined || noise === undefined || spec.range === null) return undefined;
  const { repeats } = task.spec;
  const means = repeats === 1 ? "bits" : "shares";
  return {
    ...target,
    slice: null,
    unit: unitOfRange(spec.range),
    cases: task.dataset.size,
    repeats,
    alpha,
    comparisons,
    noise,
    scores: spec.scale === "binary" && spec.aggregation === "mean" ? means : "graded",
    width: spec.range[1] - spec.range[0],
    ...placeParts(spec),
  };
}
