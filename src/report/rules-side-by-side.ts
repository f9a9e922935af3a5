import type { GateResult, RuleKind, RuleResult, Run } from "../model/run.ts";
import { named, said, table } from "./layout.ts";
import { distance, figure, unitOf } from "./words/figures.ts";
import { isRelative, ruleName, ruleWords } from "./words/rules.ts";
import { verdictMarks } from "./words/titles.ts";

const rulesShown = 12;

/** Quantity that a kind of rule limits. */
const limited: Readonly<Record<RuleKind, string>> = {
  max_drop: "largest drop",
  max_rise: "largest rise",
  min: "at least",
  max: "at most",
  must_pass: "cases that must pass",
};

/** The rules that differ between the base and the change, a row each; empty if none does. */
export function rulesSideBySide(run: Run): string {
  const { base, head, source = "" } = run.policy ?? {};
  if (!base || !head) return "";
  const keys = [...new Set([...base.rules, ...head.rules].map(keyOf))];
  const rows = keys.flatMap((key) => {
    const [old, own] = [find(base, key), find(head, key)];
    const shown = old ?? own;
    if (shown === undefined || isSame(old, own)) return [];
    const what = `${named(ruleName(run, shown))}, ${limited[shown.kind]}`;
    return [[what, cell(run, old, "none"), cell(run, own, "**removed**")]];
  });
  if (rows.length === 0) return "";
  const heads = [
    "Rule",
    `${said(source)}: ${verdictMarks[base.verdict]} ${base.verdict}`,
    `this change: ${verdictMarks[head.verdict]} ${head.verdict}`,
  ];
  const more = rows.length > rulesShown ? `\n\nAnd ${rows.length - rulesShown} more rules.` : "";
  return `${table(heads, "lll", rows.slice(0, rulesShown))}${more}`;
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

function cell(run: Run, rule: RuleResult | undefined, gone: string): string {
  if (rule === undefined) return gone;
  const words = ruleWords(run, rule);
  const limit = rule.kind === "must_pass" ? words.value : limitWords(run, rule);
  return `${words.mark} ${said(`${limit}${levelWords[rule.level]}`)}`;
}

const levelWords = { block: "", warn: " (warns)", info: " (noted)" } as const;

function limitWords(run: Run, rule: RuleResult): string {
  const unit = unitOf(run, rule);
  if (!isRelative(rule)) return figure(rule.limit, unit);
  const size = rule.limit === 0 ? "none" : distance(rule.limit, unit);
  return rule.prove === "nothing" ? `${size}, without proof` : size;
}
