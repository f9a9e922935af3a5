import type { Run } from "../outcomes/run.ts";
import type { RuleResult } from "../outcomes/rule-result.ts";
import { defaultAlpha } from "../definition/gate.ts";

/** The alpha of a rule's comparison, and the number of comparisons that share it. */
interface SharedAlpha {
  /** The rule's alpha divided by that number, as in Holm's first step. */
  readonly alpha: number;
  readonly comparisons: number;
}

/**
 * A rule's alpha, shared among the comparisons that a run made. If none of its kind could be made, as in a first run,
 * it is shared as it will be once there is a baseline.
 */
export function sharedAlpha(rule: RuleResult, run: Run): SharedAlpha {
  const family = run.gate.rules.filter((other) => sharesWith(other, rule));
  const made = family.filter(({ n }) => n !== null);
  const isMember = sharesWith(rule, rule) && (made.length === 0 || rule.n !== null);
  const comparisons = isMember ? made.length || family.length : 1;
  return { alpha: ownAlpha(rule, run) / comparisons, comparisons };
}

/** Whether a rule's p-value is adjusted together with this one's. A rule without a test has nothing to prove. */
function sharesWith(other: RuleResult, { prove, level }: RuleResult): boolean {
  const isProof = prove === "drop" || prove === "no_drop";
  return isProof && level === "block" && other.level === level && other.prove === prove;
}

/** Derived from the level of the rule's interval, which is 1 − 2·alpha. */
function ownAlpha({ prove, ci_level }: RuleResult, { suite }: Run): number {
  if (prove === "nothing") return 1;
  if (ci_level !== null) return Number(((1 - ci_level) / 2).toPrecision(12));
  return (suite.gate === "none" ? undefined : suite.gate.alpha) ?? defaultAlpha;
}
