import { readTextLines, type LineText } from "../../base/lines.ts";
import type { ResultRow } from "../../model/results.ts";

/** A row as it was put aside: with the id of its case, and a hash of what was asked and expected. */
export type TakenRow = ResultRow & { readonly case_id: string; readonly content: string };

/** Reads the rows back that were put aside, in order. */
export async function* readTaken(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TakenRow> {
  for await (const lines of readTextLines(chunks)) for (const { text } of lines) yield parse(text);
}

function parse(text: LineText): TakenRow {
  if (text.kind === "unreadable") throw new RangeError(`a row that was put aside: ${text.reason}`);
  const row: unknown = JSON.parse(text.text);
  if (isTaken(row)) return row;
  throw new TypeError("a row that was put aside is none any more");
}

/** It was written here a moment ago, in a file that nobody else may open. */
function isTaken(row: unknown): row is TakenRow {
  return typeof row === "object" && row !== null && "case_id" in row && "content" in row;
}

/** Where some rows stand, by their number among the rows. */
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
