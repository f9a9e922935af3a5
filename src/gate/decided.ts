import type { DecidedRule } from "../model/attempts.ts";
import type { JudgedRule } from "../model/finding.ts";
import type { RuleFigures } from "../model/run.ts";

/**
 * A rule as the earlier attempt decided it that confirmed its drop; as it is where none did. More samples may prove less than
 * the first ones did: whoever re-runs often enough would find a lucky attempt.
 */
export function asDecided(result: JudgedRule, decided: readonly DecidedRule[]): JudgedRule {
  const found = decided.find(({ rule }) => isSameRule(rule, result));
  if (found === undefined) return result;
  const { reason, located, ...rule } = found.rule;
  const why = { kind: "decided", reason } as const;
  return { ...rule, why, ...(located && { places: located.places }), decided_in: found.attempt };
}

/** Of a decided rule: what it is about, and what it asks. */
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
