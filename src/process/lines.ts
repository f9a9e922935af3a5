import { createLineDecoder, createLineSplitter } from "../domain/lines.ts";
import type { LineText } from "../domain/lines.ts";
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
  const splitter = createLineSplitter();
  const decode = createLineDecoder();
  for await (const chunk of readBytes(path)) {
    for (const line of splitter.push(chunk)) yield { ...line, text: decode(line) };
  }
  for (const line of splitter.end()) yield { ...line, text: decode(line) };
}
