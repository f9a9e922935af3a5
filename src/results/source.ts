import type { OpenedFile } from "../model/ports.ts";
import type { OpenedResults, ResultFields } from "../model/results.ts";

/** A file of results. Readers ask it for bytes and never know where they come from. */
export interface ResultSource {
  /** As the user wrote it: what messages say. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** All bytes in order, read as they are asked for. Each call begins again. Throws a Refusal where it can't be read. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** The file by position, for archives. Whoever opens it closes it. */
  readonly open: () => Promise<OpenedFile>;
  /** A file of this name in the same folder; undefined where there is none. A name, never a path. */
  readonly beside: (name: string) => Promise<ResultSource | undefined>;
}

/** The first 64 KiB of a file, by which `auto` tells what it is. */
export interface ResultHead {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The same as UTF-8, without a byte order mark; may end within a character or a value. */
  readonly text: string;
  /** True where this is all of it. */
  readonly whole: boolean;
}

/** What the user says of the rows, beside the file. */
export interface ResultShape {
  /** Ids of the metrics to read, the first is gated; empty: the tool's own. */
  readonly metrics: readonly string[];
  /** Which column or key is what, where the names are not ours; formats of tools have no use for it and refuse it. */
  readonly fields: ResultFields;
}

/**
 * A format's reader, `openX`. It may read the head and refuse at once; what is wrong further on is thrown, as one Refusal
 * with all that was found, out of `rows`. Duplicates, overlaps and emptiness are looked for by who reads the rows, over all
 * files together: a reader tells each row's place and leaves them to it.
 */
export type OpenResults = (source: ResultSource, shape: ResultShape) => Promise<OpenedResults>;

/** `looksLikeX`: true where the file can hardly be anything else. Never throws. */
export type LooksLike = (head: ResultHead) => boolean;
