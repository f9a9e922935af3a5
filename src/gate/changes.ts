import { changedCasesKept, type ChangedCase, type RuleChanges } from "../model/run.ts";
import type { Pairs } from "./pairs.ts";

/** The cases that changed, counted, and those that changed most. */
export interface Changes {
  readonly broke: number;
  readonly fixed: number;
  readonly changed: RuleChanges;
  /** Pairs that hold something else than 0 or 1. */
  readonly fractional: number;
}

/** `gains` below 0 are worse. `worst`: the score of a case that fails; undefined where the metric is no matter of pass or fail. */
export function countChanges(
  pairs: Pairs,
  gains: readonly number[],
  worst: number | undefined,
): Changes {
  const broke: Ranked[] = [];
  const fixed: Ranked[] = [];
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
    keepLargest(side === "broke" ? broke : fixed, ranked);
  }
  const changed = { broke: broke.map(unranked), fixed: fixed.map(unranked) };
  return { ...counts, changed: failing.count === 0 ? changed : { ...changed, failing } };
}

interface Ranked extends ChangedCase {
  readonly size: number;
}

/** Keeps the largest changes in order, so that a hundred thousand broken cases cost no sort. */
function keepLargest(kept: Ranked[], next: Ranked): void {
  const last = kept.at(-1);
  if (kept.length === changedCasesKept && last && !isBefore(next, last)) return;
  const place = kept.findIndex((other) => isBefore(next, other));
  kept.splice(place < 0 ? kept.length : place, 0, next);
  if (kept.length > changedCasesKept) kept.pop();
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
