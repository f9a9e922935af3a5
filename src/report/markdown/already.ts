import type { Circumstances } from "../../model/circumstances.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import type { Block } from "./budget.ts";
import { failingGroups } from "../cases.ts";
import { clip, htmlCode } from "../escape.ts";
import { counted } from "../words/figures.ts";
import { details, inlineCode, renderedOnce, table } from "./layout.ts";
import { ruleName } from "../words/rules.ts";

/** The cases that fail on both sides, and that the change therefore did not break. */
export function failingBlock(run: Run, circumstances?: Circumstances): Block {
  const groups = failingGroups(run);
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  const [first, ...others] = groups;
  const items = groups.flatMap(({ rule, cases }) =>
    cases.map((caseId) => ({ caseId, metric: others.length === 0 ? "" : metricOf(run, rule) })),
  );
  const rows = renderedOnce(items, ({ caseId, metric }) => [
    inlineCode(caseId),
    metric === "" ? "" : inlineCode(metric),
  ]);
  const one = first && others.length === 0 ? metricOf(run, first.rule) : undefined;
  const where = one === undefined ? "" : ` in ${htmlCode(clip(one, 120))}`;
  const kept = total > items.length ? ` (${items.length} are listed)` : "";
  const summary = `${counted(total, "case")} already failing ${placeWords(circumstances)}${where}${kept}`;
  return {
    name: "cases that were failing already",
    rank: 8,
    rows: items.length,
    render: (shown) =>
      shown === 0 ? "" : details(summary, table(["Case", "Metric"], "ll", rows(shown))),
  };
}

function metricOf(run: Run, rule: RuleResult): string {
  return ruleName(run, { ...rule, slice: null });
}

/** Where they fail, as HTML: `on main`. */
function placeWords(circumstances: Circumstances | undefined): string {
  const branch = circumstances?.baseBranch;
  return branch === undefined ? "in the baseline" : `on ${htmlCode(clip(branch, 80))}`;
}
