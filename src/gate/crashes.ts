import type { JudgedRule } from "../model/outcomes/finding.ts";
import { caseOutcome, type CaseTable } from "./pairing/cases.ts";
import { lossIn } from "./rules/compare.ts";
import type { Sliced } from "./hidden.ts";
import { pairedQuestion } from "./rules/measure.ts";
import type { Cell } from "./pairing/sides.ts";

/** The cases of a task and candidate that ended without an answer or a valid score. */
export interface Crashed {
  readonly task: string;
  readonly candidate: string;
  /** Number of cases that were run. */
  readonly of: number;
  /** Ids of the cases that crashed here but not in the baseline. */
  readonly ids: ReadonlySet<string>;
}

/** True if a sample of the case was the candidate's failure, or got no valid score. */
function isCrashed(table: CaseTable, position: number): boolean {
  const outcome = caseOutcome(table, position);
  return outcome === "failed" || outcome === "invalid";
}

/**
 * Finds the cases that crashed here but not on the other side. Without a baseline every crash is new. Every crash is
 * also new if this run's grader graded the baseline again, because it would crash there, too.
 */
export function findCrashed(
  { task, candidate, cases, counterpart }: Cell,
  isRegraded: boolean,
): Crashed {
  const ids = cases.ids.filter((_, position) => {
    if (!isCrashed(cases, position)) return false;
    if (counterpart.kind === "absent" || isRegraded) return true;
    const partner = counterpart.matching.partner[position] ?? -1;
    return partner < 0 || !isCrashed(counterpart.cases, partner);
  });
  return { task, candidate, of: cases.ids.length, ids: new Set(ids) };
}

/** Adds to each rule the number of its broken cases that crashed. `results` belong to `sliced`, in the same order. */
export function withCrashes(
  results: readonly JudgedRule[],
  sliced: readonly Sliced[],
  crashed: readonly Crashed[],
): readonly JudgedRule[] {
  return results.map((result, i) => {
    const one = sliced[i];
    const found = crashed.find(
      ({ task, candidate }) => task === result.task && candidate === result.candidate,
    );
    const isOwn = result.decided_in === undefined && (result.broke ?? 0) > 0;
    const count = isOwn && one && found ? countCrashed(one, crashedIn(one, found)) : 0;
    return count === 0 ? result : { ...result, crashed: count };
  });
}

/** Crashed cases for a rule. Against another candidate, those count that did not crash with that candidate. */
function crashedIn({ place, measured }: Sliced, { ids }: Crashed): ReadonlySet<string> {
  return measured.rule.against === undefined ? ids : findCrashed(place.cell, false).ids;
}

function countCrashed({ place, measured, members }: Sliced, ids: ReadonlySet<string>): number {
  const pairs = place.pairs();
  if ("kind" in pairs) return 0;
  const loss = lossIn(pairedQuestion(place.metric, measured.rule, "drop").worse);
  const inSlice = members && new Set(members);
  let count = 0;
  for (const [i, id] of pairs.caseIds.entries()) {
    if (!ids.has(id) || loss(pairs.before[i] ?? 0, pairs.after[i] ?? 0) <= 0) continue;
    if (inSlice === undefined || inSlice.has(pairs.positions[i] ?? -1)) count += 1;
  }
  return count;
}
