import type { Circumstances } from "../../model/circumstances.ts";
import { meaningOf } from "../../model/outcomes/history.ts";
import type { Run, RunBaseline } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import type { RuleLevel } from "../../model/definition/gate.ts";
import type { Block } from "./budget.ts";
import { htmlCode } from "../escape.ts";
import { counted, percentName, unitOf } from "../words/figures.ts";
import { details, inlineCode, nbsp, renderedOnce, inlineText, table, unbroken } from "./layout.ts";
import { outcomeWords } from "../words/outcomes.ts";
import { none, ruleWords, type RuleWords } from "../words/rules.ts";
import { breakMark, runsDrawn, trendOf } from "../sparkline.ts";
import { missedBefore } from "../words/sentences.ts";

/**
 * One row per rule: before and now, the difference with its interval, the limit, the base branch's last runs, the
 * outcome.
 */
export function gateBlock(run: Run, circumstances?: Circumstances): Block {
  const rules = run.gate.rules.toSorted((a, b) => weight(a) - weight(b));
  const runs = Math.min(runsDrawn, run.baseline?.history?.length ?? 0);
  const branch = circumstances?.baseBranch;
  const last = `Last ${counted(runs, "run")}${branch === undefined ? "" : ` of ${inlineCode(branch)}`}`;
  const values = run.baseline === null ? "Now" : "Baseline → now";
  const level = commonLevel(rules);
  const difference =
    level === undefined ? "Difference" : twoLines("Difference", `${level} interval`);
  const heading = ["Metric", unbroken(values), difference, "Rule", last, "Outcome"];
  const rows = renderedOnce(rules, (rule) =>
    gateRow(run, rule, { history: run.baseline?.history, level, branch }),
  );
  return {
    name: "rules",
    rank: 1,
    rows: rules.length,
    render: (shown) => {
      if (shown === 0) return "";
      const text = folded(rows(shown), heading);
      return text.includes(breakMark) ? `${text}\n\n<sub>${breakWords}</sub>` : text;
    },
  };
}

const breakWords = `${breakMark} from here on the grader, the data set or the judge was another: the scores do not compare with those before.`;

/** Number of rows outside the fold; the remaining rows, which have better outcomes, are folded. */
const inSight = 12;

function folded(rows: readonly (readonly string[])[], heading: readonly string[]): string {
  const tableOf = (some: typeof rows): string => table(heading, "lrrlll", some);
  const first = tableOf(rows.slice(0, inSight));
  const others = rows.slice(inSight);
  if (others.length === 0) return first;
  return `${first}\n\n${details(counted(others.length, "more rule"), tableOf(others))}`;
}

function gateRow(
  run: Run,
  rule: RuleResult,
  shared: {
    readonly history: RunBaseline["history"];
    readonly level: string | undefined;
    readonly branch: string | undefined;
  },
): readonly string[] {
  const words = ruleWords(run, rule);
  const trend = trendOf(rule, {
    history: shared.history,
    unit: unitOf(run, rule),
    meaning: meaningOf(run),
  });
  const interval = shared.level === undefined ? words.interval : words.range;
  const cases =
    words.cases === none ? "" : `${words.cases} ${words.cases === "1" ? "case" : "cases"}`;
  const isOld = missedBefore(run, rule) !== undefined;
  const already = isOld
    ? `already failing ${shared.branch ? `on ${shared.branch}` : "in the baseline"}`
    : "";
  const small = [words.evidence, already].filter((part) => part !== "").join("; ");
  return [
    twoLines(`${words.mark}${nbsp}${inlineCode(words.name)}`, cases),
    change(words, rule),
    words.delta === none ? "" : twoLines(unbroken(inlineText(words.delta)), inlineText(interval)),
    inlineText(words.consequence).replace(/ (?=\S+$)/, nbsp),
    trend === "" ? "" : unbroken(htmlCode(trend)),
    twoLines(
      inlineText(`${outcomeWords[rule.outcome]}: ${words.found}`),
      inlineText(small),
      "breaks",
    ),
  ];
}

/** The level of confidence if all intervals have the same one; otherwise undefined. */
function commonLevel(rules: readonly RuleResult[]): string | undefined {
  const levels = new Set(rules.flatMap((rule) => (rule.delta_ci === null ? [] : [rule.ci_level])));
  const [level] = levels;
  return levels.size === 1 && typeof level === "number" ? percentName(level) : undefined;
}

function change(words: RuleWords, { outcome }: RuleResult): string {
  const value = unbroken(inlineText(words.value));
  const now = outcome === "missed" ? `**${value}**` : value;
  return words.baseline === none
    ? now
    : `${unbroken(inlineText(words.baseline))}${nbsp}→${nbsp}${now}`;
}

/** A line with small print below it; both texts are escaped. */
function twoLines(first: string, second: string, breaks?: "breaks"): string {
  if (second === "") return first;
  return `${first}<br><sub>${breaks === undefined ? unbroken(second) : second}</sub>`;
}

const levelWeights: Readonly<Record<RuleLevel, number>> = { block: 0, warn: 10, info: 20 };
const outcomeWeights: Readonly<Record<RuleResult["outcome"], number>> = {
  missed: 0,
  inconclusive: 1,
  unmeasured: 3,
  met: 4,
};

/** Sorts blocking rules first, and the worst outcomes first among them. */
function weight(rule: RuleResult): number {
  const isSeen = rule.code === "drop_not_proven" || rule.code === "cases_short_before";
  const grey = isSeen ? 2 : undefined;
  return levelWeights[rule.level] + (grey ?? outcomeWeights[rule.outcome]);
}
