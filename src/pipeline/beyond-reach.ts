import { isBeyondReach } from "../domain/reach.ts";
import { problem, type Problem } from "../domain/refusal.ts";
import type { GateSpec } from "../domain/suite.ts";
import { isInFamily, type PlannedRule } from "../gate/plan.ts";
import { distance } from "../report/figures.ts";
import { comparisonsOf, type PlannedComparison } from "./power/of-suite.ts";
import { unitOfRange } from "./power/place.ts";
import type { Prepared } from "./prepare.ts";
import { fewestBroken } from "./reach.ts";

/**
 * Rules that ask for less than half of what their cases can prove at the very best: where nothing is left to chance. What
 * noise takes away on top is told when the suite has run. Only of 0/1 metrics with one repeat can it be told before, and
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
      (one.metric === rule.metric || one.metric === `${rule.task}/${rule.metric}`) &&
      (one.candidate ?? "*") === rule.candidate,
  );
}

function warningOn(
  { rule, target, spec }: PlannedComparison,
  at: { readonly prepared: Prepared; readonly shared: number; readonly path: Path },
): Problem | undefined {
  const task = at.prepared.tasks.find((one) => one.spec.id === target.task);
  const isPlain = spec.scale === "binary" && spec.aggregation === "mean";
  if (task === undefined || !isPlain || task.spec.repeats > 1 || rule.prove !== "drop")
    return undefined;
  const { size: cases, first } = task.dataset;
  if (first !== undefined && first.size === undefined) return undefined;
  const fewest = fewestBroken(rule.alpha / (isInFamily(rule) ? at.shared : 1));
  const { kind, limit } = rule;
  if (cases === 0 || !isBeyondReach({ limit, detects: fewest / cases })) return undefined;
  const share = distance(fewest / cases, unitOfRange(spec.range));
  const found = { kind, limit, cases, fewest, share, needed: Math.ceil(fewest / limit) };
  return problem("rule_beyond_proof", found, at.prepared.place(at.path));
}
