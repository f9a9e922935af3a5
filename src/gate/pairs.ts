import { substituteScores } from "../domain/ledger.ts";
import {
  caseContent,
  caseIsInvalid,
  caseMeanOfFirst,
  type CaseTable,
  type Reading,
} from "./cases.ts";
import type { Counterpart, PinnedMetric, Spot } from "./sides.ts";

/** The cases that a comparison rests on, and why others are not among them. */
export interface Pairs {
  readonly caseIds: readonly string[];
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Repeats averaged on each side: the first so many. */
  readonly repeats: number;
  readonly dropped: DroppedPairs;
}

export interface DroppedPairs {
  /** No grade on one side at least. */
  readonly ungraded: number;
  /** The baseline's grader gave no score. */
  readonly invalid: number;
  /** The same id, another row. */
  readonly changed: number;
}

/** How samples count on head's side, and how repeats are averaged. */
export type Counting = Pick<Reading, "ungradedAs" | "mean">;

/** A spot that the baseline has too. */
export type MetSpot = Spot & { readonly counterpart: Extract<Counterpart, { kind: "run" }> };

/**
 * Pairs the cases of a spot with those of its counterpart, by case id, in head's order.
 * A pair without a grade on either side is dropped, and so is one that the baseline's grader could not score:
 * neither says anything about the change. A case that head's grader could not score counts as the worst.
 */
export function pairCases(spot: MetSpot, metric: PinnedMetric, how: Counting): Pairs {
  const head = spot.cases;
  const base = spot.counterpart.cases;
  const substitutes = substituteScores(metric, [head.group, base.group]);
  const readings = {
    head: { metric: metric.id, substitutes, ...how },
    base: { metric: metric.id, substitutes, ...how, ungradedAs: "nothing" as const },
  };
  const repeats = Math.min(head.repeats, base.repeats);
  const caseIds: string[] = [];
  const before: number[] = [];
  const after: number[] = [];
  const dropped = { ungraded: 0, invalid: 0, changed: 0 };
  for (const [position, caseId] of head.ids.entries()) {
    const basePosition = base.position.get(caseId);
    if (basePosition === undefined) continue;
    const pair = readPair({ head, base, repeats, position, basePosition }, readings);
    if (typeof pair === "string") dropped[pair] += 1;
    else {
      caseIds.push(caseId);
      before.push(pair.before);
      after.push(pair.after);
    }
  }
  return { caseIds, before, after, repeats, dropped };
}

interface PairPlace {
  readonly head: CaseTable;
  readonly base: CaseTable;
  readonly repeats: number;
  readonly position: number;
  readonly basePosition: number;
}

function readPair(
  place: PairPlace,
  readings: { readonly head: Reading; readonly base: Reading },
): keyof DroppedPairs | { readonly before: number; readonly after: number } {
  const { head, base, repeats } = place;
  if (caseContent(head, place.position) !== caseContent(base, place.basePosition)) return "changed";
  const before = caseMeanOfFirst(base, { position: place.basePosition, repeats }, readings.base);
  const after = caseMeanOfFirst(head, { position: place.position, repeats }, readings.head);
  if (before === undefined || after === undefined) return "ungraded";
  if (caseIsInvalid(base, { position: place.basePosition, repeats }, readings.base.metric))
    return "invalid";
  return { before, after };
}
