import type { Row } from "../model/sample.ts";
import type { Problem } from "../model/refusal.ts";

/** One row as read: its value, or its problem. `line` is where it starts. */
export type RowRead =
  | { readonly kind: "row"; readonly row: Row; readonly line: number }
  | { readonly kind: "bad"; readonly problem: Problem };

/** Rows in batches, in order. Batches stay small, so that reading a file never holds much of it. */
export type Rows = AsyncIterable<readonly RowRead[]>;

/** Rows a batch: enough that handing one on costs nothing, few enough that rows of a megabyte fit. */
export const rowsPerBatch = 256;
/** A batch ends early past this many bytes of source. */
export const bytesPerBatch = 1024 * 1024;
