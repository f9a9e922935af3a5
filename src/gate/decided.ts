import type { DecidedRule } from "../model/attempts.ts";
import type { RuleResult } from "../model/run.ts";

/**
 * A rule as the earlier attempt decided it that confirmed its drop; as it is where none did. More samples may prove less than
 * the first ones did: whoever re-runs often enough would find a lucky attempt.
 */
export function asDecided(result: RuleResult, decided: readonly DecidedRule[]): RuleResult {
  const found = decided.find(({ rule }) => isSameRule(rule, result));
  if (found === undefined) return result;
  const { rule, attempt } = found;
  const end = `decided in attempt ${attempt} of this run, and a re-run does not undo it: push a commit`;
  return { ...rule, reason: `${rule.reason}; ${end}`, decided_in: attempt };
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
  "limit",
] as const;

function isSameRule(one: RuleResult, other: RuleResult): boolean {
  return identity.every((key) => one[key] === other[key]);
}
