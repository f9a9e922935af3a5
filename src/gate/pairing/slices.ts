import { caseSlices, type CaseTable } from "./cases.ts";
import { matchesName } from "../../base/glob.ts";
import type { Cell } from "./sides.ts";

/** Some of a cell's cases: those with one value of a field. */
export interface SliceCell {
  /** `field=value`. */
  readonly name: string;
  /** Positions of this run's cases, ascending; empty if only the baseline has such cases. */
  readonly members: readonly number[];
}

/**
 * The slices of a cell that a glob over `field=value` matches, sorted by name; slices that only the baseline has are
 * included.
 */
export function sliceCells(cell: Cell, pattern: string): readonly SliceCell[] {
  const members = new Map<string, number[]>();
  const tables = [cell.cases, ...(cell.counterpart.kind === "run" ? [cell.counterpart.cases] : [])];
  for (const name of tables.flatMap(({ group }) => namesIn(group.sliceCombinations())))
    if (matchesName(name, pattern)) members.set(name, []);
  if (members.size > 0) fill(members, cell.cases);
  return sorted(members).map(([name, found]) => ({ name, members: found }));
}

/**
 * Adds the cases to their slices. There are few combinations of values, however many cases, so each combination is
 * looked up once.
 */
function fill(members: ReadonlyMap<string, number[]>, table: CaseTable): void {
  const known = new Map<Readonly<Record<string, string>>, readonly number[][]>();
  for (let position = 0; position < table.ids.length; position += 1) {
    const values = caseSlices(table, position);
    const lists =
      known.get(values) ?? namesIn([values]).flatMap((name) => membersOf(members, name));
    known.set(values, lists);
    for (const list of lists) list.push(position);
  }
}

function membersOf(members: ReadonlyMap<string, number[]>, name: string): number[][] {
  const found = members.get(name);
  return found === undefined ? [] : [found];
}

function namesIn(combinations: readonly Readonly<Record<string, string>>[]): readonly string[] {
  return combinations.flatMap((values) =>
    Object.entries(values).map(([field, value]) => `${field}=${value}`),
  );
}

function sorted<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));
}
