import {
  fewestCases,
  fewestClusters,
  manyRepeats,
  reachProblem,
} from "../model/figures/detectable.ts";
import { problem, type Problem } from "../model/refusal.ts";
import type { GateSpec } from "../model/definition/gate.ts";
import type { PlannedRule } from "../gate/rules/plan.ts";
import { statistics } from "../stats/statistics.ts";
import {
  assumedComparison,
  comparisonsOf,
  type DataByTask,
  dataByTask,
  type PlannedComparison,
  sharedBy,
} from "./of-suite.ts";
import { assumedNoise, unitOfRange } from "./place.ts";
import type { Prepared } from "../suite/prepare.ts";
import { casesFor, smallestRepeated } from "../stats/sizing/reach.ts";
import { casesToPass, passingChance, usualPower } from "./detectable.ts";
import type { Path } from "../base/place.ts";

/**
 * Rules that can't work with so few cases or clusters: rules that can prove nothing at all; `prove: no_drop` rules that
 * pass an unchanged run in less than 4 of 5; `prove: drop` rules on 0/1 metrics whose limit is less than half of what is
 * proven in 4 of 5 runs, by the assumptions about two unchanged runs. Except for clusters, only rules that the manifest
 * declares: a default asks for nothing.
 */
export async function beyondProof(prepared: Prepared): Promise<readonly Problem[]> {
  const data = await dataByTask(prepared);
  const compared = comparisonsOf(prepared, data);
  const found = new Map<string, Problem>();
  for (const comparison of compared) {
    const { rule, target } = comparison;
    // The cases of a slice are known only after a run.
    if (rule.slice !== undefined) continue;
    const path = pathOf(rule, prepared) ?? clusterPath(target.task, prepared, data);
    const shared = sharedBy(rule, compared);
    const warning = path && warningOn(comparison, { prepared, data, shared, path });
    const key = JSON.stringify(path);
    if (warning !== undefined && !found.has(key)) found.set(key, warning);
  }
  return [...found.values()];
}

/** Position of the rule in the manifest; undefined for a default rule. */
function pathOf(rule: PlannedRule, { suite }: Prepared): Path | undefined {
  const { gate } = suite;
  if (gate === "none" || (rule.kind !== "max_drop" && rule.kind !== "max_rise")) return undefined;
  if (!rule.declared) return gate.max_drop === undefined ? undefined : ["gate", "max_drop"];
  const at = indexOf(rule, rule.kind, gate);
  return at < 0 ? undefined : ["gate", "rules", at, rule.kind];
}

/** Position of a task's `cluster_by` in the manifest. */
function clusterPath(task: string, { tasks }: Prepared, data: DataByTask): Path | undefined {
  const at = tasks.findIndex(({ spec }) => spec.id === task);
  return (data.get(task)?.clusters ?? null) !== null ? ["tasks", at, "cluster_by"] : undefined;
}

function indexOf(rule: PlannedRule, kind: "max_drop" | "max_rise", gate: GateSpec): number {
  return (gate.rules ?? []).findIndex(
    (one) =>
      one[kind] === rule.limit &&
      (one.prove ?? "drop") === rule.prove &&
      (one.metric === rule.metric || one.metric === `${rule.task}/${rule.metric}`) &&
      (one.candidate ?? "*") === rule.candidate &&
      one.against === rule.against,
  );
}

interface At {
  readonly prepared: Prepared;
  readonly data: DataByTask;
  /** Number of comparisons that share alpha. */
  readonly shared: number;
  readonly path: Path;
}

type PreparedTask = Prepared["tasks"][number];

function warningOn(comparison: PlannedComparison, at: At): Problem | undefined {
  const task = at.prepared.tasks.find((one) => one.spec.id === comparison.target.task);
  if (task === undefined) return undefined;
  const { size, first } = task.dataset;
  if (size === 0 || (first !== undefined && first.size === undefined)) return undefined;
  return (
    canNotProve(comparison, task, at) ??
    (comparison.rule.prove === "no_drop"
      ? rarelyShown(comparison, task, at)
      : beyondReach(comparison, task, at))
  );
}

/** `qa/exact_match` */
function nameOf({ target }: PlannedComparison): string {
  return `${target.task}/${target.metric}`;
}

function canNotProve(
  comparison: PlannedComparison,
  { spec, dataset }: PreparedTask,
  at: At,
): Problem | undefined {
  const { alpha, level } = comparison.rule;
  const clusters = at.data.get(spec.id)?.clusters ?? null;
  const isPossible = statistics.canProve({ n: dataset.size, clusters }, alpha / at.shared);
  if (isPossible || level !== "block") return undefined;
  const needed = (clusters === null ? fewestCases : fewestClusters)(alpha, at.shared);
  const found = {
    rule: nameOf(comparison),
    cases: dataset.size,
    clusters: clusters?.count ?? null,
    comparisons: at.shared,
    needed,
  };
  return problem("rule_cannot_prove", found, at.prepared.place(at.path));
}

/** A rule that needs more cases to pass most unchanged runs, by the assumptions about them. */
function rarelyShown(
  { rule, spec }: PlannedComparison,
  { spec: { repeats }, dataset }: PreparedTask,
  at: At,
): Problem | undefined {
  const { kind, limit, alpha, level } = rule;
  const noise = spec.aggregation === "mean" ? assumedNoise(spec, repeats) : undefined;
  if (noise === undefined || !(limit > 0)) return undefined;
  const cases = dataset.size;
  const { variance, words: assumption } = noise;
  const [least, most] = spec.range ?? [0, 1];
  const unchanged = { variance, alpha, width: most - least };
  const chance = passingChance(limit, { ...unchanged, n: cases });
  if (chance !== undefined && chance >= usualPower) return undefined;
  const needed = casesToPass(limit, unchanged);
  const fewer = casesToPass(limit, { ...unchanged, variance: (variance * repeats) / manyRepeats });
  const repeated = repeats < manyRepeats && fewer < needed ? fewer : undefined;
  const blocks = level === "block";
  const found = { kind, limit, cases, chance, needed, repeated, assumption, blocks };
  return problem("rule_rarely_shown", found, at.prepared.place(at.path));
}

function beyondReach(
  comparison: PlannedComparison,
  task: PreparedTask,
  at: At,
): Problem | undefined {
  const { rule, spec } = comparison;
  const { kind, limit, alpha } = rule;
  if (spec.scale !== "binary" || spec.aggregation !== "mean") return undefined;
  if (kind !== "max_drop" && kind !== "max_rise") return undefined;
  if (pathOf(rule, at.prepared) === undefined) return undefined;
  const noise = assumedComparison(task, spec, at.data);
  const reach = noise && { noise, alpha: alpha / at.shared };
  const detects = reach && statistics.smallestDrop(reach.noise, reach.alpha);
  if (reach === undefined || detects === undefined) return undefined;
  const { repeats } = task.spec;
  const unit = unitOfRange(spec.range);
  const assumption = assumedNoise(spec, repeats)?.words;
  const asked = {
    rule: nameOf(comparison),
    kind,
    limit,
    detects,
    cases: task.dataset.size,
    unit,
    ways: () => ({
      needed: casesFor(limit, reach),
      repeated: smallestRepeated(reach, repeats),
    }),
  };
  const place = at.prepared.place(at.path);
  return reachProblem(assumption === undefined ? asked : { ...asked, assumption }, place);
}
