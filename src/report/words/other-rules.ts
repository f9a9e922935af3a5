import type { Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import { lossMessageLines } from "./diagnoses.ts";
import { outcomeWords } from "./outcomes.ts";
import { ruleName } from "./rules.ts";
import {
  advice,
  greySentence,
  hidingSentence,
  locatedSentence,
  name,
  ruleSentence,
  text,
  type RichText,
} from "./sentences.ts";

/** Rules besides the lead that a reader must know of: drops that were not proven, warnings, further losses. */
export function otherRules(run: Run, lead: RuleResult | undefined): readonly RichText[] {
  const others = run.gate.rules.filter((rule) => !isSame(rule, lead) && isTold(run, rule));
  const notMet = others.filter(
    (rule) =>
      (rule.outcome === "missed" || rule.outcome === "inconclusive") && !isUnscored(run, rule),
  );
  const [fallen, bad] = [
    notMet.filter(isFallenByCrashes),
    notMet.filter((rule) => !isFallenByCrashes(rule)),
  ];
  return [
    ...locatedLines(run, lead),
    ...lossMessageLines(run),
    ...(fallen.length > 0 ? [fallenLine(run, fallen)] : []),
    ...bad.map((rule) => besideLead(rule).concat(ruleSentence(run, rule))),
    ...others.filter(isShortBefore).map((rule) => ruleSentence(run, rule)),
    ...others.filter(isGrey).map((rule) => greySentence(run, rule).concat(advice(run, rule))),
  ];
}

/** True if a rule has no value because not one case of the run was scored, which the gate's reasons tell. */
function isUnscored({ cases }: Run, { code, value }: RuleResult): boolean {
  return code === "metric_missing" && value === null && cases.scored === 0;
}

/** Compares by content, because the lead is a copy in a report by the base's rules. */
function isSame(rule: RuleResult, lead: RuleResult | undefined): boolean {
  return rule === lead || (lead !== undefined && JSON.stringify(rule) === JSON.stringify(lead));
}

/** Locations of losses. The sentence of a passing rule has them already; it is a line here unless it is told elsewhere. */
function locatedLines(run: Run, lead: RuleResult | undefined): readonly RichText[] {
  const found = run.gate.rules.filter(
    (rule) => rule.located !== undefined && (isSame(rule, lead) || !isFallenByCrashes(rule)),
  );
  return found.flatMap((rule): readonly RichText[] => {
    if (rule.outcome !== "met") return [locatedSentence(run, rule)];
    return isSame(rule, lead) || isGrey(rule) ? [] : [hidingSentence(run, rule)];
  });
}

/** True if all broken cases are crashed ones: then the drop is no loss of its own. */
function isFallenByCrashes({ broke, crashed = 0 }: RuleResult): boolean {
  return crashed > 0 && crashed >= (broke ?? 0);
}

const fallenNamed = 5;

/** Metrics that dropped with the crashes, which the first line reports. */
function fallenLine(run: Run, fallen: readonly RuleResult[]): RichText {
  const named = fallen
    .slice(0, fallenNamed)
    .flatMap((rule): RichText => [text(", "), name(ruleName(run, rule))]);
  const rest = fallen.length - fallenNamed;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return [
    text("fallen with the cases that ended without a score, and by nothing else: "),
    ...named.slice(1),
    text(`${more}.`),
  ];
}

/** Informative results are only in the table, except a slice's drop that the total hides, which is told once. */
function isTold(run: Run, told: RuleResult): boolean {
  const { level, code, task, metric, candidate, slice, against } = told;
  if (code !== "drop_hidden") return level !== "info";
  return !run.gate.rules.some(
    (rule) =>
      rule.task === task &&
      rule.metric === metric &&
      rule.candidate === candidate &&
      rule.against === against &&
      rule.located?.places.some(({ kind, name: part }) => kind === "slice" && part === slice),
  );
}

const levelWords = { warn: "warning", info: "note" } as const;

function besideLead(rule: RuleResult): RichText {
  // The reason already says that cases fail.
  if (rule.kind === "must_pass" && rule.level === "block") return [];
  const level = rule.level === "block" ? "" : `${levelWords[rule.level]}, `;
  return [text(`${level}${outcomeWords[rule.outcome]}: `)];
}

/** A drop that was proven at first, but did not appear when its cases were run again. */
function isUnconfirmed({ code, outcome }: RuleResult): boolean {
  return code === "drop_not_confirmed" && outcome === "met";
}

/** Cases that must pass and failed before too: they are named, so that they are not taken for passing. */
function isShortBefore({ code }: RuleResult): boolean {
  return code === "cases_short_before";
}

/** Whether a rule passed although a drop was seen that is not proven. */
export function isGrey(rule: RuleResult): boolean {
  const isDoubtful = rule.code === "drop_not_proven" || isUnconfirmed(rule);
  return isDoubtful && rule.level !== "info";
}
