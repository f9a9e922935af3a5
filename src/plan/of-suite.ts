import { matchesName } from "../base/glob.ts";
import { isAggregated, withSampleMetrics } from "../model/definition/metric.ts";
import type { MetricSpec } from "../model/definition/suite.ts";
import { defaultAlpha } from "../model/definition/gate.ts";
import {
  covers,
  isProof,
  planRules,
  sharesAlpha,
  type PlannedRule,
  type Target,
} from "../gate/rules/plan.ts";
import type { Noise } from "../model/figures/statistics.ts";
import { countClusters, guessedDesign } from "../gate/rules/tests.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import type { Prepared } from "../suite/prepare.ts";
import { assumedNoise, type PlannedCell, placeParts, unitOfRange } from "./place.ts";

/** The metrics that a suite's relative rules compare; without such rules the first metric of each task. */
export async function placesOfSuite(prepared: Prepared): Promise<readonly PlannedCell[]> {
  const data = await dataByTask(prepared);
  const compared = comparisonsOf(prepared, data);
  const at = { prepared, data };
  const ruled = compared.flatMap(({ rule, target, spec }) => {
    // Assumptions cover all cases, not slices.
    if (rule.slice !== undefined) return [];
    const shared = sharedBy(rule, compared);
    return placeAt(at, { target, spec, alpha: rule.alpha / shared, comparisons: shared }) ?? [];
  });
  if (compared.some(({ rule }) => rule.slice === undefined)) return ruled;
  return targetsOf(prepared)
    .filter(({ spec, first }) => spec.id === first)
    .flatMap((one) => placeAt(at, { ...one, alpha: defaultAlpha, comparisons: 1 }) ?? []);
}

/** Number of comparisons that share a rule's alpha. */
export function sharedBy(rule: PlannedRule, compared: readonly PlannedComparison[]): number {
  if (!sharesAlpha(rule)) return 1;
  return compared.filter(({ rule: other }) => sharesAlpha(other, rule.prove)).length;
}

/** One comparison that a rule will make: over all cases, or over one of the slices that its glob names. */
export interface PlannedComparison {
  readonly rule: PlannedRule;
  readonly target: Target;
  readonly spec: MetricSpec;
}

/** Every comparison that the rules of a suite make, as far as its data are available. */
export function comparisonsOf(
  { suite, tasks, candidateSpecs }: Prepared,
  data: DataByTask,
): readonly PlannedComparison[] {
  const metrics = new Map(tasks.map(({ spec }) => [spec.id, spec.metrics]));
  const rules = planRules(suite.gate, metrics);
  const targets = targetsOf({ tasks, candidateSpecs });
  return rules.filter(isProof).flatMap((rule) =>
    targets
      .filter(({ target }) => covers(rule, target))
      .flatMap(({ target, spec }) => {
        const times = timesOf(rule, data.get(target.task)?.slices ?? []);
        return Array.from({ length: times }, () => ({ rule, target, spec }));
      }),
  );
}

/** Number of comparisons that a rule makes for one metric. */
function timesOf({ slice }: PlannedRule, slices: readonly string[]): number {
  return slice === undefined ? 1 : slices.filter((name) => matchesName(name, slice)).length;
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

/** The clusters and slices that the rows of a task give its comparisons. */
interface TaskData {
  /** null if each case is its own cluster. */
  readonly clusters: Noise["clusters"];
  /** `field=value` */
  readonly slices: readonly string[];
}

/** Clusters and slices by task id. */
export type DataByTask = ReadonlyMap<string, TaskData>;

/** Clusters and slices of the tasks that have them, as far as their data are available. */
export async function dataByTask({ tasks, suite }: Prepared): Promise<DataByTask> {
  const hasSliceRules = suite.gate !== "none" && suite.gate.rules?.some(({ slice }) => slice);
  const found = new Map<string, TaskData>();
  for (const task of tasks) {
    const { cluster_by, slices } = task.spec;
    const isAsked = cluster_by !== undefined || (slices.length > 0 && hasSliceRules === true);
    if (isAsked && task.dataset.first === undefined) found.set(task.spec.id, await readData(task));
  }
  return found;
}

async function readData({ dataset, clusterOf, slicesOf }: PreparedTask): Promise<TaskData> {
  const clusters: (string | null)[] = [];
  const slices = new Set<string>();
  for await (const batch of dataset.cases())
    for (const { row } of batch) {
      clusters.push(clusterOf(row));
      for (const [field, value] of Object.entries(slicesOf(row))) slices.add(`${field}=${value}`);
    }
  const counted = countClusters(clusters);
  return { clusters: counted.count < clusters.length ? counted : null, slices: [...slices] };
}

/** Assumed properties of two unchanged runs of a task; undefined for a metric without a range. */
export function assumedComparison(
  { spec: { id, repeats }, dataset }: PreparedTask,
  spec: MetricSpec,
  data: DataByTask,
): Noise | undefined {
  const noise = assumedNoise(spec, repeats);
  if (noise === undefined) return undefined;
  const isShare = spec.scale === "binary" && spec.aggregation === "mean";
  const among = data.get(id)?.clusters ?? null;
  const bits = isShare && repeats === 1 && among === null;
  const { variance } = noise;
  const n = dataset.size;
  const design = guessedDesign(n, among);
  return { n, variance, bits, lost: isShare ? 1 : 0, clusters: among, design };
}

function placeAt(
  at: { readonly prepared: Prepared; readonly data: DataByTask },
  asked: Pick<SuiteTarget, "target" | "spec"> & {
    readonly alpha: number;
    readonly comparisons: number;
  },
): PlannedCell | undefined {
  const { target, spec, alpha, comparisons } = asked;
  const task = at.prepared.tasks.find(({ spec: one }) => one.id === target.task);
  const noise = task && assumedNoise(spec, task.spec.repeats);
  const comparison = task && assumedComparison(task, spec, at.data);
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
    earlier: 1,
    width: spec.range[1] - spec.range[0],
    ...placeParts(spec),
  };
}
