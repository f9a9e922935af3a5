import { ownValue } from "../../model/own-value.ts";
import type { RuleConfirmation } from "../../model/outcomes/confirmation.ts";
import { manyRepeats } from "../../model/figures/detectable.ts";
import { historyKey } from "../../model/outcomes/history.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import { clip } from "../escape.ts";
import { counted, forCount, difference, figure, unitOf } from "./figures.ts";
import { casesOfRule, changeNoun, detectable, ruleFacts, ruleFrame, ruleName } from "./rules.ts";
import { fewCases } from "./differences.ts";
import { locatedWords } from "./losses.ts";

/** A sentence in parts, which the renderer escapes and formats. */
export type RichText = readonly {
  readonly kind: "text" | "name" | "strong";
  readonly text: string;
}[];

/** `qa/exact_match 88.8% → 83.8%, −5.0 points (…).` If there are no such figures, the gate's own reason. */
export function ruleSentence(run: Run, rule: RuleResult): RichText {
  const unit = unitOf(run, rule);
  const subject = name(ruleName(run, rule));
  // A number of `grade_batch` outside its range has a value, but only the reason tells the problem.
  const isBare = ["unmeasured", "inconclusive"].includes(rule.outcome) || isMissing(rule);
  // The value of such a rule is a mean like others; only the reason tells which of the named cases fall short.
  const isNamed = rule.kind === "must_pass" && rule.code !== "within_limit";
  if (isBare || isNamed || rule.value === null) {
    return [subject, text(": "), ...quoted(rule.reason)];
  }
  const before = rule.baseline === null ? " " : ` ${figure(rule.baseline, unit)} → `;
  const value = { kind: "strong", text: figure(rule.value, unit) } as const;
  const old = missedBefore(run, rule);
  const already =
    old === undefined ? "" : `, already failing in the baseline, at ${figure(old, unit)}`;
  const comma = rule.delta === null ? " " : ", ";
  return [subject, text(before), value, text(`${comma}${ruleFacts(run, rule)}${already}.`)];
}

/** The same tolerance as in the gate: a mean may differ in its last digits. */
const rounding = 1e-9;

/** The baseline's value if it missed the limit too: then this change is not the cause. */
export function missedBefore(run: Run, rule: RuleResult): number | undefined {
  const isLimit = rule.kind === "min" || rule.kind === "max";
  if (!isLimit || rule.outcome !== "missed" || run.baseline?.comparable[rule.task] !== true)
    return undefined;
  const values = run.baseline.history?.at(-1)?.values ?? [];
  const before = values.find((each) => historyKey(each) === historyKey(rule))?.value;
  if (before === undefined) return undefined;
  const short = rule.kind === "min" ? rule.limit - before : before - rule.limit;
  return short > rounding ? before : undefined;
}

function isMissing({ code }: RuleResult): boolean {
  return code === "metric_missing";
}

/**
 * A drop that was seen but not proven: `qa/exact_match −1.7 points seen, not proven; 240 cases could detect ≥ 5.1
 * points (…).`
 */
export function greySentence(run: Run, rule: RuleResult): RichText {
  if (rule.located !== undefined) return hidingSentence(run, rule);
  const unit = unitOf(run, rule);
  const seen = rule.delta === null ? `a ${changeNoun(rule)}` : difference(rule.delta, unit);
  const values =
    rule.baseline === null || rule.value === null
      ? ""
      : ` (${figure(rule.baseline, unit)} → ${figure(rule.value, unit)}; ${ruleFrame(run, rule)})`;
  const found = rule.confirmation ? unconfirmed(rule.confirmation) : power(run, rule);
  const proven = rule.confirmation ? "proven, not confirmed" : "not proven";
  return [name(ruleName(run, rule)), text(` ${seen} seen, ${proven}${found}${values}.`)];
}

/** A rule that passes over all cases although some cases broke: one sentence, which does not contradict itself. */
export function hidingSentence(run: Run, rule: RuleResult): RichText {
  return [name(ruleName(run, rule)), text(" "), ...quoted(rule.reason)];
}

/** Location of a loss. The names of clusters are texts of the data set. */
export function locatedSentence(run: Run, rule: RuleResult): RichText {
  const { places = [] } = rule.located ?? {};
  const reason = locatedWords(places, rule.broke ?? 0);
  const clusters = places.filter(({ kind }) => kind === "cluster").map((place) => place.name);
  const isShown = clusters.length > 0 && run.suite.publish !== "ids";
  const names = clusters.map((each) => clip(each, longestName)).join(", ");
  const said = isShown
    ? [text(` The ${forCount(clusters.length, "cluster", "clusters")}: ${names}.`)]
    : [];
  return [name(ruleName(run, rule)), text(": "), ...quoted(reason), ...said];
}

const longestName = 80;

/** Result of running the cases again. */
function unconfirmed({ cases, broke, fixed }: RuleConfirmation): string {
  return `: of the ${counted(cases, "case")} that changed, run again on both sides, ${broke ?? 0} broke and ${fixed ?? 0} ${forCount(fixed ?? 0, "was", "were")} fixed`;
}

function power(run: Run, rule: RuleResult): string {
  const cases = casesOfRule(run, rule);
  const detects = detectable(run, rule);
  if (detects === undefined) return "";
  return `; ${cases === null ? "this run" : counted(cases, "case")} ${detects}`;
}

/** Advice if a comparison has too few cases to prove anything; else empty. */
export function advice(run: Run, rule: RuleResult): RichText {
  const cases = casesOfRule(run, rule);
  if (cases === null || cases >= fewCases || rule.located !== undefined) return [];
  const few = ` ${counted(cases, "case")} can prove little: add cases`;
  const repeats = ownValue(run.suite.tasks, rule.task)?.repeats ?? 1;
  if (repeats >= manyRepeats || rule.steady === true) return [text(`${few}.`)];
  return [text(`${few}, or set `), name(`repeats: ${manyRepeats}`), text(".")];
}

/** A sentence of the gate with a full stop; text in backticks becomes names. */
export function quoted(reason: string): RichText {
  const parts = full(reason).split("`");
  // An odd number of backticks means that they don't quote.
  if (parts.length % 2 === 0) return [text(full(reason))];
  return parts
    .map((part, i) => (i % 2 === 0 ? text(part) : name(part)))
    .filter((piece) => piece.text !== "");
}

function full(reason: string): string {
  return /[.!?]\s*$/.test(reason) ? reason.trim() : `${reason.trim()}.`;
}

/** A part of a sentence without formatting. */
export function text(words: string): RichText[number] {
  return { kind: "text", text: words };
}

/** A name from the manifest, or something to type. */
export function name(words: string): RichText[number] {
  return { kind: "name", text: words };
}
