import { readTextLines, type LineText } from "../../base/lines.ts";
import type { ResultRow } from "../../model/results.ts";

/** A stored row, with its case's id, a hash of question and target, and one of how it was judged. */
export type TakenRow = Omit<ResultRow, "judgedBy" | "judges"> & {
  readonly case_id: string;
  readonly content: string;
  readonly judged_by?: string;
};

/** Reads stored rows back, in order. */
export async function* readTaken(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TakenRow> {
  for await (const lines of readTextLines(chunks)) for (const { text } of lines) yield parse(text);
}

function parse(text: LineText): TakenRow {
  if (text.kind === "unreadable") throw new RangeError(`a row that was put aside: ${text.reason}`);
  const row: unknown = JSON.parse(text.text);
  if (isTaken(row)) return row;
  throw new TypeError("a row that was put aside is none any more");
}

/** No full check needed: the row was written by this process, to a private file. */
function isTaken(row: unknown): row is TakenRow {
  return typeof row === "object" && row !== null && "case_id" in row && "content" in row;
}

/** Finds the file positions of rows, by their number. */
export async function firstPlaces(
  rows: AsyncIterable<TakenRow>,
  wanted: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const places = new Map<number, string>();
  let ordinal = 0;
  for await (const { at } of rows) {
    if (wanted.has(ordinal)) places.set(ordinal, at);
    ordinal += 1;
  }
  return places;
}
