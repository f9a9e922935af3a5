import type { CellCounts, GateProblem } from "../model/outcomes/remark.ts";
import type { Verdict } from "../model/outcomes/verdict.ts";
import type { RuleFigures } from "../model/outcomes/rule-result.ts";
import type { Gate } from "../model/definition/gate.ts";
import type { BaselineSide } from "./pairing/sides.ts";

/** The mildest verdict that a problem allows. */
export function verdictOf({ kind }: GateProblem): Verdict {
  return verdicts[kind];
}

const verdicts: Readonly<Record<GateProblem["kind"], Verdict>> = {
  nothing_ran: "error",
  no_cases: "error",
  too_few_cases: "error",
  too_many_ungraded: "error",
  none_scored: "error",
  task_gone: "fail",
  candidate_gone: "fail",
  metric_gone: "fail",
  cases_missing: "fail",
  too_few_pairs: "inconclusive",
  ungraded_decide: "inconclusive",
  edited_decide: "inconclusive",
  baseline_partial: "inconclusive",
  baseline_unread: "inconclusive",
  attempts_unread: "inconclusive",
};

/** All problems of the run itself: errors first, then parts of the baseline that the run lacks. */
export function findProblems(
  allCounts: readonly CellCounts[],
  gone: readonly GateProblem[],
  gate: Gate,
): readonly GateProblem[] {
  const rate = gate === "none" ? undefined : gate.max_error_rate;
  return [
    ...(allCounts.length === 0 ? [{ kind: "nothing_ran" as const }] : []),
    ...allCounts.flatMap((cellCounts) => checkCounts(cellCounts, rate)),
    ...gone,
    ...allCounts.flatMap(checkMissing),
  ];
}

function checkCounts(cellCounts: CellCounts, rate: number | undefined): readonly GateProblem[] {
  const { task, candidate, cases, minCases, outcomes } = cellCounts;
  if (cases === 0) return [{ kind: "no_cases", task, candidate }];
  const problems: GateProblem[] = [];
  if (cases < minCases) problems.push({ kind: "too_few_cases", task, candidate, cases, minCases });
  const allowed = allowedUngraded(cases, rate);
  const { ungraded, failed, invalid } = outcomes;
  if (ungraded > allowed)
    problems.push({ kind: "too_many_ungraded", task, candidate, ungraded, cases, allowed });
  else if (!cellCounts.anyScored)
    problems.push({ kind: "none_scored", task, candidate, failed, invalid, cases });
  return problems;
}

/**
 * Number of cases that may be ungraded. The default is the larger of 2 cases and 5 %; it is never all cases, whatever
 * is declared.
 */
function allowedUngraded(cases: number, rate: number | undefined): number {
  const share = (rate ?? defaultErrorRate) * cases;
  // The floor needs a tolerance: 0.07 × 100 is 7.000000000000001, and 0.29 × 100 is 28.999999999999996.
  const whole = Math.floor(share + 1e-9);
  return Math.min(rate === undefined ? Math.max(leastAllowed, whole) : whole, cases - 1);
}

const defaultErrorRate = 0.05;
const leastAllowed = 2;

function checkMissing({ task, candidate, missing }: CellCounts): readonly GateProblem[] {
  return missing.length === 0 ? [] : [{ kind: "cases_missing", task, candidate, caseIds: missing }];
}

/**
 * Rules that could not be compared because the baseline is unreadable are not decided: such a fault must not turn a red
 * check green.
 */
export function findUnread(
  baseline: BaselineSide,
  results: readonly RuleFigures[],
): readonly GateProblem[] {
  if (baseline.kind !== "none" || baseline.remedy === undefined) return [];
  const { reason, remedy } = baseline;
  const isLacking = results.some(
    ({ level, code, against }) =>
      level === "block" && code === "no_baseline" && against === undefined,
  );
  return isLacking ? [{ kind: "baseline_unread", reason, remedy }] : [];
}
