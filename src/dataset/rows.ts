import type { Row } from "../model/outcomes/sample.ts";
import type { Problem } from "../model/refusal.ts";

/** A row that was read, or the problem with it. `line` is where it starts. */
export type RowRead =
  | { readonly kind: "row"; readonly row: Row; readonly line: number }
  | { readonly kind: "bad"; readonly problem: Problem };

/** Rows in batches, in order. Batches stay small, so that reading a file never holds much of it. */
export type Rows = AsyncIterable<readonly RowRead[]>;

/** Number of rows in a batch: enough that passing a batch on costs nothing, few enough that rows of a megabyte fit. */
export const rowsPerBatch = 256;
/** A batch ends earlier once its source exceeds this many bytes. */
export const bytesPerBatch = 1024 * 1024;
