import type { BaselineMove, RegradedTask } from "../model/compared.ts";
import type { RuleResult } from "../model/run.ts";
import { figure, type Range } from "./figures.ts";
import type { MeasuredRule } from "./measure.ts";
import { partNames } from "./reasons.ts";
import { pairCandidates, type Sides } from "./sides.ts";

/**
 * Rules whose baseline this run's grader moves outside of its own 95 % interval. What they would pass by says nothing then
 * (a grader that gives everybody 0 sees no regression): they are `inconclusive`, and both values are told. A loss that is
 * seen all the same stays one. `measured`: of each result, in the same order.
 */
export function withMoves(
  results: readonly RuleResult[],
  sides: Sides,
  measured: readonly MeasuredRule[],
): readonly RuleResult[] {
  const { baseline } = sides;
  if (baseline.kind === "none" || baseline.regraded === undefined) return results;
  const { regraded } = baseline;
  const slots = pairCandidates(sides);
  return results.map((result, i) => {
    const task = regraded.find(({ task: id, moved }) => id === result.task && moved !== undefined);
    const move = task && findMove(task, result, slots.get(result.candidate));
    const range = measured[i]?.range ?? null;
    return task && move && isByBaseline(result) ? toldMove(result, { task, move, range }) : result;
  });
}

/** Of all cases first, and then of the rule's own slice. */
function findMove(
  { moved = [] }: RegradedTask,
  { metric, slice }: RuleResult,
  candidate: string | undefined,
): BaselineMove | undefined {
  const own = moved.filter((each) => each.candidate === candidate && each.metric === metric);
  const whole = own.find((each) => each.slice === null);
  return whole ?? (slice === null ? undefined : own.find((each) => each.slice === slice));
}

/** A rule that asks what the baseline had; `must_pass` does so for cases that fell short before. */
function isByBaseline({ kind, code, outcome, decided_in: decided }: RuleResult): boolean {
  if (decided !== undefined || outcome === "unmeasured") return false;
  return kind === "max_drop" || kind === "max_rise" || code === "cases_short_before";
}

interface Told {
  readonly task: RegradedTask;
  readonly move: BaselineMove;
  readonly range: Range;
}

function toldMove(result: RuleResult, told: Told): RuleResult {
  const { outcome, code, reason } = result;
  const moved = moveClause(told);
  if (outcome === "missed") return { ...result, reason: `${reason}; ${moved}` };
  // What could not be compared at all has a reason of its own, which comes first.
  if (outcome === "inconclusive" && code !== "no_drop_not_shown") return result;
  const { broke, fixed } = result.changed;
  return {
    ...result,
    // Cases "that failed before" did so by the new grading alone.
    changed: { broke, fixed },
    outcome: "inconclusive",
    code: "baseline_moved",
    reason: `${moved}, so that equal scores prove nothing: ${wayOut}`,
  };
}

const wayOut =
  "correct the grading; if the new scores are right, have the change of the policy approved (the pull request's label), or take a new baseline, made by a run of the base branch with this grading";

/** `the grader changed since the baseline, and its stored outputs score 0.0% by it instead of 92.8% (95%: 88.8% to 95.4%)`. */
function moveClause({ task: { parts }, move, range }: Told): string {
  const { stored, regraded, ci, slice } = move;
  const where = slice === null ? "" : ` in ${slice}`;
  const spread = ci === null ? "" : ` (95%: ${figure(ci[0], range)} to ${figure(ci[1], range)})`;
  return `${partNames(parts)} changed since the baseline, whose stored outputs${where} now score ${figure(regraded, range)} instead of ${figure(stored, range)}${spread}`;
}
