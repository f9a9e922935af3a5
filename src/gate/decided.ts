import type { DecidedRule } from "../model/attempts.ts";
import type { JudgedRule } from "../model/finding.ts";
import type { RuleFigures } from "../model/run.ts";

/**
 * Takes over a rule's decision from the earlier attempt that confirmed its drop; otherwise unchanged. More samples may
 * prove less than the first ones did, so re-running often enough would otherwise find a lucky attempt.
 */
export function asDecided(result: JudgedRule, decided: readonly DecidedRule[]): JudgedRule {
  const found = decided.find(({ rule }) => isSameRule(rule, result));
  if (found === undefined) return result;
  const { reason, located, ...rule } = found.rule;
  const why = { kind: "decided", reason } as const;
  return { ...rule, why, ...(located && { places: located.places }), decided_in: found.attempt };
}

/** Keys of a decided rule that identify it. */
const identity = [
  "kind",
  "prove",
  "level",
  "task",
  "candidate",
  "metric",
  "slice",
  "against",
  "limit",
] as const;

function isSameRule(one: RuleFigures, other: RuleFigures): boolean {
  return identity.every((key) => one[key] === other[key]);
}
