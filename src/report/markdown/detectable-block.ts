import { ownValue } from "../../model/own-value.ts";
import { manyRepeats, reachProblem } from "../../model/figures/detectable.ts";
import { sharedAlpha } from "../../model/figures/alpha.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import { casesFor, smallestRepeated } from "../../stats/sizing/reach.ts";
import type { Block } from "./budget.ts";
import { unitOf } from "../words/figures.ts";
import { toMarkdown } from "./layout.ts";
import { isRelative, ruleName } from "../words/rules.ts";
import { quoted } from "../words/sentences.ts";

/** Blocking rules that passed a run although they ask for more than its cases can show. */
export function reachBlock(run: Run): Block {
  const lines = run.gate.rules.flatMap((rule) => reachLine(run, rule) ?? []);
  return {
    name: "reach",
    rank: 2,
    rows: lines.length,
    render: (shown) => lines.slice(0, shown).join("\n"),
  };
}

/** A missed rule needs no such line. Runs of versions that did not store the noise computed the figure differently. */
function reachLine(run: Run, rule: RuleResult): string | undefined {
  const { kind, limit, mde, n, outcome, level, prove, noise } = rule;
  if (kind !== "max_drop" && kind !== "max_rise") return undefined;
  if (mde === null || n === null || noise === undefined || !isRelative(rule) || prove !== "drop")
    return undefined;
  if (outcome !== "met" || level !== "block") return undefined;
  const unit = unitOf(run, rule);
  // For a candidate that always answers the same, more repeats show nothing new.
  const repeats =
    rule.steady === true ? manyRepeats : (ownValue(run.suite.tasks, rule.task)?.repeats ?? 1);
  const name = `\`${ruleName(run, rule)}\``;
  const reach = { noise, alpha: sharedAlpha(rule, run).alpha };
  const ways = () => ({
    needed: casesFor(limit, reach),
    repeated: smallestRepeated(reach, repeats),
  });
  const asked = { rule: name, kind, limit, detects: mde, cases: n, unit, ways };
  const found = reachProblem(asked);
  if (found === undefined) return undefined;
  return `- ${toMarkdown(quoted(found.message))} ${toMarkdown(quoted(found.hint ?? ""))}`;
}
