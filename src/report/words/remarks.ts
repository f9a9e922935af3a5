import { isHash } from "../../base/row-words.ts";
import type { RegradedTask } from "../../model/outcomes/compared.ts";
import type { JudgedRule } from "../../model/outcomes/finding.ts";
import type {
  CellCounts,
  ComparisonNote,
  GateFindings,
  GateProblem,
  Remark,
} from "../../model/outcomes/remark.ts";
import type { GateResult, RuleResult } from "../../model/outcomes/rule-result.ts";
import { caseRemarkLines, place } from "./case-remarks.ts";
import { confirmLines } from "./confirmation.ts";
import { count, counted, countedOf, distance, forCount, listed, metricUnit } from "./figures.ts";
import { locatedReason } from "./losses.ts";
import { linesByPolicy } from "./policy.ts";
import { partNames, ruleReason } from "./reasons.ts";

/** The gate's findings as run.json has them. `hasManifest`: false if flags or inputs define the rules. */
export function gateResult(
  { verdict, remarks, rules }: GateFindings,
  hasManifest: boolean,
): GateResult {
  const reasons = remarks.flatMap((remark) => remarkLines(remark, hasManifest));
  return { verdict, reasons, rules: rules.map(ruleResult) };
}

function ruleResult(rule: JudgedRule): RuleResult {
  const { why: _, places, confirmation, crashed, decided_in, ...figures } = rule;
  return {
    ...figures,
    reason: ruleReason(rule),
    ...(confirmation && { confirmation }),
    ...(places && { located: { reason: locatedReason(places, rule.broke ?? 0), places } }),
    ...(crashed !== undefined && { crashed }),
    ...(decided_in !== undefined && { decided_in }),
  };
}

function remarkLines(remark: Remark, hasManifest: boolean): readonly string[] {
  if ("counts" in remark) return caseRemarkLines(remark);
  switch (remark.kind) {
    case "gate_none":
      return ["`gate: none`: nothing is judged"];
    case "problem":
      return [problemLine(remark.problem, hasManifest)];
    case "rule":
      return [ruleLine(ruleResult(remark.rule))];
    case "accepted":
      return [acceptedLine(ruleResult(remark.rule))];
    case "located":
      return locatedLines(ruleResult(remark.rule));
    case "confirmation":
      return confirmLines(remark.record);
    case "nothing_measured":
      return [(hasManifest ? nothingMeasured : nothingOfResults)(remark)];
    case "only_advice":
      return ["no rule blocks: the level of every rule is warn or info"];
    case "ungated":
      return [
        `${remark.task}: not gated: no rule covers it; the default rule is for a first metric that is a mean with the range [0, 1]`,
      ];
  }
}

/** Every line of run.json's `gate.reasons` about a rule, by either policy. */
export function linesOfRule(rule: RuleResult): readonly string[] {
  const lines = [ruleLine(rule), acceptedLine(rule), ...locatedLines(rule)];
  return [...lines, ...lines.flatMap(linesByPolicy)];
}

/** A rule's reason with its name before it. */
function ruleLine(result: RuleResult): string {
  const levels = { block: "", warn: "warning: ", info: "info: " };
  const slice = result.slice === null ? "" : `, ${result.slice}`;
  const where = `${slice}${againstWords(result)}`;
  return `${levels[result.level]}${result.task}/${result.metric}, ${result.candidate}${where}: ${result.reason}`;
}

/** Lines with the locations of losses. */
function locatedLines(rule: RuleResult): readonly string[] {
  const { task, metric, candidate, located } = rule;
  const what = `${task}/${metric}, ${candidate}${againstWords(rule)}`;
  return located === undefined ? [] : [`${what}: ${located.reason}`];
}

/** `, against plain`, if the other side is another candidate of the run. */
function againstWords({ against }: { readonly against?: string }): string {
  return against === undefined ? "" : `, against ${against}`;
}

/** A loss that someone accepted: reported, not blocking. */
function acceptedLine(result: RuleResult): string {
  return `accepted: ${ruleLine(result)}`;
}

/** A problem of the run, and what to do. */
function problemLine(problem: GateProblem, hasManifest: boolean): string {
  if (isDoubt(problem)) return doubtLine(problem);
  switch (problem.kind) {
    case "nothing_ran":
      return "nothing ran: the run has no task or no candidate";
    case "no_cases":
      return `${place(problem)}: no cases; a run without cases shows nothing`;
    case "too_few_cases":
      return `${place(problem)}: ${counted(problem.cases, "case")}, and \`min_cases\` asks for ${count(problem.minCases)}`;
    case "too_many_ungraded":
      return `${place(problem)}: ${countedOf(problem.ungraded, problem.cases, "case")} could not be graded (${count(problem.allowed)} allowed); ${hasManifest ? ofManifest : ofResults}`;
    case "none_scored":
      return `${place(problem)}: not one of ${counted(problem.cases, "case")} was scored (${count(problem.failed)} failed, ${count(problem.invalid)} invalid)`;
    case "task_gone":
      return `${problem.task}: the baseline has this task with ${counted(problem.cases, "case")}, and this run does not; if the suite was renamed, or the baseline is another suite's, make a baseline of this suite`;
    case "candidate_gone":
      return `${problem.candidate}: the baseline has this candidate with ${counted(problem.cases, "case")}, and this run has not; keep the slot's name when its model changes`;
    case "metric_gone":
      return `${problem.task}/${problem.metric}: the baseline has this metric, and this run has not`;
    case "cases_missing":
      return `${place(problem)}: ${counted(problem.caseIds.length, "case")} of the baseline ${forCount(problem.caseIds.length, "is", "are")} missing here: ${listed(problem.caseIds)}${hashNote(problem.caseIds)}`;
    case "baseline_unread":
      return `A baseline may be there and could not be read, so nothing was compared: ${problem.reason}. ${problem.remedy}`;
    case "attempts_unread":
      return `What earlier attempts of this workflow run showed is not known: ${problem.reason}. A re-run adds to them, and passes only beside them: re-run again, or push a commit.`;
    case "too_few_pairs":
      return tooFewPairs(problem);
  }
}

/** The usual reason for missing cases: rows without an id were edited. */
function hashNote(caseIds: readonly string[]): string {
  return caseIds.every(isHash)
    ? "; these ids are hashes of what the cases hold, so an edited case is another one: give each case an id (a dataset's `id_field`; of another tool's results docs/results), and make a new baseline"
    : "";
}

const ofManifest = "see the samples' errors, then run again, or set `gate.max_error_rate`";
const ofResults =
  "see the errors in the results, and whether cases lack repeats; then let the tool run again";

type Doubt = Extract<
  GateProblem,
  { readonly kind: "ungraded_decide" | "edited_decide" | "baseline_partial" }
>;

function isDoubt(problem: GateProblem): problem is Doubt {
  return ["ungraded_decide", "edited_decide", "baseline_partial"].includes(problem.kind);
}

const editedRemedy = {
  tool: "change cases in a pull request of their own, and judge that one without a baseline",
  base: "they were edited on the base branch since the baseline: start a run of the base branch",
  user: "let what made the baseline answer the new rows and compare with that run, or give `--policy-from`: the base's rows then judge",
} as const;

/** Cases that were not compared and could change the verdict. */
function doubtLine(problem: Doubt): string {
  switch (problem.kind) {
    case "ungraded_decide":
      return `${problem.task}/${problem.metric}, ${problem.candidate}: ${counted(problem.ungraded, "case")} could not be graded, and the rule would be missed if ${forCount(problem.ungraded, "it", "they")} had failed; run again`;
    case "edited_decide":
      return `${problem.task}/${problem.metric}, ${problem.candidate}: ${counted(problem.edited, "case")} ${forCount(problem.edited, "has", "have")} another input or target than in the baseline, and the rule would be missed if ${forCount(problem.edited, "it was", "they were")} compared all the same; ${editedRemedy[problem.by]}`;
    case "baseline_partial":
      return `${place(problem)}: not judged: the baseline has only ${countedOf(problem.known, problem.cases, "case")} that judge this change; it was run on other data, or on a part of them: start a run of the base branch`;
  }
}

/** Why the compared cases don't represent all cases. */
function tooFewPairs(problem: Extract<GateProblem, { readonly kind: "too_few_pairs" }>): string {
  const { task, candidate, metric, paired, expected, allowed, minCases } = problem;
  const what = `${task}/${metric}, ${candidate}${againstWords(problem)}`;
  const remedy =
    problem.against === undefined
      ? "run again, where the baseline lacks them on the base branch,"
      : "run again,";
  if (expected - paired > allowed)
    return `${what}: not judged: only ${countedOf(paired, expected, "case")} ${forCount(paired, "has", "have")} a grade on both sides, and ${count(allowed)} may lack one; ${remedy} or set \`gate.min_paired\``;
  return `${what}: not judged: ${counted(paired, "case")} could be compared, and \`min_cases\` asks for ${count(minCases)}`;
}

type NothingMeasured = Extract<Remark, { readonly kind: "nothing_measured" }>;

/** Why nothing was measured, and what to declare. */
function nothingMeasured({ noBaseline, tooFew, rules }: NothingMeasured): string {
  if (rules === 0)
    return "nothing is gated: no task's first metric is a mean with the range [0, 1]; declare `range: [0, 1]` on it, or write `gate.rules`";
  if (noBaseline !== undefined)
    return `nothing was compared: no baseline (${noBaseline}); give one (\`gate.baseline: { path: … }\` or \`--baseline\`), or declare a rule with \`min\` or \`max\``;
  if (tooFew)
    return "nothing was judged: so few cases can't prove a change for the worse, however large; add cases, or declare a rule that needs no proof (`min`, `max`, `must_pass`, `prove: nothing`)";
  return "nothing was compared: the baseline has nothing of what the rules compare; declare a rule with `min` or `max`, or wait for the base branch's next run";
}

/** Why nothing was measured in results that flags or inputs judge: there is no manifest to edit. */
function nothingOfResults({ noBaseline, tooFew, rules }: NothingMeasured): string {
  if (rules === 0)
    return "nothing is gated: no task's main metric has the range [0, 1]; give the drop that is allowed (`max-drop`) or the lowest value (`min`)";
  if (noBaseline !== undefined)
    return `nothing was compared: no baseline (${noBaseline}); give one (\`baseline\`), or the lowest value that is allowed (\`min\`)`;
  if (tooFew)
    return "nothing was judged: so few cases can't prove a change for the worse, however large; add cases, or give the lowest value that is allowed (`min`)";
  return "nothing was compared: the baseline has nothing of what is compared; give the lowest value that is allowed (`min`), or wait for the base branch's next run";
}

/** Notes about the comparison for readers, one sentence each. */
export function noteLines(note: ComparisonNote): readonly string[] {
  switch (note.kind) {
    case "no_baseline":
      return [`no baseline: ${note.reason}`];
    case "pool":
      return [
        `the baseline is ${counted(note.runs, "run")} of the same input taken together: of each case the mean over them counts`,
        ...worthLines(note),
      ];
    case "candidate":
      return [
        `${note.head} is compared with ${note.base} of the baseline: each side has one candidate`,
      ];
    case "new_task":
      return [`${note.task}: new; the baseline does not have this task`];
    case "task":
      return taskNotes(note);
    case "cases":
      return countNotes(note.counts);
  }
}

/** The benefit of storing more runs. */
function worthLines({ runs, worth }: Extract<ComparisonNote, { kind: "pool" }>): readonly string[] {
  if (worth === undefined) return [];
  const { task, metric, range, mde, doubled } = worth;
  const unit = metricUnit(metric, range);
  return [
    `${count(2 * runs)} earlier runs instead of ${count(runs)} would bring the smallest drop of ${task}/${metric} that is seen from ${distance(mde, unit)} to ${distance(doubled, unit)}`,
  ];
}

/** Differences between the two sides of a task. */
function taskNotes(note: Extract<ComparisonNote, { readonly kind: "task" }>): readonly string[] {
  const { task, decisive, tolerated, repeats, regraded } = note;
  if (decisive.length > 0)
    return [`${task}: not comparable, as ${partNames(decisive)} changed since the baseline`];
  const notes: string[] = regraded === undefined ? [] : [`${task}: ${regradedNote(regraded)}`];
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

function regradedNote({ parts, samples, differ }: RegradedTask): string {
  const again = `${counted(samples, "stored output")} ${forCount(samples, "was", "were")} graded again by this run's`;
  const came = differ === 0 ? "none of them scores otherwise" : `${count(differ)} score otherwise`;
  return `${partNames(parts)} changed since the baseline; its ${again}: ${came}, and both sides are compared by one grader`;
}

/** Cases of a task and candidate that are not compared, with the reasons. */
function countNotes(cellCounts: CellCounts): readonly string[] {
  const { dropped, fresh, renamed } = cellCounts;
  const notes: [number, string][] = [
    [fresh, "new since the baseline"],
    [renamed, "with another id than in the baseline, and the same row: compared"],
    [dropped.changed, "not compared: the row changed since the baseline"],
    [dropped.unasked, "not compared: an error without its input or its target in the baseline"],
    [dropped.ungraded, "not compared: not graded on both sides"],
    [dropped.invalid, "not compared: the baseline's grader gave no valid score"],
  ];
  return notes
    .filter(([cases]) => cases > 0)
    .map(([cases, why]) => `${place(cellCounts)}: ${counted(cases, "case")} ${why}`);
}
