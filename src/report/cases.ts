import type { ComparedPlace } from "../model/place.ts";
import type { BrokenCase } from "../model/outcomes/broken.ts";
import { isSampleMetric } from "../model/definition/metric.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { ChangedCase, RuleResult } from "../model/outcomes/rule-result.ts";

/** Cases that changed in one metric of one task and candidate. */
export interface ChangedGroup {
  readonly rule: RuleResult;
  /** The gate's count, which may exceed the list: the gate keeps only the ids of the most changed cases. */
  readonly total: number;
  readonly cases: readonly ChangedCase[];
}

/**
 * The cases that broke, or were fixed, each once although several rules may name it. Cases that only took longer, or
 * cost more, did not break: they are not named beside others.
 */
export function changedGroups(run: Run, side: "broke" | "fixed"): readonly ChangedGroup[] {
  const groups = new Map<
    string,
    { rule: RuleResult; total: number; cases: Map<string, ChangedCase> }
  >();
  for (const rule of run.gate.rules) {
    if (rule.changed[side].length === 0) continue;
    const key = groupKey(rule);
    const group = groups.get(key) ?? { rule, total: 0, cases: new Map<string, ChangedCase>() };
    groups.set(key, group);
    group.total = Math.max(group.total, rule[side] ?? 0);
    for (const changed of rule.changed[side]) group.cases.set(changed.case_id, changed);
  }
  const all = [...groups.values()];
  const aboutAnswers = all.filter(({ rule }) => !isSampleMetric(rule.metric));
  const named = aboutAnswers.length > 0 || side === "fixed" ? aboutAnswers : all;
  return named.map(({ rule, total, cases }) => ({
    rule,
    total: Math.max(total, cases.size),
    cases: [...cases.values()],
  }));
}

/** Cases that fail on both sides, in one metric of one task and candidate. */
interface FailingGroup {
  readonly rule: RuleResult;
  readonly total: number;
  readonly cases: readonly string[];
}

/**
 * Cases that failed before already. If several rules on slices of a metric have such cases, the rule with all of them
 * is used.
 */
export function failingGroups(run: Run): readonly FailingGroup[] {
  const groups = new Map<string, FailingGroup>();
  for (const rule of run.gate.rules) {
    const { failing } = rule.changed;
    const known = groups.get(groupKey(rule));
    if (failing === undefined || (known && known.total >= failing.count)) continue;
    groups.set(groupKey(rule), { rule, total: failing.count, cases: failing.cases });
  }
  return [...groups.values()];
}

/** Finds the texts of a changed case. */
export function indexBroken(
  broken: readonly BrokenCase[],
): (group: ChangedGroup, caseId: string) => BrokenCase | undefined {
  const byKey = new Map(
    broken.map((item) => [JSON.stringify([groupKey(item), item.caseId]), item]),
  );
  return (group, caseId) => byKey.get(JSON.stringify([groupKey(group.rule), caseId]));
}

function groupKey({ task, candidate, metric, against }: ComparedPlace): string {
  return JSON.stringify([task, candidate, metric, against]);
}
