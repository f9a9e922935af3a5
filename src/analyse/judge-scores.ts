import type { LedgerGroup } from "../model/ledger.ts";

/** What the judge gave a sample itself; a failed one has a score that no judge gave. */
export function judgeScore(group: LedgerGroup, i: number, metric: string): number | undefined {
  const score = group.outcome(i) === "scored" ? group.row(i).scores[metric] : undefined;
  return score !== undefined && Number.isFinite(score) ? score : undefined;
}

/** The same of all samples of a task and candidate. */
export function ownScores(group: LedgerGroup, metric: string): readonly number[] {
  const all: number[] = [];
  for (let i = 0; i < group.size; i += 1) {
    const score = judgeScore(group, i, metric);
    if (score !== undefined) all.push(score);
  }
  return all;
}
