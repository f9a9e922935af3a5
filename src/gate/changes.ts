import { changedCasesKept, type ChangedCase } from "../domain/run.ts";
import type { Pairs } from "./pairs.ts";

/** The cases that changed, counted, and those that changed most. */
export interface Changes {
  readonly broke: number;
  readonly fixed: number;
  readonly changed: {
    readonly broke: readonly ChangedCase[];
    readonly fixed: readonly ChangedCase[];
  };
  /** Pairs that hold something else than 0 or 1. */
  readonly fractional: number;
}

/** `gains` below 0 are worse. */
export function countChanges(pairs: Pairs, gains: readonly number[]): Changes {
  const broke: Ranked[] = [];
  const fixed: Ranked[] = [];
  const counts = { broke: 0, fixed: 0, fractional: 0 };
  for (const [i, gain] of gains.entries()) {
    const before = pairs.before[i] ?? 0;
    const after = pairs.after[i] ?? 0;
    if (!isBit(before) || !isBit(after)) counts.fractional += 1;
    if (gain === 0) continue;
    const side = gain < 0 ? "broke" : "fixed";
    counts[side] += 1;
    const ranked = { size: Math.abs(gain), case_id: pairs.caseIds[i] ?? "", before, after };
    keepLargest(side === "broke" ? broke : fixed, ranked);
  }
  return { ...counts, changed: { broke: broke.map(unranked), fixed: fixed.map(unranked) } };
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
