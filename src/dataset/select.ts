import type { Dataset } from "../model/definition/dataset.ts";
import type { RankText } from "./choose.ts";

/** Describes which cases of a data set were selected, so that a reader of the whole data set can find them. */
export interface CaseSelection {
  readonly selected: number;
  readonly of: number;
  /** Cases whose random number is at most this one are included. */
  readonly up_to: number;
  /** Globs of ids. Of the cases with such a low number, only those that match a glob are included. */
  readonly only?: readonly string[];
}

/** The seed of the random numbers. It is fixed, so that both sides of a comparison choose the same cases. */
const seed = 0;

/**
 * The random number that decides whether a case is selected. It depends on the case's id alone, not on the other cases.
 */
export function drawOf(caseId: string, rank: RankText): number {
  return rank(caseId, seed);
}

/** Reduces a data set to `most` cases; it is unchanged if it has no more. Reads it once. */
export async function selectCases(
  dataset: Dataset,
  most: number,
  rank: RankText,
): Promise<{ readonly dataset: Dataset; readonly selection: CaseSelection | undefined }> {
  const drawn: number[] = [];
  for await (const batch of dataset.cases()) {
    for (const { caseId } of batch) drawn.push(drawOf(caseId, rank));
  }
  const up_to = Float64Array.from(drawn).toSorted()[most - 1];
  if (drawn.length <= most || up_to === undefined) return { dataset, selection: undefined };
  const selected = drawn.reduce((count, number) => count + (number <= up_to ? 1 : 0), 0);
  const { hash, fields } = dataset;
  async function* cases(): ReturnType<Dataset["cases"]> & AsyncGenerator {
    for await (const batch of dataset.cases()) {
      const chosen = batch.filter(({ caseId }) => drawOf(caseId, rank) <= (up_to ?? 0));
      if (chosen.length > 0) yield chosen;
    }
  }
  return {
    dataset: { hash, fields, size: selected, cases },
    selection: { selected, of: drawn.length, up_to },
  };
}
