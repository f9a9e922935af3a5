import type { LedgerGroup } from "../model/ledger.ts";
import { judgeScore } from "../verdict/judged-values.ts";

/** The judge's own scores of all samples of a task and candidate. */
export function ownScores(group: LedgerGroup, metric: string): readonly number[] {
  const all: number[] = [];
  for (let i = 0; i < group.size; i += 1) {
    const score = judgeScore(group, i, metric);
    if (score !== undefined) all.push(score);
  }
  return all;
}
