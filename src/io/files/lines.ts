import { isAscii } from "node:buffer";
import { createTextSplitter, readTextLines, type LineText } from "../../base/lines.ts";
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

/** The same, one chunk at a time. */
function readLineBatches(path: string): AsyncGenerator<Iterable<FileLine>> {
  return readTextLines(readBytes(path));
}

/**
 * For callers that parse each line at once and keep none of its text. As long as a file is ASCII, chunks are decoded as a
 * whole, and a line is a slice of its chunk, which it would keep in memory.
 */
export async function* readFleetingBatches(path: string): AsyncGenerator<Iterable<FileLine>> {
  let windows: Windows | undefined = createWindows();
  let splitter = createTextSplitter(start);
  for await (const chunk of readBytes(path)) {
    const lines = windows?.push(chunk);
    if (windows && lines) yield lines;
    else {
      if (windows) splitter = createTextSplitter(windows.at());
      const held = windows?.held() ?? [];
      windows = undefined;
      for (const each of [...held, chunk]) yield splitter.push(each);
    }
  }
  for (const each of windows?.held() ?? []) {
    splitter = createTextSplitter(windows?.at() ?? start);
    yield splitter.push(each);
  }
  yield splitter.end();
}

/** Number of lines and bytes of a file read so far. */
interface Reached {
  readonly number: number;
  readonly offset: number;
}

const start: Reached = { number: 0, offset: 0 };

interface Windows {
  /**
   * The complete lines of the data so far; undefined if it is not plain text: then the caller must read it in another
   * way.
   */
  readonly push: (chunk: Uint8Array) => Iterable<FileLine> | undefined;
  /** Bytes of an incomplete line. */
  readonly held: () => readonly Uint8Array[];
  readonly at: () => Reached;
}

/** A longer line is left to readers that can skip it. */
const longestHeldBytes = 1024 * 1024;

const carriageReturn = 0x0d;

function createWindows(): Windows {
  let { number, offset } = start;
  let rest = new Uint8Array();
  function* linesOf(text: string): Generator<FileLine> {
    for (let from = 0; from < text.length;) {
      const newline = text.indexOf("\n", from);
      const isCrlf = newline > from && text.charCodeAt(newline - 1) === carriageReturn;
      const end = isCrlf ? newline - 1 : newline;
      number += 1;
      offset += newline + 1 - from;
      const line = text.slice(from, end);
      from = newline + 1;
      yield { text: { kind: "text", text: line }, number, end: offset, complete: true };
    }
  }
  return {
    push: (chunk) => {
      if (!isAscii(chunk) || chunk.includes(0)) return undefined;
      const last = chunk.lastIndexOf(0x0a);
      if (last < 0 && rest.length + chunk.length > longestHeldBytes) return undefined;
      const text = latin1(rest) + latin1(chunk.subarray(0, last + 1));
      if (last < 0) {
        rest = Buffer.concat([rest, chunk]);
        return [];
      }
      // A copy, because the caller may reuse the chunk's memory.
      rest = Uint8Array.from(chunk.subarray(last + 1));
      return linesOf(text);
    },
    held: () => (rest.length === 0 ? [] : [rest]),
    at: () => ({ number, offset }),
  };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
