import { isPart, knownContent } from "../../model/models/content.ts";
import { caseContent, caseOutcome, isSameRow, type CaseTable } from "./cases.ts";

/** The cases of two sides, matched with each other. */
export interface Matching {
  /** For each position of head: position of the base's case with the same row, or `unmatched`. */
  readonly partner: Int32Array;
  /** Number of pairs with equal rows but different ids. */
  readonly renamed: number;
  /** Number of cases with the same id but different rows; they are not compared. */
  readonly changed: number;
  /** For each of these, ascending: its position, and that of the base's case with the same id. */
  readonly edited: readonly (readonly [number, number])[];
  /** Number of cases whose row in the base is an error's, which lacks its question; they are not compared. */
  readonly unasked: number;
  /** Number of cases that the base does not have. */
  readonly fresh: number;
  /** Ids of the cases that the base has and head lacks, sorted. */
  readonly missing: readonly string[];
}

/** Stands for a case without a counterpart. */
export const unmatched = -1;

/**
 * Matches the cases of the two sides: first those with the same id and row; then, among the rest, those with the same
 * row (a case with another id is still the same question); then those with the same id and different rows. The rest is
 * new or missing. The result does not depend on the order in which samples finished. `pairsEdited`: cases with the same
 * id and different rows are compared, too.
 *
 * Tools leave input or target out of the rows of errors. Such a row of head is the case of its id: it counts as a
 * failure. Such a row of the base is only the case of rows that lack the same.
 */
export function matchCases(head: CaseTable, base: CaseTable, pairsEdited = false): Matching {
  const partner = new Int32Array(head.ids.length).fill(unmatched);
  const taken = new Uint8Array(base.ids.length);
  const left: number[] = [];
  const sides = { head, base };
  for (const [position, id] of head.ids.entries()) {
    // Usually the cases have the same positions, and looking up an id among a million costs much more.
    const other = base.ids[position] === id ? position : base.position.get(id);
    if (
      other !== undefined &&
      (isSameRow(sides, position, other) || isSameCase(sides, position, other))
    ) {
      partner[position] = other;
      taken[other] = 1;
    } else left.push(position);
  }
  const renamed = matchRows({ head, base, partner, taken }, left);
  const rest = left.filter((position) => partner[position] === unmatched);
  const known = rest.flatMap((position): readonly (readonly [number, number])[] => {
    const other = base.position.get(head.ids[position] ?? "");
    return other === undefined || taken[other] === 1 ? [] : [[position, other]];
  });
  const edited = known.filter(([, other]) => !isPart(caseContent(base, other)));
  const [changed, unasked] = [edited.length, known.length - edited.length];
  const missing = base.ids.filter((id, i) => taken[i] === 0 && !isLeft(head, partner, id));
  if (pairsEdited) for (const [position, other] of edited) partner[position] = other;
  const fresh = rest.length - known.length;
  return { partner, renamed, changed, edited, unasked, fresh, missing: missing.toSorted() };
}

/** True for an error that lacks a part of its question, and for rows that don't differ in what both have. */
function isSameCase(
  { head, base }: { readonly head: CaseTable; readonly base: CaseTable },
  position: number,
  other: number,
): boolean {
  const [here, there] = [caseContent(head, position), caseContent(base, other)];
  if (isPart(here) && caseOutcome(head, position) !== "scored") return true;
  return knownContent(here) === knownContent(there);
}

interface Matched {
  readonly head: CaseTable;
  readonly base: CaseTable;
  readonly partner: Int32Array;
  readonly taken: Uint8Array;
}

/** Pairs equal rows among the remaining cases, lowest ids first; returns the number of pairs. */
function matchRows({ head, base, partner, taken }: Matched, left: readonly number[]): number {
  if (left.length === 0) return 0;
  const free = new Map<string, number[]>();
  const positions = [...base.ids.keys()].filter((i) => taken[i] === 0);
  for (const position of byId(base, positions).toReversed()) {
    const content = knownContent(caseContent(base, position));
    const same = free.get(content);
    if (same) same.push(position);
    else free.set(content, [position]);
  }
  let renamed = 0;
  for (const position of byId(head, left)) {
    const other = free.get(knownContent(caseContent(head, position)))?.pop();
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

function isLeft(head: CaseTable, partner: Int32Array, id: string): boolean {
  const position = head.position.get(id);
  return position !== undefined && partner[position] === unmatched;
}
