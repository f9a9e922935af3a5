import type { NamedCases, ShortOf, Unpaired } from "../../model/outcomes/finding.ts";
import type { ShortCase } from "../../model/outcomes/rule-result.ts";
import { caseOutcome, type CaseTable } from "../pairing/cases.ts";
import { unmatched } from "../pairing/matching.ts";
import { nameMatcher } from "../../base/glob.ts";
import { baseScores, type PairedCell } from "../pairing/pairs.ts";
import { caseScore, type ScorePolicy } from "../pairing/case-scores.ts";

type Before = NonNullable<ShortOf["before"]> | "short";

/** The requirement of a rule for its cases. */
interface AskedOfCases {
  readonly names: readonly string[];
  readonly limit: number;
  readonly upTo: boolean;
}

/** The other side. undefined: every case counts, whatever it did before. */
export type NamedBase = Unpaired | Known | undefined;

interface Known {
  readonly kind: "known";
  readonly met: PairedCell;
  /** How the baseline's samples are scored. */
  readonly reading: ScorePolicy;
}

/** Tolerance for limits, because 0.1 + 0.2 is not 0.3 in floating point. */
const tolerance = 1e-9;

/**
 * Looks up the cases that a rule names, by id or glob. A case with a repeat without a grade is ungraded. If the
 * baseline matters, a case counts unless it is known to have fallen short there.
 */
export function lookUpNamed(
  table: CaseTable,
  asked: AskedOfCases & { readonly base: NamedBase },
  reading: ScorePolicy,
): NamedCases {
  const { limit, upTo, base } = asked;
  const found = new Map(asked.names.map((name) => [name, positionsOf(table, name)]));
  const positions = [...new Set([...found.values()].flat())];
  const cases = sorted(
    positions.map((position) => lookUp(table, position, reading)),
    upTo,
  );
  const fallen = cases
    .filter(({ value }) => value === null || isShort(value, asked))
    .map(({ position, case_id, value }) => {
      return { case_id, value, before: standingBefore(position, asked) };
    });
  const counted = fallen.filter(({ before }) => before !== "short");
  const already = fallen.filter(({ before }) => before === "short");
  return {
    n: positions.length,
    limit,
    upTo,
    worst: cases[0]?.value ?? null,
    short: counted.flatMap(shortOf),
    ungraded: counted
      .filter(({ value }) => value === null)
      .map(({ case_id }) => case_id)
      .toSorted(),
    already: already.map(({ case_id, value }) => ({ case_id, value })),
    absent: [...found].filter(([, at]) => at.length === 0).map(([name]) => name),
    unknownBase: base === undefined || base.kind === "known" ? undefined : base,
  };
}

interface Found extends ShortCase {
  readonly position: number;
}

function lookUp(table: CaseTable, position: number, reading: ScorePolicy): Found {
  const case_id = table.ids[position] ?? "";
  const value = caseScore(table, position, reading);
  const whole = reading.ungradedAs === "failure" || caseOutcome(table, position) !== "ungraded";
  return { position, case_id, value: value === undefined || !whole ? null : value };
}

function isShort(value: number, { limit, upTo }: AskedOfCases): boolean {
  return upTo ? value > limit + tolerance : value < limit - tolerance;
}

/**
 * How a case stood before; undefined if that does not matter, or if the baseline is unknown. With pooled runs the case
 * counts as passed if it passed in any of them.
 */
function standingBefore(
  position: number,
  asked: AskedOfCases & { readonly base: NamedBase },
): Before | undefined {
  const { base } = asked;
  if (base?.kind !== "known") return undefined;
  const { met, reading } = base;
  if ((met.counterpart.matching.partner[position] ?? unmatched) === unmatched) return "absent";
  const scores = baseScores(met, position, reading);
  if (scores.length === 0) return "ungraded";
  return scores.every((score) => isShort(score, asked)) ? "short" : "passed";
}

/** Sorts the worst first, then by id; cases without a score come last. */
function sorted(cases: readonly Found[], upTo: boolean): readonly Found[] {
  const rank = ({ value }: Found): number =>
    value === null ? Number.POSITIVE_INFINITY : upTo ? -value : value;
  return cases.toSorted((a, b) => rank(a) - rank(b) || (a.case_id < b.case_id ? -1 : 1));
}

interface Fallen extends ShortCase {
  readonly before: Before | undefined;
}

function shortOf({ case_id, value, before }: Fallen): readonly ShortOf[] {
  if (value === null || before === "short") return [];
  return [{ case_id, value, ...(before && { before }) }];
}

/** Positions of the case with exactly that id, or else of all cases that the glob matches. */
function positionsOf({ ids, position }: CaseTable, name: string): readonly number[] {
  const known = position.get(name);
  if (known !== undefined) return [known];
  const matches = nameMatcher(name);
  return [...ids.keys()].filter((at) => matches(ids[at] ?? ""));
}
