import type { CellCounts, EditedResult, Remark } from "../../model/outcomes/remark.ts";
import { count, countedOf, figure, forCount, metricUnit } from "./figures.ts";
import { givenInstead } from "./reasons.ts";

type CaseRemark = Extract<Remark, { readonly counts: CellCounts }>;

/** Lines on the cases of a task and candidate. */
export function caseRemarkLines(remark: CaseRemark): readonly string[] {
  const { counts } = remark;
  switch (remark.kind) {
    case "not_scored":
      return countLines(counts);
    case "otherwise":
      return otherwiseLines(counts, remark.edited);
    case "edited":
      return [editedLine(counts)];
    case "outside":
      return outsideLines(counts);
    case "lacking":
      return lackingLines(counts, remark.known);
  }
}

/** `qa, main`: the task and the candidate that a line is about. */
export function place(problem: { readonly task: string; readonly candidate: string }): string {
  return `${problem.task}, ${problem.candidate}`;
}

/** Samples of a task and candidate that did not count as they should. */
function countLines(cellCounts: CellCounts): readonly string[] {
  const { cases, outcomes } = cellCounts;
  const { invalid, ungraded } = outcomes;
  const lines: string[] = [];
  if (invalid > 0)
    lines.push(
      `${place(cellCounts)}: the grader gave no valid score for ${countedOf(invalid, cases, "case")}; counted as wrong`,
    );
  if (ungraded > 0)
    lines.push(
      `${place(cellCounts)}: ${countedOf(ungraded, cases, "case")} could not be graded; not counted`,
    );
  return lines;
}

/**
 * Scores that the grader left out of scored samples. `known`: metrics that a rule already reports as missing from all
 * samples.
 */
function lackingLines(cellCounts: CellCounts, known: readonly string[]): readonly string[] {
  return cellCounts.lacking
    .filter(({ metric, everywhere }) => !(everywhere && known.includes(metric)))
    .map(({ metric, cases, everywhere }) => {
      const instead = everywhere ? givenInstead(cellCounts.undeclared) : "";
      return `${place(cellCounts)}: the grader gave ${countedOf(cases, cellCounts.cases, "case")} no \`${metric}\`: counted as wrong${instead}`;
    });
}

/** Cases that another tool asked, or judged, otherwise than in the baseline. */
function otherwiseLines(cellCounts: CellCounts, edited: number): readonly string[] {
  const { judgedOtherwise: judged, cases } = cellCounts;
  const lines = [
    `${countedOf(edited, cases, "case")} ${forCount(edited, "has", "have")} another question or expected answer than in the baseline: not compared`,
    `${countedOf(judged, cases, "case")} ${forCount(judged, "was", "were")} judged by other assertions, limits or judges than in the baseline, as the results tell: see that they don't ask for less`,
  ];
  return lines
    .filter((_, i) => [edited, judged][i] !== 0)
    .map((line) => `${place(cellCounts)}: ${line}`);
}

/** Cases whose row was edited since the baseline, and how they score by themselves. */
function editedLine(cellCounts: CellCounts): string {
  const { cases, dropped, edited } = cellCounts;
  const verb = forCount(dropped.changed, "was", "were");
  const are = forCount(dropped.changed, "is", "are");
  return `${place(cellCounts)}: ${countedOf(dropped.changed, cases, "case")} ${verb} edited since the baseline (another input, target or other field) and ${are} not compared${edited === undefined ? "" : `: ${editedResult(edited, dropped.changed)}`}`;
}

function editedResult(edited: EditedResult, cases: number): string {
  const { metric, range, now, before, failing } = edited;
  if (failing?.now === 0 && failing.before === 0)
    return `${cases === 1 ? "it does not fail" : "none of them fails"}, as in the baseline`;
  if (failing !== undefined)
    return `${count(failing.now)} of ${count(cases)} fail now, ${count(failing.before)} failed in the baseline`;
  const unit = metricUnit(metric, range);
  return `\`${metric}\` is ${figure(now, unit)} for ${forCount(cases, "it", "them")} now and was ${figure(before, unit)} in the baseline`;
}

/** Scores outside a metric's declared range. */
function outsideLines(cellCounts: CellCounts): readonly string[] {
  return cellCounts.outside.map(({ metric, cases, range }) => {
    const verb = forCount(cases, "has", "have");
    return `${place(cellCounts)}: ${countedOf(cases, cellCounts.cases, "case")} ${verb} a score in \`${metric}\` outside of its range [${range.join(", ")}]: counted as wrong; correct the grader, or declare the \`range\` that it has`;
  });
}
