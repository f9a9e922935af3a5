import { ownScore } from "../../model/outcomes/counted-score.ts";
import type { CaseTable } from "./cases.ts";
import type { Cell } from "./sides.ts";

/** With fewer cases, equal repeats may be chance. */
const fewestCases = 10;

/**
 * True if the candidate answers the same each time, as far as the run knows: it is a recording, or it was asked several
 * times and scored the same in every case. More repeats would then show nothing.
 */
export function isSteady({ recorded, cases }: Cell, metric: string): boolean {
  return recorded || scoresAlike(cases, metric);
}

function scoresAlike({ group, ids }: CaseTable, metric: string): boolean {
  if (group.size <= ids.length) return false;
  const first = new Float64Array(ids.length).fill(Number.NaN);
  const asked = new Set<number>();
  for (let i = 0; i < group.size; i += 1) {
    const score = group.outcome(i) === "scored" ? ownScore(group, i, metric) : undefined;
    if (score === undefined) return false;
    const at = group.caseAt(i);
    const known = first[at] ?? Number.NaN;
    if (Number.isNaN(known)) first[at] = score;
    else if (known !== score) return false;
    else asked.add(at);
  }
  return asked.size >= fewestCases;
}
