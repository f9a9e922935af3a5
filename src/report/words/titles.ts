import type { Run } from "../../model/outcomes/run.ts";
import type { Verdict } from "../../model/outcomes/verdict.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import { counted, countedOf, distance, figure, forCount, unitOf } from "./figures.ts";
import { changeNoun, isRelative, ruleName } from "./rules.ts";
import type { WorseCase } from "../../model/outcomes/broken.ts";
import { crash } from "../../model/outcomes/compared.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import { asExplained } from "./relaxed.ts";
import { worseCases } from "./worse-cases.ts";

/** A run's status for people: the verdict, and distinctions that the verdict alone lacks. */
export type Status =
  | "pass"
  /** A pass, although a drop was seen that is not proven. */
  | "grey"
  /** A pass, because an authorized person accepted a loss. */
  | "accepted"
  /** A pass by the change's own rules, which an authorized person approved, but not by the base's. */
  | "relaxed"
  | "fail"
  | "inconclusive"
  | "error"
  | "neutral"
  /** `gate: none`. */
  | "ungated"
  | "cancelled";

/** Consequence of a blocking verdict: for a change the merge is blocked. */
export type Consequence = "merge blocked" | "the gate fails" | "reported only";

/** The consequence of a run that nobody told more of: a run of a change on GitHub blocks its merge. */
export function ownConsequence({ of_change: ofChange, key }: Run): Consequence {
  return ofChange === true && key !== undefined ? "merge blocked" : "the gate fails";
}

/** Mark of a status; the title has the same meaning in words. */
export const statusMarks: Readonly<Record<Status, string>> = {
  pass: "✅",
  grey: "✅",
  accepted: "⚠️",
  relaxed: "⚠️",
  fail: "❌",
  inconclusive: "⚠️",
  error: "⚠️",
  neutral: "➖",
  ungated: "➖",
  cancelled: "➖",
};

/** Mark of a verdict, for lists and tables. */
export const verdictMarks: Readonly<Record<Verdict, string>> = {
  pass: "✅",
  fail: "❌",
  inconclusive: "⚠️",
  error: "⚠️",
  neutral: "➖",
};

/** Result and consequence, without the suite's name: `18 of 240 cases broke, merge blocked`. */
export function titleWords(
  run: Run,
  status: Status,
  { lead, follows }: { readonly lead: RuleResult | undefined; readonly follows: Consequence },
): string {
  switch (status) {
    case "fail":
      return joined(failureWords(run, lead), follows);
    case "inconclusive":
      return joined("inconclusive", heldUp(follows));
    case "error":
      return joined(errorWords(run), "no verdict", heldUp(follows));
    case "accepted":
      return joined("loss accepted", brokenWords(run));
    case "relaxed":
      return joined("passes by relaxed rules", brokenWords(asExplained(run)));
    case "pass":
      return joined("passes", lead === undefined ? "" : improvedWords(run, lead));
    case "grey":
      return "passes, a loss was seen and is not proven";
    case "neutral":
      return run.baseline === null ? "measured, not compared yet" : "nothing was judged";
    case "ungated":
      return "measured, not judged";
    case "cancelled":
      return "cancelled, no verdict";
  }
}

/** Says that a change is blocked even without a verdict; empty outside of changes. */
function heldUp(follows: Consequence): string {
  return follows === "the gate fails" ? "" : follows;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}

/**
 * `18 of 240 cases broke`; empty if none did. In a graded metric the cases "got worse", because each may have lost
 * little.
 */
function brokenWords(run: Run): string {
  const { total, of, cases } = worseCases(run);
  if (total === 0) return "";
  const verb = cases.every((one) => isGraded(run, one)) ? "got worse" : "broke";
  const some = of < total ? counted(total, "case") : countedOf(total, of, "case");
  return `${some} ${verb}`;
}

function isGraded({ metrics }: Run, { task, candidate, changes, mustPass }: WorseCase): boolean {
  const [change] = changes;
  const found = metrics.find(
    (value) =>
      value.task === task && value.candidate === candidate && value.metric === change?.metric,
  );
  return found?.scale === "graded" && !mustPass;
}

function failureWords(run: Run, lead: RuleResult | undefined): string {
  if (lead === undefined) return missingWords(run);
  const named = namedWords(run);
  if (lead.kind === "must_pass") return named;
  if (lead.code === "metric_missing" || lead.code === "slice_missing")
    return `${shortName(run, lead)} was not measured`;
  if (isSampleMetric(lead.metric) && isRelative(lead)) return changeWords(run, lead);
  if (isRelative(lead)) return brokenWords(run) || changeWords(run, lead);
  return lead.code === "beyond_limit" ? limitWords(run, lead) : "";
}

/** Cases of the baseline are missing: no rule fails, but this is no pass either. */
function missingWords({ cases }: Run): string {
  const verb = forCount(cases.missing, "is", "are");
  return cases.missing === 0 ? "" : `${counted(cases.missing, "case")} ${verb} missing`;
}

/** `2 must-pass cases fail`. A case may also be missing, or without a grade. */
function namedWords({ gate }: Run): string {
  const rules = gate.rules.filter(
    ({ kind, level, outcome }) => kind === "must_pass" && level === "block" && outcome === "missed",
  );
  const ids = new Set(
    rules.flatMap(({ task, candidate, short = [] }) =>
      short.map(({ case_id: id }) => JSON.stringify([task, candidate, id])),
    ),
  );
  if (ids.size === 0) return "a must-pass case is missing";
  return `${counted(ids.size, "must-pass case")} ${forCount(ids.size, "fails", "fail")}`;
}

/** Why a run has no verdict, if its cases are the reason: `31 of 240 cases could not be graded`. */
function errorWords({ diagnoses = [], cases, stopped }: Run): string {
  if (typeof stopped === "string") return "stopped before its end";
  const found = diagnoses.find(({ symptom }) => symptom === crash);
  if (found !== undefined) return found.message;
  const lost = cases.ungraded;
  return lost === 0 ? "" : `${countedOf(lost, cases.declared, "case")} could not be graded`;
}

/** The rule's name without the task's name if that is the suite's. */
function shortName(run: Run, rule: RuleResult): string {
  const name = ruleName(run, rule);
  const task = `${run.suite.name}/`;
  return name.startsWith(task) ? name.slice(task.length) : name;
}

/** For a metric without scores by case: `qa/macro_f1 fell by 7.5 points`. */
function changeWords(run: Run, rule: RuleResult): string {
  if (rule.delta === null) return "";
  const verb = changeNoun(rule) === "rise" ? "rose" : "fell";
  return `${shortName(run, rule)} ${verb} by ${distance(rule.delta, unitOf(run, rule))}`;
}

/** `improved by 16.7 points`, if the interval of the difference leaves out zero; otherwise empty. */
function improvedWords(run: Run, rule: RuleResult): string {
  const { delta, delta_ci: interval } = rule;
  if (delta === null || interval === null || !isRelative(rule)) return "";
  const [lower, upper] = interval;
  const isBetter = changeNoun(rule) === "rise" ? delta < 0 && upper < 0 : delta > 0 && lower > 0;
  return isBetter ? `improved by ${distance(delta, unitOf(run, rule))}` : "";
}

function limitWords(run: Run, rule: RuleResult): string {
  if (rule.value === null) return "";
  const unit = unitOf(run, rule);
  const side = rule.kind === "min" ? "below" : "above";
  return `${shortName(run, rule)} is ${figure(rule.value, unit)}, ${side} ${figure(rule.limit, unit)}`;
}
