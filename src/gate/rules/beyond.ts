import { aggregations } from "../../model/definition/aggregations.ts";
import {
  brokenCasesKept,
  type BeyondCase,
  type BeyondLimit,
} from "../../model/outcomes/rule-result.ts";
import type { CaseTable } from "../pairing/cases.ts";
import { caseScore, type ScorePolicy } from "../pairing/case-scores.ts";
import { unmatched } from "../pairing/matching.ts";
import type { CellMetric } from "./measure.ts";
import type { Pairs } from "../pairing/pairs.ts";
import type { PlannedRule } from "./plan.ts";

/** Tolerance for limits, because 0.3 − 0.1 is not 0.2 in floating point. */
const tolerance = 1e-9;

/** True if the value meets the limit of a `min` or `max`. */
export function isWithin({ kind, limit }: Limit, value: number): boolean {
  return kind === "min" ? value >= limit - tolerance : value <= limit + tolerance;
}

type Limit = Pick<PlannedRule, "kind" | "limit">;

/** The scores of the cases that a rule is about. */
interface ScoredCases {
  readonly cases: CaseTable;
  readonly members: Iterable<number>;
  readonly reading: ScorePolicy;
  /** The same cases, paired with the baseline's, if they are compared. */
  readonly pairs: Pairs | undefined;
}

/**
 * The cases whose own score is beyond a missed limit (`min` or `max`), the worst first. undefined if there are none,
 * and for a sum or a spread, whose limit says nothing about a single case.
 */
export function findBeyond(
  { aggregation }: Pick<CellMetric["metric"], "aggregation">,
  rule: Limit,
  { cases, members, reading, pairs }: ScoredCases,
): BeyondLimit | undefined {
  if (!aggregations[aggregation].keepsRange) return undefined;
  const found: BeyondCase[] = [];
  let of = 0;
  for (const position of members) {
    const value = caseScore(cases, position, reading);
    if (value === undefined) continue;
    of += 1;
    if (isWithin(rule, value)) continue;
    const before = pairs?.before[pairs.pairAt[position] ?? unmatched];
    found.push({
      case_id: cases.ids[position] ?? "",
      value,
      ...(before !== undefined && { before }),
    });
  }
  if (found.length === 0) return undefined;
  return { count: found.length, of, cases: worstFirst(found, rule).slice(0, brokenCasesKept) };
}

/** Sorts the worst first; among equal scores those that lost most since the baseline, then by id. */
function worstFirst(found: readonly BeyondCase[], { kind }: Limit): readonly BeyondCase[] {
  const sign = kind === "min" ? 1 : -1;
  const lost = ({ value, before = value }: BeyondCase): number => sign * (before - value);
  return found.toSorted(
    (a, b) => sign * (a.value - b.value) || lost(b) - lost(a) || (a.case_id < b.case_id ? -1 : 1),
  );
}
