import {
  brokenCasesKept,
  changedCasesKept,
  type ChangedCase,
  type RuleChanges,
} from "../../model/outcomes/rule-result.ts";
import type { Pairs } from "../pairing/pairs.ts";

/** Counts of the changed cases, and the cases that changed most. */
export interface Changes {
  readonly broke: number;
  readonly fixed: number;
  readonly changed: RuleChanges;
  /** Number of pairs with a score other than 0 or 1. */
  readonly fractional: number;
}

/**
 * Counts the changed cases. `gains` below 0 are worse. `worst`: the score of a failed case; undefined if the metric
 * does not pass or fail cases.
 */
export function countChanges(
  pairs: Pairs,
  gains: readonly number[],
  worst: number | undefined,
): Changes {
  // Graded scores differ in about half of all cases, mostly by chance, so fewer of them are kept.
  const most = worst === undefined ? changedCasesKept : brokenCasesKept;
  const kept: Readonly<Record<"broke" | "fixed", Largest>> = {
    broke: { most, cases: [] },
    fixed: { most: changedCasesKept, cases: [] },
  };
  const failing: { count: number; cases: string[] } = { count: 0, cases: [] };
  const counts = { broke: 0, fixed: 0, fractional: 0 };
  for (const [i, gain] of gains.entries()) {
    const before = pairs.before[i] ?? 0;
    const after = pairs.after[i] ?? 0;
    if (!isBit(before) || !isBit(after)) counts.fractional += 1;
    if (gain === 0) {
      if (before !== worst || after !== worst) continue;
      failing.count += 1;
      if (failing.cases.length < changedCasesKept) failing.cases.push(pairs.caseIds[i] ?? "");
      continue;
    }
    const side = gain < 0 ? "broke" : "fixed";
    counts[side] += 1;
    const ranked = { size: Math.abs(gain), case_id: pairs.caseIds[i] ?? "", before, after };
    keepLargest(kept[side], ranked);
  }
  const changed = { broke: kept.broke.cases.map(unranked), fixed: kept.fixed.cases.map(unranked) };
  return { ...counts, changed: failing.count === 0 ? changed : { ...changed, failing } };
}

interface Ranked extends ChangedCase {
  readonly size: number;
}

interface Largest {
  readonly most: number;
  readonly cases: Ranked[];
}

/**
 * Inserts a change into the sorted list of the largest ones, so that a hundred thousand broken cases need not be
 * sorted.
 */
function keepLargest({ cases, most }: Largest, next: Ranked): void {
  const last = cases.at(-1);
  if (cases.length === most && last && !isBefore(next, last)) return;
  cases.splice(placeIn(cases, next), 0, next);
  if (cases.length > most) cases.pop();
}

function placeIn(kept: readonly Ranked[], next: Ranked): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = kept[middle];
    if (other !== undefined && isBefore(next, other)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isBefore(one: Ranked, other: Ranked): boolean {
  return one.size === other.size ? one.case_id < other.case_id : one.size > other.size;
}

function unranked({ case_id, before, after }: Ranked): ChangedCase {
  return { case_id, before, after };
}

function isBit(value: number): boolean {
  return value === 0 || value === 1;
}
