import { type ValuePlace, valueAt } from "../../model/place.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RuleFigures, RuleResult } from "../../model/outcomes/rule-result.ts";
import { outcomeWords } from "./outcomes.ts";
import {
  count,
  counted,
  difference,
  differenceRange,
  distance,
  figure,
  forCount,
  percentName,
  pValue,
  unitOf,
} from "./figures.ts";
import type { MetricUnit } from "../../model/definition/metric.ts";

/** A rule's result in words and figures, not escaped yet. "–" stands for missing values. */
export interface RuleWords {
  /** `qa/exact_match`, with candidate and slice if there are several. */
  readonly name: string;
  readonly baseline: string;
  readonly value: string;
  readonly delta: string;
  /** `90%: −8.6 to −1.7 points`; empty if there is none. */
  readonly interval: string;
  /** The interval without its level. */
  readonly range: string;
  readonly cases: string;
  /** Consequence of the rule and its threshold: `blocks from 2.0 points`, `blocks below 80.0%`. */
  readonly consequence: string;
  /** The rule's outcome as a mark. */
  readonly mark: string;
  /** `not met: drop seen, not proven (could detect ≥ 5.1 points)`. */
  readonly shown: string;
  /** `shown` with a mark, and without the detectable drop. */
  readonly brief: string;
  /** `drop proven`, and the evidence: `p = 0.022`, `could detect ≥ 5.1 points`; empty if there is none. */
  readonly found: string;
  readonly evidence: string;
}

/** Placeholder for missing values. */
export const none = "–";

/** One row of the gate's table. */
export function ruleWords(run: Run, rule: RuleResult): RuleWords {
  const unit = unitOf(run, rule);
  const cases = casesOfRule(run, rule);
  return {
    name: ruleName(run, rule),
    baseline: rule.baseline === null ? none : figure(rule.baseline, unit),
    value: valueWords(rule, unit),
    delta: rule.delta === null ? none : difference(rule.delta, unit),
    interval: intervalWords(run, rule),
    range: rule.delta_ci === null ? "" : differenceRange(rule.delta_ci, unitOf(run, rule)),
    cases: cases === null ? none : count(cases),
    consequence: consequenceWords(run, rule),
    mark: markOf(rule),
    shown: `${outcomeWords[rule.outcome]}: ${codeWords(rule)}${inBrackets(powerWords(run, rule))}`,
    brief: `${markOf(rule)} ${codeWords(rule)}`,
    found: codeWords(rule),
    evidence: evidenceWords(run, rule),
  };
}

/** The number of cases that pass for a `must_pass` rule, because their mean would say nothing; otherwise the value. */
function valueWords(rule: RuleResult, unit: MetricUnit): string {
  if (rule.kind !== "must_pass" || rule.n === null || rule.code === "cases_ungraded")
    return rule.value === null ? none : figure(rule.value, unit);
  const fallen = (rule.short?.length ?? 0) + (rule.changed.failing?.count ?? 0);
  const passing = Math.max(0, rule.n - fallen);
  return `${count(passing)} of ${count(rule.n)} ${forCount(rule.n, "passes", "pass")}`;
}

/** `qa/exact_match`, and the parts that distinguish this rule from the others. */
export function ruleName(
  run: Run,
  rule: ValuePlace & { readonly against?: string | undefined },
): string {
  const candidate = run.candidates.length > 1 ? ` · ${rule.candidate}` : "";
  const slice = rule.slice === null ? "" : ` · ${rule.slice}`;
  const against = rule.against === undefined ? "" : ` · against ${rule.against}`;
  return `${rule.task}/${rule.metric}${candidate}${slice}${against}`;
}

/**
 * Number of cases that a rule is based on: its pairs, or otherwise the cases with the metric. null if neither can be
 * counted.
 */
export function casesOfRule(run: Run, rule: RuleResult): number | null {
  if (rule.n !== null) return rule.n;
  const found = valueAt(run.metrics, rule);
  return found?.n ?? null;
}

/** `−5.0 points (90% interval −8.6 to −1.7 points; blocks from 2.0 points; 240 cases)`. */
export function ruleFacts(run: Run, rule: RuleResult): string {
  const cases = casesOfRule(run, rule);
  const rest = [ruleFrame(run, rule), ...(cases === null ? [] : [counted(cases, "case")])];
  const moved = rule.delta === null ? "" : `${difference(rule.delta, unitOf(run, rule))} `;
  return `${moved}(${rest.join("; ")})`;
}

/** `90% interval −8.6 to −1.7 points; blocks from 2.0 points`: the context of a difference. */
export function ruleFrame(run: Run, rule: RuleResult): string {
  const limit = limitFact(run, rule);
  if (rule.delta_ci === null) return limit;
  const level = rule.ci_level === null ? "interval" : `${percentName(rule.ci_level)} interval`;
  return `${level} ${differenceRange(rule.delta_ci, unitOf(run, rule))}; ${limit}`;
}

/** `could detect ≥ 5.1 points`; undefined if nothing was compared, or if a loss can't be that large. */
export function detectable(run: Run, rule: RuleResult): string | undefined {
  const unit = unitOf(run, rule);
  if (rule.mde === null || (unit === "share" && rule.mde > 1)) return undefined;
  return `could detect ≥ ${distance(rule.mde, unit)}`;
}

/** `drop`, or `rise` if lower is better. */
export function changeNoun(rule: RuleFigures): "drop" | "rise" {
  return rule.kind === "max_rise" ? "rise" : "drop";
}

function intervalWords(run: Run, rule: RuleResult): string {
  if (rule.delta_ci === null) return "";
  const range = differenceRange(rule.delta_ci, unitOf(run, rule));
  return rule.ci_level === null ? range : `${percentName(rule.ci_level)}: ${range}`;
}

/** `blocks from 2.0 points`, `80.0%`. */
function limitWords(run: Run, rule: RuleResult): string {
  const unit = unitOf(run, rule);
  const size = isRelative(rule) ? threshold(rule, unit) : figure(rule.limit, unit);
  return rule.prove === "nothing" ? `${size}, without proof` : size;
}

function consequenceWords(run: Run, rule: RuleResult): string {
  const verb = verbs[rule.level];
  const size = figure(rule.limit, unitOf(run, rule));
  switch (rule.kind) {
    case "min":
      return `${verb} below ${size}`;
    case "max":
      return `${verb} above ${size}`;
    case "must_pass":
      return size === "100.0%" ? `${verb} if one fails` : `${verb} if one is not ${size}`;
    case "max_drop":
    case "max_rise":
      return limitWords(run, rule);
  }
}

function limitFact(run: Run, rule: RuleResult): string {
  const unit = unitOf(run, rule);
  switch (rule.kind) {
    case "min":
      return `at least ${figure(rule.limit, unit)} asked`;
    case "max":
      return `at most ${figure(rule.limit, unit)} allowed`;
    case "must_pass":
      return `${figure(rule.limit, unit)} asked of each must-pass case`;
    case "max_drop":
    case "max_rise":
      return threshold(rule, unit);
  }
}

/** True if the limit is one of a difference. */
export function isRelative({ kind }: RuleResult): boolean {
  return kind === "max_drop" || kind === "max_rise";
}

const verbs = { block: "blocks", warn: "warns", info: "notes" } as const;

/** A loss of exactly the limit blocks. With a limit of 0 any loss blocks, but an unchanged value does not. */
export function threshold(rule: RuleFigures, unit: MetricUnit): string {
  const verb = verbs[rule.level];
  return rule.limit === 0
    ? `${verb} on any ${changeNoun(rule)}`
    : `${verb} from ${distance(rule.limit, unit)}`;
}

function evidenceWords(run: Run, rule: RuleResult): string {
  const { code } = rule;
  if (code === "drop_proven" || code === "drop_hidden") return adjustedP(rule) ?? "";
  return powerWords(run, rule) ?? "";
}

/** The detectable drop if none was proven. */
function powerWords(run: Run, rule: RuleResult): string | undefined {
  const { code } = rule;
  return code === "drop_not_proven" || code === "no_drop_detected"
    ? detectable(run, rule)
    : undefined;
}

function codeWords(rule: RuleResult): string {
  const noun = changeNoun(rule);
  const words: Readonly<Record<RuleResult["code"], string>> = {
    within_limit: "within the limit",
    beyond_limit: "beyond the limit",
    drop_proven: `${noun} proven`,
    drop_not_confirmed: `${noun} not confirmed when run again`,
    confirm_undecided: `${noun} proven, running again could not decide`,
    drop_not_proven: `${noun} seen, not proven`,
    drop_left_open: `${noun} seen, too large to pass and not proven`,
    drop_within_limit: `${noun} below the limit`,
    drop_hidden: `${noun} proven in this slice, hidden by the total`,
    no_drop_detected: `no ${noun} detected`,
    no_drop_shown: `a ${noun} of the limit's size is ruled out`,
    no_drop_not_shown: `a ${noun} of the limit's size is not ruled out`,
    cases_short: "a must-pass case fails",
    cases_short_before: "the must-pass cases that fail did so before",
    cases_absent: "a must-pass case is not in this run",
    cases_ungraded: "a must-pass case could not be graded",
    slice_missing: "no case is in this slice",
    run_stopped: "the run was stopped",
    no_baseline: rule.against === undefined ? "no baseline" : `no answers of ${rule.against}`,
    not_comparable: "not comparable",
    too_few_to_prove: `too few cases or clusters to prove a ${noun}`,
    baseline_moved: "this run's grader moves the baseline itself",
    not_provable: `${noun} seen, can't be proven`,
    no_pairs: `no case in common with ${rule.against ?? "the baseline"}`,
    metric_missing:
      rule.value === null ? "no case has a score in it" : "a number outside of the metric's range",
    metric_new: "new metric, not in the baseline",
  };
  return words[rule.code];
}

function adjustedP({ p, p_adjusted: adjusted }: RuleResult): string | undefined {
  const shown = adjusted ?? p;
  return shown === null ? undefined : pValue(shown);
}

function inBrackets(text: string | undefined): string {
  return text === undefined ? "" : ` (${text})`;
}

function markOf(rule: RuleResult): string {
  switch (rule.outcome) {
    case "met":
      return "✅";
    case "missed":
      return rule.level === "block" ? "❌" : "⚠️";
    case "inconclusive":
      return "⚠️";
    case "unmeasured":
      return "➖";
  }
}
