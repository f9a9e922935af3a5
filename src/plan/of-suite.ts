import { isAggregated, withSampleMetrics } from "../model/metric.ts";
import { defaultAlpha, type MetricSpec } from "../model/suite.ts";
import {
  covers,
  isProof,
  planRules,
  sharesAlpha,
  type PlannedRule,
  type Target,
} from "../gate/plan.ts";
import type { Noise } from "../model/statistics.ts";
import { countClusters } from "../gate/tests.ts";
import type { Prepared } from "../suite/prepare.ts";
import { assumedNoise, type PlannedCell, placeParts, unitOfRange } from "./place.ts";

/** The metrics that a suite's relative rules will be about; without such rules each task's first one. */
export async function placesOfSuite(prepared: Prepared): Promise<readonly PlannedCell[]> {
  const compared = comparisonsOf(prepared);
  const clusters = await clustersByTask(prepared);
  const at = { prepared, clusters };
  const ruled = compared.flatMap(({ rule, target, spec }) => {
    const shared = sharedBy(rule, compared);
    return placeAt(at, { target, spec, alpha: rule.alpha / shared, comparisons: shared }) ?? [];
  });
  if (compared.length > 0) return ruled;
  return targetsOf(prepared)
    .filter(({ spec, first }) => spec.id === first)
    .flatMap((one) => placeAt(at, { ...one, alpha: defaultAlpha, comparisons: 1 }) ?? []);
}

/** How many comparisons share a rule's alpha. */
export function sharedBy(rule: PlannedRule, compared: readonly PlannedComparison[]): number {
  if (!sharesAlpha(rule)) return 1;
  return compared.filter(({ rule: other }) => sharesAlpha(other, rule.prove)).length;
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
    .filter((rule) => rule.slice === undefined && isProof(rule))
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

/** By task id. */
type ClustersByTask = ReadonlyMap<string, Noise["clusters"]>;

/** The clusters of the cases of each task that is clustered, as far as its data are here. */
export async function clustersByTask({ tasks }: Pick<Prepared, "tasks">): Promise<ClustersByTask> {
  const found = new Map<string, Noise["clusters"]>();
  for (const { spec, dataset, clusterOf } of tasks) {
    if (spec.cluster_by === undefined || dataset.first !== undefined) continue;
    const clusters: (string | null)[] = [];
    for await (const batch of dataset.cases())
      for (const { row } of batch) clusters.push(clusterOf(row));
    const counted = countClusters(clusters);
    if (counted.count < clusters.length) found.set(spec.id, counted);
  }
  return found;
}

/** What two unchanged runs of a task are like, by what is assumed of them; undefined of a metric without a range. */
export function assumedComparison(
  { spec: { id, repeats }, dataset }: Prepared["tasks"][number],
  spec: MetricSpec,
  clusters: ClustersByTask,
): Noise | undefined {
  const noise = assumedNoise(spec, repeats);
  if (noise === undefined) return undefined;
  const isShare = spec.scale === "binary" && spec.aggregation === "mean";
  const among = clusters.get(id) ?? null;
  const bits = isShare && repeats === 1 && among === null;
  const { variance } = noise;
  return { n: dataset.size, variance, bits, lost: isShare ? 1 : 0, clusters: among, design: 1 };
}

function placeAt(
  at: { readonly prepared: Prepared; readonly clusters: ClustersByTask },
  asked: Pick<SuiteTarget, "target" | "spec"> & {
    readonly alpha: number;
    readonly comparisons: number;
  },
): PlannedCell | undefined {
  const { target, spec, alpha, comparisons } = asked;
  const task = at.prepared.tasks.find(({ spec: one }) => one.id === target.task);
  const noise = task && assumedNoise(spec, task.spec.repeats);
  const comparison = task && assumedComparison(task, spec, at.clusters);
  if (task === undefined || noise === undefined || spec.range === null) return undefined;
  if (comparison === undefined) return undefined;
  return {
    ...target,
    slice: null,
    unit: unitOfRange(spec.range),
    cases: task.dataset.size,
    repeats: task.spec.repeats,
    alpha,
    comparisons,
    noise,
    comparison,
    width: spec.range[1] - spec.range[0],
    ...placeParts(spec),
  };
}
