import type { BaselineMove, RegradedTask } from "../model/outcomes/compared.ts";
import type { JudgedRule } from "../model/outcomes/finding.ts";
import { pairCandidates, type Sides } from "./pairing/sides.ts";

/**
 * Makes rules `inconclusive` whose baseline this run's grader moves outside its own 95 % interval, and reports both
 * values: passing would mean nothing (a grader that gives every answer 0 sees no regression). A loss that is seen
 * nevertheless stays a loss.
 */
export function withMoves(results: readonly JudgedRule[], sides: Sides): readonly JudgedRule[] {
  const { baseline } = sides;
  if (baseline.kind === "none" || baseline.regraded === undefined) return results;
  const { regraded } = baseline;
  const slots = pairCandidates(sides);
  return results.map((result) => {
    const task = regraded.find(({ task: id, moved }) => id === result.task && moved !== undefined);
    const move = task && findMove(task, result, slots.get(result.candidate));
    return task && move && isByBaseline(result) ? withMove(result, move, task.parts) : result;
  });
}

/** Looks for a move over all cases first, then in the rule's own slice. */
function findMove(
  { moved = [] }: RegradedTask,
  { metric, slice }: JudgedRule,
  candidate: string | undefined,
): BaselineMove | undefined {
  const own = moved.filter((each) => each.candidate === candidate && each.metric === metric);
  const whole = own.find((each) => each.slice === null);
  return whole ?? (slice === null ? undefined : own.find((each) => each.slice === slice));
}

/** True if a rule's result depends on the baseline; `must_pass` does for cases that fell short before. */
function isByBaseline({ kind, code, outcome, against, decided_in: decided }: JudgedRule): boolean {
  if (against !== undefined || decided !== undefined) return false;
  // A few cases are compared, although they can't prove a drop.
  if (outcome === "unmeasured" && code !== "too_few_to_prove") return false;
  return kind === "max_drop" || kind === "max_rise" || code === "cases_short_before";
}

function withMove(
  result: JudgedRule,
  move: BaselineMove,
  parts: RegradedTask["parts"],
): JudgedRule {
  const { outcome, code, why } = result;
  if (why.kind === "decided") return result;
  const reported = { ...result, why: { ...why, moved: { ...move, parts } } };
  if (outcome === "missed") return reported;
  // A rule that could not be compared at all keeps its own reason.
  if (outcome === "inconclusive" && code !== "no_drop_not_shown") return result;
  const { broke, fixed } = result.changed;
  // The list of cases that "failed before" is dropped: they failed only by the new grader.
  return {
    ...reported,
    changed: { broke, fixed },
    outcome: "inconclusive",
    code: "baseline_moved",
  };
}
