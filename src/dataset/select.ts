import type { Dataset } from "../model/dataset.ts";
import type { RankText } from "./choose.ts";

/** The selection of a data set's cases, so that a reader of the whole can find them. */
export interface CaseSelection {
  readonly selected: number;
  readonly of: number;
  /** Cases whose id draws at most this number are included. */
  readonly up_to: number;
  /** Globs of ids: of the cases with such a low number, only those that a glob matches are included. */
  readonly only?: readonly string[];
}

/** The seed of the draw: fixed, so that both sides of a comparison choose the same cases. */
const seed = 0;

/** The number that decides whether a case is among the selected ones: its id's own, whatever other cases there are. */
export function drawOf(caseId: string, rank: RankText): number {
  return rank(caseId, seed);
}

/** A data set reduced to this number of cases; unchanged if it has no more. Reads it once. */
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
