import type { RuleResult } from "../domain/run.ts";
import type { Census } from "./census.ts";
import type { Comparison } from "./compare.ts";
import { amount, change, counted, figure, listed, pValue, type Range } from "./figures.ts";
import type { GateProblem } from "./health.ts";
import type { Finding, Measured, Standing } from "./measure.ts";
import type { PlannedRule } from "./plan.ts";
import type { FingerprintPart } from "./sides.ts";

/** Every sentence of the gate, for people; the words "no regression" never stand alone. */

type Found<Kind extends Finding["kind"]> = Extract<Finding, { kind: Kind }>;

/** Why a rule stands as it does, without its name. */
export function ruleReason(measured: Measured, standing: Standing): string {
  const { rule, target, range, finding } = measured;
  switch (finding.kind) {
    case "value":
      return limitReason(rule, { value: finding.value, range, met: standing.outcome === "met" });
    case "comparison":
      return `${comparisonReason(rule, { ...finding.comparison, range }, standing)}${inBetween(finding.comparison)}`;
    case "metric_missing":
      return `no sample of this run has a score in \`${target.metric}\`${givenInstead(finding.undeclared)}`;
    case "nothing_matches":
      return "the rule names a metric, a task or a candidate that this run does not have; correct the rule, or remove it";
    case "no_baseline":
      return absentReasons[finding.why];
    case "metric_new":
      return "not compared: the baseline does not have this metric";
    case "not_comparable":
      return `not comparable: ${partNames(finding.parts)} changed since the baseline; the next run of the base branch can be compared again`;
    case "no_pairs":
      return "not compared: not one case could be paired with the baseline";
    case "not_finite":
      return "not compared: the scores are too large to compute with";
  }
}

const absentReasons: Readonly<Record<Found<"no_baseline">["why"], string>> = {
  no_baseline: "not measured: there is no baseline",
  new_task: "not measured: the baseline does not have this task",
  new_candidate: "not measured: the baseline does not have this candidate",
};

/** What the grader gave under names that nobody declared: most often a misspelling. */
function givenInstead(undeclared: readonly string[]): string {
  return undeclared.length === 0
    ? ""
    : `; the grader gave ${listed(undeclared.map((id) => `\`${id}\``))}`;
}

function limitReason(
  rule: PlannedRule,
  found: { readonly value: number; readonly range: Range; readonly met: boolean },
): string {
  const value = figure(found.value, found.range);
  const limit = figure(rule.limit, found.range);
  if (rule.kind === "min")
    return found.met ? `${value}, at least ${limit}` : `${value} is below the minimum of ${limit}`;
  return found.met ? `${value}, at most ${limit}` : `${value} is above the maximum of ${limit}`;
}

type Compared = Comparison & { readonly range: Range };

function comparisonReason(rule: PlannedRule, compared: Compared, standing: Standing): string {
  const { delta, range } = compared;
  const seen = change(delta, range);
  const moved = `${seen} (${figure(compared.baseline, range)} → ${figure(compared.value, range)})`;
  const blocks = `the rule ${threshold(rule, range)}`;
  switch (standing.code) {
    case "drop_proven":
      return `${moved}, a proven ${lossWord(rule)}: ${casualties(compared)}; ${proof(standing)}; ${blocks}`;
    case "drop_not_proven":
      return `${seen} seen, not proven; ${power(compared)}${advice(compared)}`;
    case "drop_within_limit":
      return (standing.pAdjusted ?? 1) < rule.alpha
        ? `${moved}, a proven ${lossWord(rule)}; ${proof(standing)}; ${blocks}`
        : `${seen}; ${blocks}; ${undetected(compared)}`;
    case "beyond_limit":
      return `${moved}; ${blocks}; ${casualties(compared)}`;
    case "within_limit":
      return `${moved}; ${blocks}`;
    case "no_drop_detected":
    case "no_baseline":
    case "not_comparable":
    case "no_pairs":
    case "metric_missing":
    case "metric_new":
      return undetected(compared);
  }
}

/** A metric that is 0/1 by the baseline, and whose scores are not. */
function inBetween({ fractional, test }: Comparison): string {
  if (test !== "mcnemar_midp" || fractional === 0) return "";
  return `; ${counted(fractional, "case")} of this 0/1 metric scored something else`;
}

/** A loss of exactly the limit blocks; with a limit of 0 any loss does, and none does not. */
function threshold(rule: PlannedRule, range: Range): string {
  const verb = { block: "blocks", warn: "warns", info: "notes" }[rule.level];
  return rule.limit === 0
    ? `${verb} on any ${lossWord(rule)}`
    : `${verb} from ${amount(rule.limit, range)}`;
}

function lossWord(rule: PlannedRule): string {
  return rule.kind === "max_rise" ? "rise" : "drop";
}

function casualties({ broke, fixed, n }: Compared): string {
  return `${broke} of ${counted(n, "case")} broke, ${fixed} ${fixed === 1 ? "was" : "were"} fixed`;
}

function proof({ pAdjusted, family }: Standing): string {
  const p = pValue(pAdjusted ?? 1);
  return family > 1 ? `${p} (Holm, ${family} comparisons)` : p;
}

/** What so many cases can show: `240 cases detect ≥ 5.1 pp`. */
function power(compared: Compared): string {
  const cases = counted(compared.n, "case");
  const mde = usableMde(compared);
  if (mde === undefined)
    return `${cases} ${compared.n === 1 ? "is" : "are"} too few to detect a loss`;
  return `${cases} ${compared.n === 1 ? "detects" : "detect"} ≥ ${amount(mde, compared.range)}`;
}

function undetected(compared: Compared): string {
  const mde = usableMde(compared);
  if (mde !== undefined)
    return `no regression detected; could detect ≥ ${amount(mde, compared.range)}`;
  const cases = counted(compared.n, "case");
  if (compared.broke + compared.fixed === 0)
    return `no regression detected: not one of ${cases} changed`;
  return compared.mde === null && compared.n > 1
    ? `no regression detected in ${cases}, which changed alike`
    : `no regression detected, but ${cases} ${compared.n === 1 ? "is" : "are"} too few to detect one`;
}

/** A loss larger than the whole range cannot happen: so few cases detect nothing. */
function usableMde({ mde, range }: Compared): number | undefined {
  if (mde === null) return undefined;
  return range !== null && mde > range[1] - range[0] ? undefined : mde;
}

const fewCases = 50;
const manyRepeats = 5;

function advice({ n, repeats }: Compared): string {
  if (n >= fewCases) return "";
  return repeats >= manyRepeats
    ? "; more cases would tell more"
    : `; \`repeats: ${manyRepeats}\` or more cases would tell more`;
}

function partNames(parts: Found<"not_comparable">["parts"]): string {
  const names = parts.map((part) =>
    part === "direction" ? "the metric's direction" : `the ${part}`,
  );
  return names.join(" and ");
}

/** A rule's reason with its name before it. */
export function ruleLine(result: RuleResult): string {
  const levels = { block: "", warn: "warning: ", info: "info: " };
  return `${levels[result.level]}${result.task}/${result.metric}, ${result.candidate}: ${result.reason}`;
}

/** What is wrong with the run, and the way out. */
export function problemLine(problem: GateProblem): string {
  switch (problem.kind) {
    case "nothing_ran":
      return "nothing ran: the run has no task or no candidate";
    case "no_cases":
      return `${place(problem)}: no cases; a run without cases shows nothing`;
    case "too_few_cases":
      return `${place(problem)}: ${counted(problem.cases, "case")}, and \`min_cases\` asks for ${problem.minCases}`;
    case "too_many_ungraded":
      return `${place(problem)}: ${problem.ungraded} of ${counted(problem.cases, "case")} could not be graded (${problem.allowed} allowed); see the samples' errors, then run again, or set \`gate.max_error_rate\``;
    case "none_scored":
      return `${place(problem)}: not one of ${counted(problem.cases, "case")} was scored (${problem.failed} failed, ${problem.invalid} invalid); see the samples' errors`;
    case "task_gone":
      return `${problem.task}: the baseline has this task with ${counted(problem.cases, "case")}, and this run has not`;
    case "candidate_gone":
      return `${problem.candidate}: the baseline has this candidate with ${counted(problem.cases, "case")}, and this run has not; keep the slot's name when its model changes`;
    case "metric_gone":
      return `${problem.task}/${problem.metric}: the baseline has this metric, and this run has not`;
    case "cases_missing":
      return `${place(problem)}: ${counted(problem.caseIds.length, "case")} of the baseline ${problem.caseIds.length === 1 ? "is" : "are"} missing here: ${listed(problem.caseIds)}`;
    case "ungraded_decide":
      return `${problem.task}/${problem.metric}, ${problem.candidate}: ${counted(problem.ungraded, "case")} could not be graded, and the rule would be missed if ${problem.ungraded === 1 ? "it" : "they"} had failed; run again`;
  }
}

function place(problem: { readonly task: string; readonly candidate: string }): string {
  return `${problem.task}, ${problem.candidate}`;
}

/** Samples that did not count as they should, of one task and candidate. */
export function censusLines(census: Census): readonly string[] {
  const { invalid, ungraded } = census.outcomes;
  const cases = counted(census.cases, "case");
  const lines: string[] = [];
  if (invalid > 0)
    lines.push(
      `${place(census)}: the grader gave no valid score for ${invalid} of ${cases}; counted as wrong`,
    );
  if (ungraded > 0)
    lines.push(`${place(census)}: ${ungraded} of ${cases} could not be graded; not counted`);
  return lines;
}

/**
 * Scores that the grader left out of samples it scored. `known`: metrics of which a rule says already that no sample
 * has them.
 */
export function lackingLines(census: Census, known: readonly string[]): readonly string[] {
  return census.lacking
    .filter(({ metric, everywhere }) => !(everywhere && known.includes(metric)))
    .map(({ metric, cases, everywhere }) => {
      const verb = cases === 1 ? "has" : "have";
      const instead = everywhere ? givenInstead(census.undeclared) : "";
      return `${place(census)}: ${cases} of ${counted(census.cases, "case")} ${verb} no score \`${metric}\` from the grader: counted as wrong${instead}`;
    });
}

export const gateIsNone = "`gate: none`: nothing is judged";

/** A task without a rule. */
export function ungatedLine(task: string): string {
  return `${task}: not gated: no rule covers it; the default rule is for a first metric that is a mean with the range [0, 1]`;
}

export const onlyAdvice = "no rule blocks: the level of every rule is warn or info";

/** Why nothing was measured, and what to declare. */
export function nothingMeasured(baselineReason: string | undefined, rules: number): string {
  if (rules === 0)
    return "nothing is gated: no task's first metric is a mean with the range [0, 1]; declare `range: [0, 1]` on it, or write `gate.rules`";
  if (baselineReason !== undefined)
    return `nothing was measured: no baseline (${baselineReason}); give one (\`gate.baseline: { path: … }\` or \`--baseline\`), or declare a rule with \`min\` or \`max\``;
  return "nothing was measured: the baseline has nothing of what the rules compare; declare a rule with `min` or `max`, or wait for the base branch's next run";
}

/** Notes on the comparison itself. */
export function noBaselineNote(reason: string): string {
  return `no baseline: ${reason}`;
}

export function candidateNote(head: string, base: string): string {
  return `${head} is compared with ${base} of the baseline: each side has one candidate`;
}

export function newTaskNote(task: string): string {
  return `${task}: new; the baseline does not have this task`;
}

/** What differs between the two sides of a task. `repeats`: here, in the baseline. */
export function taskNotes(
  task: string,
  differences: {
    readonly decisive: readonly FingerprintPart[];
    readonly tolerated: readonly FingerprintPart[];
    readonly repeats: readonly [number, number];
  },
): readonly string[] {
  const { decisive, tolerated, repeats } = differences;
  if (decisive.length > 0)
    return [`${task}: not comparable, as ${partNames(decisive)} changed since the baseline`];
  const notes: string[] = [];
  if (tolerated.length > 0)
    notes.push(
      `${task}: ${partNames(tolerated)} changed since the baseline; cases with equal rows are compared`,
    );
  if (repeats[0] !== repeats[1])
    notes.push(
      `${task}: ${counted(repeats[0], "repeat")} here, ${repeats[1]} in the baseline; of each case the first ${Math.min(...repeats)} count`,
    );
  return notes;
}

/** Which cases of a task and candidate are not compared, and why. */
export function censusNotes(census: Census): readonly string[] {
  const { dropped, fresh } = census;
  const notes: [number, string][] = [
    [fresh, "new since the baseline"],
    [dropped.changed, "not compared: the row changed since the baseline"],
    [dropped.ungraded, "not compared: not graded on both sides"],
    [dropped.invalid, "not compared: the baseline's grader gave no valid score"],
  ];
  return notes
    .filter(([count]) => count > 0)
    .map(([count, why]) => `${place(census)}: ${counted(count, "case")} ${why}`);
}
