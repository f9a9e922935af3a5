import type { Run } from "../model/run.ts";
import { inlineCode, inlineText, table } from "./layout.ts";
import { comparedRules } from "./words/compared-rules.ts";
import { verdictMarks } from "./words/titles.ts";

const rulesShown = 12;

/** The rules that differ between the base and the change, a row each; empty if none does. */
export function rulesSideBySide(run: Run): string {
  const { base, head, source = "" } = run.policy ?? {};
  const rules = comparedRules(run);
  if (!base || !head || rules.length === 0) return "";
  const rows = rules.map(({ name, limited, base: old, own }) => [
    `${inlineCode(name)}, ${limited}`,
    old === undefined ? "none" : `${old.mark} ${inlineText(old.limit)}`,
    own === undefined ? "**removed**" : `${own.mark} ${inlineText(own.limit)}`,
  ]);
  const heads = [
    "Rule",
    `${inlineText(source)}: ${verdictMarks[base.verdict]} ${base.verdict}`,
    `this change: ${verdictMarks[head.verdict]} ${head.verdict}`,
  ];
  const more = rows.length > rulesShown ? `\n\nAnd ${rows.length - rulesShown} more rules.` : "";
  return `${table(heads, "lll", rows.slice(0, rulesShown))}${more}`;
}
