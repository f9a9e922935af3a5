import type { Run } from "../../model/outcomes/run.ts";
import type { GateResult, RuleKind, RuleResult } from "../../model/outcomes/rule-result.ts";
import { distance, figure, unitOf } from "./figures.ts";
import { isRelative, ruleName, ruleWords } from "./rules.ts";

/** A rule by the base's policy and by the change's own. */
interface ComparedRule {
  readonly name: string;
  /** The quantity that the rule limits. */
  readonly limited: string;
  /** The rule in the base's policy; undefined if that has no such rule. */
  readonly base: RuleSide | undefined;
  readonly own: RuleSide | undefined;
}

interface RuleSide {
  /** ✅, ❌, ⚠️, ➖ */
  readonly mark: string;
  readonly limit: string;
}

const limited: Readonly<Record<RuleKind, string>> = {
  max_drop: "largest drop",
  max_rise: "largest rise",
  min: "at least",
  max: "at most",
  must_pass: "cases that must pass",
};

/** The rules that differ between the base and the change; empty if none does. */
export function comparedRules(run: Run): readonly ComparedRule[] {
  const { base, head } = run.policy ?? {};
  if (!base || !head) return [];
  const keys = [...new Set([...base.rules, ...head.rules].map(keyOf))];
  return keys.flatMap((key) => {
    const [old, own] = [find(base, key), find(head, key)];
    const shown = old ?? own;
    if (shown === undefined || isSame(old, own)) return [];
    const name = ruleName(run, shown);
    return [{ name, limited: limited[shown.kind], base: sideOf(run, old), own: sideOf(run, own) }];
  });
}

function keyOf({ task, candidate, metric, slice, against, kind }: RuleResult): string {
  return JSON.stringify([task, candidate, metric, slice, against, kind]);
}

function find({ rules }: GateResult, key: string): RuleResult | undefined {
  return rules.find((rule) => keyOf(rule) === key);
}

function isSame(one: RuleResult | undefined, other: RuleResult | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.limit === other.limit && one.level === other.level && one.outcome === other.outcome;
}

function sideOf(run: Run, rule: RuleResult | undefined): RuleSide | undefined {
  if (rule === undefined) return undefined;
  const words = ruleWords(run, rule);
  const limit = rule.kind === "must_pass" ? words.value : limitWords(run, rule);
  return { mark: words.mark, limit: `${limit}${levelWords[rule.level]}` };
}

const levelWords = { block: "", warn: " (warns)", info: " (noted)" } as const;

function limitWords(run: Run, rule: RuleResult): string {
  const unit = unitOf(run, rule);
  if (!isRelative(rule)) return figure(rule.limit, unit);
  const size = rule.limit === 0 ? "none" : distance(rule.limit, unit);
  return rule.prove === "nothing" ? `${size}, without proof` : size;
}
