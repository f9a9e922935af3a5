import type { OpenedFile } from "../model/ports/files.ts";
import type { OpenedResults, ResultFields } from "../model/results.ts";

/** A file of results. Readers ask it for bytes and never know where they come from. */
export interface ResultSource {
  /** The path as the user wrote it, for messages. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** All bytes in order, read on demand. Each call starts again. Throws a Refusal if it can't be read. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** Random access to the file, for archives. The caller must close it. */
  readonly open: () => Promise<OpenedFile>;
  /** A file of this name in the same folder; undefined if there is none. A name, never a path. */
  readonly beside: (name: string) => Promise<ResultSource | undefined>;
}

/** The first 64 KiB of a file, by which `auto` recognizes its format. */
export interface ResultHead {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The head as UTF-8, without a byte order mark; may end within a character or a value. */
  readonly text: string;
  /** True if the head is the whole file. */
  readonly whole: boolean;
}

/** The user's description of the rows. */
export interface ResultShape {
  /** Ids of the metrics to read. The first is gated; empty: the tool's own metrics. */
  readonly metrics: readonly string[];
  /** Columns or keys with other names than ours; tools' formats don't need it and refuse it. */
  readonly fields: ResultFields;
}

/**
 * A format's reader, `openX`. It may read the head and refuse at once; later problems are thrown by `rows`, as one
 * Refusal with all of them. The caller checks duplicates, overlaps and empty files over all files together: a reader only
 * reports each row's position.
 */
export type OpenResults = (source: ResultSource, shape: ResultShape) => Promise<OpenedResults>;

/** `looksLikeX`: true if the file can hardly be anything else. Never throws. */
export type LooksLike = (head: ResultHead) => boolean;
