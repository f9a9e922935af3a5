import { isBeyondReach, manyRepeats } from "../domain/reach.ts";
import { problem, type Problem } from "../domain/refusal.ts";
import type { GateSpec } from "../domain/suite.ts";
import { isInFamily, type PlannedRule } from "../gate/plan.ts";
import { distance } from "../report/figures.ts";
import { comparisonsOf, type PlannedComparison } from "./power/of-suite.ts";
import { assumedNoise, unitOfRange } from "./power/place.ts";
import type { Prepared } from "./prepare.ts";
import { casesToPass, fewestBroken, passingChance, usualPower } from "./reach.ts";

/**
 * Rules that can't do what they are for with so few cases: of `prove: no_drop` those that pass an unchanged run less than 4 times
 * in 5; of `prove: drop` those that ask for less than half of what their cases can prove at the very best: where nothing is left to chance. What
 * noise takes away on top is told when the suite has run. Only of 0/1 metrics with one repeat can the latter be told before, and
 * only of what the manifest says: a default asks for nothing.
 */
export function beyondProof(prepared: Prepared): readonly Problem[] {
  const compared = comparisonsOf(prepared);
  const shared = compared.filter(({ rule }) => isInFamily(rule)).length;
  const found = new Map<string, Problem>();
  for (const comparison of compared) {
    const path = pathOf(comparison.rule, prepared);
    const warning = path && warningOn(comparison, { prepared, shared, path });
    const key = JSON.stringify(path);
    if (warning !== undefined && !found.has(key)) found.set(key, warning);
  }
  return [...found.values()];
}

type Path = readonly (string | number)[];

/** Where the manifest asks for it; undefined where it is the default. */
function pathOf(rule: PlannedRule, { suite }: Prepared): Path | undefined {
  const { gate } = suite;
  if (gate === "none" || (rule.kind !== "max_drop" && rule.kind !== "max_rise")) return undefined;
  if (!rule.declared) return gate.max_drop === undefined ? undefined : ["gate", "max_drop"];
  const at = indexOf(rule, rule.kind, gate);
  return at < 0 ? undefined : ["gate", "rules", at, rule.kind];
}

function indexOf(rule: PlannedRule, kind: "max_drop" | "max_rise", gate: GateSpec): number {
  return (gate.rules ?? []).findIndex(
    (one) =>
      one[kind] === rule.limit &&
      (one.prove ?? "drop") === rule.prove &&
      (one.metric === rule.metric || one.metric === `${rule.task}/${rule.metric}`) &&
      (one.candidate ?? "*") === rule.candidate,
  );
}

interface At {
  readonly prepared: Prepared;
  /** How many comparisons share alpha. */
  readonly shared: number;
  readonly path: Path;
}

type PreparedTask = Prepared["tasks"][number];

function warningOn(comparison: PlannedComparison, at: At): Problem | undefined {
  const task = at.prepared.tasks.find((one) => one.spec.id === comparison.target.task);
  if (task === undefined) return undefined;
  const { size, first } = task.dataset;
  if (size === 0 || (first !== undefined && first.size === undefined)) return undefined;
  return comparison.rule.prove === "no_drop"
    ? rarelyShown(comparison, task, at)
    : beyondBest(comparison, task, at);
}

/** A rule that passes most unchanged runs only with more cases, by what is assumed of two unchanged runs. */
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
  const chance = passingChance(limit, { n: cases, variance, alpha });
  if (chance >= usualPower) return undefined;
  const needed = casesToPass(limit, { variance, alpha });
  const fewer = { variance: (variance * repeats) / manyRepeats, alpha };
  const repeated = repeats < manyRepeats ? casesToPass(limit, fewer) : undefined;
  const blocks = level === "block";
  const found = { kind, limit, cases, chance, needed, repeated, assumption, blocks };
  return problem("rule_rarely_shown", found, at.prepared.place(at.path));
}

function beyondBest(
  { rule, spec }: PlannedComparison,
  task: PreparedTask,
  at: At,
): Problem | undefined {
  const isPlain = spec.scale === "binary" && spec.aggregation === "mean";
  if (!isPlain || task.spec.repeats > 1) return undefined;
  const { size: cases } = task.dataset;
  const fewest = fewestBroken(rule.alpha / (isInFamily(rule) ? at.shared : 1));
  const { kind, limit } = rule;
  if (!isBeyondReach({ limit, detects: fewest / cases })) return undefined;
  const share = distance(fewest / cases, unitOfRange(spec.range));
  const found = { kind, limit, cases, fewest, share, needed: Math.ceil(fewest / limit) };
  return problem("rule_beyond_proof", found, at.prepared.place(at.path));
}
