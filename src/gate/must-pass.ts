import type { ShortCase } from "../domain/run.ts";
import { caseOutcome, caseScore, type CaseTable, type Reading } from "./cases.ts";
import { nameMatcher } from "./names.ts";

/** How the cases that a `must_pass` rule names stand. */
export interface NamedCases {
  /** How many there are. */
  readonly n: number;
  /** What each must reach, or, with `upTo`, must not exceed. */
  readonly limit: number;
  readonly upTo: boolean;
  /** The worst of them that has a score; null where none has. */
  readonly worst: number | null;
  /** Those that do not reach it, the worst first, then by id. */
  readonly short: readonly ShortCase[];
  /** Those that could not be graded. */
  readonly ungraded: readonly string[];
  /** Names and globs that no case of this run has. */
  readonly absent: readonly string[];
}

/** Limits are met up to this, as 0.1 + 0.2 is not 0.3 in floating point. */
const tolerance = 1e-9;

/** Looks up the cases that a rule names, by id or glob. A case with a repeat that has no grade is ungraded. */
export function lookUpNamed(
  table: CaseTable,
  asked: { readonly names: readonly string[]; readonly limit: number; readonly upTo: boolean },
  reading: Reading,
): NamedCases {
  const { limit, upTo } = asked;
  const found = new Map(asked.names.map((name) => [name, positionsOf(table, name)]));
  const positions = [...new Set([...found.values()].flat())];
  const graded: { readonly case_id: string; readonly value: number }[] = [];
  const ungraded: string[] = [];
  for (const position of positions) {
    const case_id = table.ids[position] ?? "";
    const value = caseScore(table, position, reading);
    const whole = reading.ungradedAs === "failure" || caseOutcome(table, position) !== "ungraded";
    if (value === undefined || !whole) ungraded.push(case_id);
    else graded.push({ case_id, value });
  }
  const worstFirst = graded.toSorted(
    (a, b) => (upTo ? b.value - a.value : a.value - b.value) || (a.case_id < b.case_id ? -1 : 1),
  );
  return {
    n: positions.length,
    limit,
    upTo,
    worst: worstFirst[0]?.value ?? null,
    short: worstFirst.filter(({ value }) =>
      upTo ? value > limit + tolerance : value < limit - tolerance,
    ),
    ungraded: ungraded.toSorted(),
    absent: [...found].filter(([, at]) => at.length === 0).map(([name]) => name),
  };
}

/** A case of that very id, else all cases that the glob matches. */
function positionsOf({ ids, position }: CaseTable, name: string): readonly number[] {
  const known = position.get(name);
  if (known !== undefined) return [known];
  const matches = nameMatcher(name);
  return [...ids.keys()].filter((at) => matches(ids[at] ?? ""));
}
