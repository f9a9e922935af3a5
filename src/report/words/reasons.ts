import type {
  Finding,
  IncomparablePart,
  JudgedRule,
  RuleGrounds,
} from "../../model/outcomes/finding.ts";
import { confirmReason } from "./confirmation.ts";
import { comparisonReason, givenReason } from "./differences.ts";
import { count, counted, figure, figureRange, forCount, listed, metricUnit } from "./figures.ts";
import { hidingReason } from "./losses.ts";
import { namedReason } from "./must-pass.ts";
import type { MetricUnit } from "../../model/definition/metric.ts";

type Measured = Extract<RuleGrounds, { readonly kind: "measured" }>;
type Found<Kind extends Finding["kind"]> = Extract<Finding, { readonly kind: Kind }>;

/**
 * The reason for a rule's outcome, without the rule's name. Without evidence it never contains the words "no
 * regression".
 */
export function ruleReason(rule: JudgedRule): string {
  const { why, code, outcome, places } = rule;
  if (why.kind === "decided")
    return `${why.reason}; decided in attempt ${rule.decided_in ?? 1} of this run, and a re-run does not undo it: push a commit`;
  const { moved } = why;
  const unit = metricUnit(rule.metric, why.range);
  const crashes = crashClauses(rule);
  if (code === "baseline_moved" && moved !== undefined) {
    const clause = `${moveClause(moved, unit)}, so that equal scores prove nothing: ${moveRemedy}`;
    return [clause, ...crashes].join("; ");
  }
  const reason =
    outcome === "met" && places !== undefined
      ? hidingReason(rule, places, why)
      : `${findingReason(rule, why)}${confirmReason(rule.confirmation)}`;
  return [reason, ...(moved ? [moveClause(moved, unit)] : []), ...crashes].join("; ");
}

function findingReason(rule: JudgedRule, why: Measured): string {
  const { finding, range } = why;
  const unit = metricUnit(rule.metric, range);
  const other = otherSide(rule);
  if (isPlain(finding)) return plainReasons[finding.kind];
  switch (finding.kind) {
    case "value":
      return limitReason(rule, finding.value, unit);
    case "comparison":
      return comparisonReason(rule, why, finding.comparison);
    case "metric_missing":
      return `no sample of this run has a score in \`${rule.metric}\`${givenInstead(finding.undeclared)}`;
    case "named_cases":
      return namedReason(finding.named, unit);
    case "no_baseline":
      return absentReason(finding.why, other);
    case "not_comparable":
      return notComparable(finding.parts);
    case "no_pairs":
      return `not compared: not one case could be paired with ${other}${editedWords(finding.edited)}`;
    case "given":
      return givenReason(rule, why, finding);
    case "given_unlike":
      return unlikeReason(finding.why, other);
    case "given_outside":
      return `grade_batch returned ${finding.value} for \`${rule.metric}\`, which its range [${(range ?? []).join(", ")}] does not hold; correct the grader, or declare the \`range\` that it has`;
    case "given_whole":
      return `\`${rule.metric}\` has no scores by case, as grade_batch returned it for all cases together; have grade_batch give each sample its score instead`;
  }
}

/** Why there are no pairs, if cases of both sides have other rows. */
function editedWords(edited: number): string {
  if (edited === 0) return "";
  const what = `${counted(edited, "case")} ${forCount(edited, "has", "have")} the same id and another row`;
  return `: ${what} (a field was added, removed or edited)`;
}

/** The other side: the baseline, or the candidate of the same run that a rule names in `against`. */
function otherSide({ against }: JudgedRule): string {
  return against === undefined ? "the baseline" : `\`${against}\``;
}

const plainReasons = {
  nothing_matches:
    "the rule names a metric, a task or a candidate that this run does not have; correct the rule, or remove it",
  slice_missing: "no case of this run is in this slice; correct the rule, or remove it",
  no_limit:
    "`must_pass` needs a `min` or a `max` here: the metric has no range whose end would be a pass",
  too_few: "not measured: too few cases have a score in this metric",
  metric_new: "not compared: the baseline does not have this metric",
  not_finite: "not compared: the scores are too large to compute with",
} as const;

function isPlain(finding: Finding): finding is Found<keyof typeof plainReasons> {
  return Object.hasOwn(plainReasons, finding.kind);
}

/** `other`: the baseline, or the candidate that it is compared with. */
function unlikeReason(why: Found<"given_unlike">["why"], other: string): string {
  switch (why) {
    case "not_given":
      return `not compared: ${other}'s grade_batch gave no valid number for it`;
    case "other_cases":
      return `not compared: grade_batch returned it for other cases than in ${other}, and it has no scores by case to pick the common ones from`;
  }
}

function absentReason(why: Found<"no_baseline">["why"], other: string): string {
  switch (why) {
    case "no_baseline":
      return "not measured: there is no baseline";
    case "new_task":
      return "not measured: the baseline does not have this task";
    case "new_candidate":
      return "not measured: the baseline does not have this candidate";
    case "no_reference":
      return `not measured: this run has no answers of ${other}`;
  }
}

function notComparable(parts: readonly IncomparablePart[]): string {
  if (parts.includes("repeats"))
    return "not comparable: the metric's reducer needs more repeats than both sides have";
  return `not comparable: ${partNames(parts)} changed since the baseline; it takes a new baseline, made by a run of the base branch as it is now`;
}

/** Undeclared names of the grader's metrics: most often a declared name is misspelt. */
export function givenInstead(undeclared: readonly string[]): string {
  return undeclared.length === 0
    ? ""
    : `; the grader gave ${listed(undeclared.map((id) => `\`${id}\``))}`;
}

function limitReason(
  { kind, code, limit: asked }: JudgedRule,
  found: number,
  unit: MetricUnit,
): string {
  const [value, limit] = [figure(found, unit), figure(asked, unit)];
  const isMet = code === "within_limit";
  if (kind === "min")
    return isMet ? `${value}, at least ${limit}` : `${value} is below the minimum of ${limit}`;
  return isMet ? `${value}, at most ${limit}` : `${value} is above the maximum of ${limit}`;
}

/** `the grader changed since the baseline, whose stored outputs now score 0.0% instead of 92.8% (95%: 88.8% to 95.4%)`. */
function moveClause(
  { parts, stored, regraded, ci, slice }: NonNullable<Measured["moved"]>,
  unit: MetricUnit,
): string {
  const where = slice === null ? "" : ` in ${slice}`;
  const spread = ci === null ? "" : ` (95%: ${figureRange(ci, unit)})`;
  return `${partNames(parts)} changed since the baseline, whose stored outputs${where} now score ${figure(regraded, unit)} instead of ${figure(stored, unit)}${spread}`;
}

const moveRemedy =
  "correct the grading; if the new scores are right, have the change of the policy approved (the pull request's label), or take a new baseline, made by a run of the base branch with this grading";

function crashClauses({ crashed = 0, broke }: JudgedRule): readonly string[] {
  if (crashed === 0 || broke === null) return [];
  const share =
    crashed >= broke
      ? `all ${count(broke)} broken cases`
      : `${count(crashed)} of the ${count(broke)} broken cases`;
  return [`${broke === 1 ? "the broken case" : share} ended without a score`];
}

/** `the grader and the extraction`. */
export function partNames(parts: readonly IncomparablePart[]): string {
  const names = parts.map((part) =>
    part === "direction" ? "the metric's direction" : `the ${part}`,
  );
  return names.join(" and ");
}
