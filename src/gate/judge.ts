import type { Statistics } from "../domain/statistics.ts";
import type { CaseCounts, GateResult, RuleResult } from "../domain/run.ts";
import type { Gate } from "../domain/suite.ts";
import { findGone, totalCases } from "./census.ts";
import { examine, metricsByTask, type Examination, type Seen } from "./examine.ts";
import { findProblems, type GateProblem } from "./health.ts";
import { comparableTasks, comparisonNotes } from "./notes.ts";
import { planRules } from "./plan.ts";
import type { BaselineSide, LeftOut, Side } from "./sides.ts";
import { reachVerdict } from "./verdict.ts";

export interface GateInput {
  readonly gate: Gate;
  readonly head: Side;
  readonly baseline: BaselineSide;
  readonly leftOut?: LeftOut;
}

export interface GateOutput {
  readonly result: GateResult;
  /** What keeps the run from passing beside its rules, for machines; `result.reasons` says it to people. */
  readonly problems: readonly GateProblem[];
  readonly cases: CaseCounts;
  /** By task id of this run; empty without a baseline. */
  readonly comparable: Readonly<Record<string, boolean>>;
  /** What a reader should know of the comparison, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * Judges a run by its gate, against a baseline. Pure: the same two runs give the same bytes, in whatever
 * order their samples finished. Results come by task, candidate, metric, then by rule as declared; those of
 * rules that match nothing come last.
 *
 * The p-values of `block` rules with `prove: drop` are adjusted by Holm's method as one family. A run that
 * passes, and would not if each ungraded sample had failed, is `inconclusive`.
 */
export function judge(input: GateInput, statistics: Statistics): GateOutput {
  const { gate, head, baseline } = input;
  const sides = { head, baseline, leftOut: input.leftOut ?? nothingLeftOut };
  const rules = planRules(gate, metricsByTask(sides));
  const examination: Examination = { sides, rules, ungradedAs: "nothing" };
  const seen = examine(examination, statistics);
  const gone = findGone(sides);
  const found = findProblems(seen.censuses, gone, gate);
  const problems = found.length > 0 ? found : findDoubts(examination, seen, statistics);
  return {
    result: reachVerdict({ gate, baseline, seen, problems }),
    problems,
    cases: totalCases(seen.censuses, gone),
    comparable: comparableTasks(sides),
    notes: comparisonNotes(sides, seen),
  };
}

const nothingLeftOut: LeftOut = { tasks: [], candidates: [] };

/** Blocking rules that are met and would not be if the ungraded samples had failed: the gate is asked twice. */
function findDoubts(
  examination: Examination,
  seen: Seen,
  statistics: Statistics,
): readonly GateProblem[] {
  if (seen.censuses.every(({ outcomes }) => outcomes.ungraded === 0)) return [];
  if (seen.results.some(isBlocked)) return [];
  const feared = examine({ ...examination, ungradedAs: "failure" }, statistics);
  return seen.results.flatMap((result, i): readonly GateProblem[] => {
    const { task, candidate, metric } = result;
    if (result.level !== "block" || result.outcome !== "met") return [];
    if (feared.results[i]?.outcome === "met") return [];
    const census = seen.censuses.find((one) => one.task === task && one.candidate === candidate);
    const ungraded = census?.outcomes.ungraded ?? 0;
    return [{ kind: "ungraded_decide", task, candidate, metric, ungraded }];
  });
}

function isBlocked({ level, outcome }: RuleResult): boolean {
  return level === "block" && outcome === "missed";
}
