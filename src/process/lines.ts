import { createLineDecoder, createLineSplitter } from "../domain/lines.ts";
import type { Line, LineText } from "../domain/lines.ts";
import { readBytes } from "./files.ts";

/** A line of a file, as text. */
export interface FileLine {
  readonly text: LineText;
  /** Counts from 1. */
  readonly number: number;
  /** The byte after its end. */
  readonly end: number;
  /** False for a last line without `\n`. */
  readonly complete: boolean;
}

/** The lines of a file, split at `\n` alone: `node:readline` also splits at U+2028, which JSON leaves bare in strings. */
export async function* readLines(path: string): AsyncGenerator<FileLine> {
  for await (const lines of readLineBatches(path)) yield* lines;
}

/** The same, those of a chunk at once: of a million lines each, waiting for one at a time costs as much as parsing it. */
export async function* readLineBatches(path: string): AsyncGenerator<Iterable<FileLine>> {
  const splitter = createLineSplitter();
  const decode = createLineDecoder();
  const decoded = function* decoded(lines: Iterable<Line>): Generator<FileLine> {
    for (const line of lines) yield { ...line, text: decode(line) };
  };
  for await (const chunk of readBytes(path)) yield decoded(splitter.push(chunk));
  yield decoded(splitter.end());
}
