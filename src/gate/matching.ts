import { caseContent, isSameRow, type CaseTable } from "./cases.ts";

/** Matching cases of the two sides. */
export interface Matching {
  /** For each position of head: the base's case with the same row, or `unmatched`. */
  readonly partner: Int32Array;
  /** Pairs with equal rows and another id. */
  readonly renamed: number;
  /** The same id, but another row: such cases are not compared. */
  readonly changed: number;
  /** Cases that the base does not have. */
  readonly fresh: number;
  /** Ids of cases that the base has and head has not, sorted. */
  readonly missing: readonly string[];
}

export const unmatched = -1;

/**
 * Matches the cases of the two sides: first those with the same id and row; then, among the rest, those with the same row
 * (a case with another id is still the same question); then those with the same id and different rows. The rest is new or
 * missing. Independent of the order in which samples finished. `pairsEdited`: cases with the same id and different rows are
 * pairs too.
 */
export function matchCases(head: CaseTable, base: CaseTable, pairsEdited = false): Matching {
  const partner = new Int32Array(head.ids.length).fill(unmatched);
  const taken = new Uint8Array(base.ids.length);
  const left: number[] = [];
  const sides = { head, base };
  for (const [position, id] of head.ids.entries()) {
    // Usually the cases have the same positions: looking an id up among a million costs much more.
    const other = base.ids[position] === id ? position : base.position.get(id);
    if (other !== undefined && isSameRow(sides, position, other)) {
      partner[position] = other;
      taken[other] = 1;
    } else left.push(position);
  }
  const renamed = matchRows({ head, base, partner, taken }, left);
  const rest = left.filter((position) => partner[position] === unmatched);
  const edited = rest.filter((position) => isFree(base, taken, head.ids[position]));
  const changed = edited.length;
  const missing = base.ids.filter((id, i) => taken[i] === 0 && !isLeft(head, partner, id));
  const counts = { renamed, changed, fresh: rest.length - changed, missing: missing.toSorted() };
  if (pairsEdited)
    for (const position of edited)
      partner[position] = base.position.get(head.ids[position] ?? "") ?? unmatched;
  return { partner, ...counts };
}

interface Matched {
  readonly head: CaseTable;
  readonly base: CaseTable;
  readonly partner: Int32Array;
  readonly taken: Uint8Array;
}

/** Pairs equal rows among the remaining cases, those with the lowest ids first; returns their number. */
function matchRows({ head, base, partner, taken }: Matched, left: readonly number[]): number {
  if (left.length === 0) return 0;
  const free = new Map<string, number[]>();
  const positions = [...base.ids.keys()].filter((i) => taken[i] === 0);
  for (const position of byId(base, positions).toReversed()) {
    const content = caseContent(base, position);
    const same = free.get(content);
    if (same) same.push(position);
    else free.set(content, [position]);
  }
  let renamed = 0;
  for (const position of byId(head, left)) {
    const other = free.get(caseContent(head, position))?.pop();
    if (other === undefined) continue;
    partner[position] = other;
    taken[other] = 1;
    renamed += 1;
  }
  return renamed;
}

function byId({ ids }: CaseTable, positions: readonly number[]): readonly number[] {
  return positions.toSorted((one, other) => ((ids[one] ?? "") < (ids[other] ?? "") ? -1 : 1));
}

function isFree(base: CaseTable, taken: Uint8Array, id: string | undefined): boolean {
  const other = id === undefined ? undefined : base.position.get(id);
  return other !== undefined && taken[other] === 0;
}

function isLeft(head: CaseTable, partner: Int32Array, id: string): boolean {
  const position = head.position.get(id);
  return position !== undefined && partner[position] === unmatched;
}
