import type { Row } from "../model/outcomes/sample.ts";
import type { Rows } from "./rows.ts";

/**
 * Limit for data set files whose rows are kept in memory, in bytes, over all tasks. Most files are smaller: they are
 * read and parsed once. For larger ones, memory holds only rows in flight: as objects, rows take four times the bytes
 * of their file, and reading a file of 100,000 rows again takes a hundredth of the time of such a run.
 */
export const bytesKept = 4 * 1024 * 1024;

/** Rows in batches, in order. */
export type RowsInMemory = readonly (readonly Row[])[];

/** Keeps rows as they pass, as long as `bytesSoFar` of their file do not exceed `most`. */
export function keepRows(
  bytesSoFar: () => number,
  most: number,
): {
  readonly through: (rows: Rows) => Rows;
  readonly isKeeping: () => boolean;
  /** The kept rows; undefined if there were too many. */
  readonly kept: () => RowsInMemory | undefined;
} {
  let kept: (readonly Row[])[] | undefined = [];
  const isKeeping = (): boolean => {
    if (kept !== undefined && bytesSoFar() > most) kept = undefined;
    return kept !== undefined;
  };
  return {
    isKeeping,
    kept: () => (isKeeping() ? kept : undefined),
    through: async function* through(rows) {
      for await (const batch of rows) {
        if (isKeeping())
          kept?.push(batch.flatMap((read) => (read.kind === "row" ? [read.row] : [])));
        yield batch;
      }
    },
  };
}
