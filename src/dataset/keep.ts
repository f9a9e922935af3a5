import type { Row } from "../domain/sample.ts";
import type { Rows } from "./rows.ts";

/** Most data sets are smaller: they are read and parsed once. Of a larger one, memory holds what is in flight and no more. */
const mostBytes = 16 * 1024 * 1024;

/** Rows in batches, in order. */
export type KeptRows = readonly (readonly Row[])[];

/** Keeps rows as they pass, while `bytesSoFar` of their file says that it is small. */
export function keepRows(bytesSoFar: () => number): {
  readonly through: (rows: Rows) => Rows;
  readonly isKeeping: () => boolean;
  /** undefined: there were too many. */
  readonly kept: () => KeptRows | undefined;
} {
  let kept: (readonly Row[])[] | undefined = [];
  const isKeeping = (): boolean => {
    if (kept !== undefined && bytesSoFar() > mostBytes) kept = undefined;
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
