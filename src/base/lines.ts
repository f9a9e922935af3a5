/** One line of a file, as bytes, without its end (`\n` or `\r\n`) and without a byte order mark. */
export interface Line {
  /** undefined: the line is longer than `longestLineBytes` and was skipped. */
  readonly bytes: Uint8Array | undefined;
  /** Counts from 1. */
  readonly number: number;
  /** Offset of the line's start in the file, in bytes. */
  readonly offset: number;
  /** Offset of the next line's start. */
  readonly end: number;
  /** False for a last line without `\n`. */
  readonly complete: boolean;
}

/** Limit of a line. A longer one is no row of a data set, and holding it in memory would cost several times as much. */
export const longestLineBytes = 64 * 1024 * 1024;

/** Cuts chunks of bytes into lines, at `\n` alone: JSON leaves U+2028 bare in strings. */
interface LineSplitter {
  readonly push: (chunk: Uint8Array) => Iterable<Line>;
  /**
   * Returns the last line if it has no `
   * `.
   */
  readonly end: () => Iterable<Line>;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * A splitter for one file, or for the rest of a file after some lines and bytes. A line may refer to its chunk's
 * memory: use it before the chunk is reused.
 */
export function createLineSplitter(after = { number: 0, offset: 0 }): LineSplitter {
  let pieces: Uint8Array[] = [];
  let pendingBytes = 0;
  let { offset, number } = after;

  const hold = (piece: Uint8Array): void => {
    if (piece.length === 0) return;
    pendingBytes += piece.length;
    if (pendingBytes <= longestLineBytes) pieces.push(piece);
    else pieces = [];
  };
  const take = (complete: boolean): Line => {
    number += 1;
    const bytes = pendingBytes > longestLineBytes ? undefined : trimEnds(joined(pieces), number);
    const end = offset + pendingBytes + (complete ? 1 : 0);
    const line: Line = { bytes, number, offset, end, complete };
    offset = end;
    pieces = [];
    pendingBytes = 0;
    return line;
  };

  return {
    *push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
        hold(chunk.subarray(start, at));
        start = at + 1;
        yield take(true);
      }
      // A copy, because the caller may reuse the chunk's memory.
      hold(chunk.slice(start));
    },
    *end() {
      if (pendingBytes > 0) yield take(false);
    },
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first, ...rest] = pieces;
  if (first === undefined) return new Uint8Array();
  if (rest.length === 0) return first;
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function trimEnds(bytes: Uint8Array, number: number): Uint8Array {
  const hasMark = number === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const end = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
  return bytes.subarray(hasMark ? 3 : 0, end);
}

/**
 * Text of a line, or the reason why there is none. Decoding is strict: a replaced byte would change a row without
 * notice.
 */
export type LineText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Makes a decoder of lines; use one for a whole file, because making a decoder costs more than decoding a line. */
export function createLineDecoder(): (line: Pick<Line, "bytes">) => LineText {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return ({ bytes }) => {
    if (bytes === undefined) {
      const reason = `the line is longer than ${longestLineBytes / 1024 / 1024} MiB`;
      return { kind: "unreadable", reason };
    }
    try {
      const text = decoder.decode(bytes);
      if (!bytes.includes(0)) return { kind: "text", text };
    } catch {
      return { kind: "unreadable", reason: notUtf8(bytes) };
    }
    return {
      kind: "unreadable",
      reason: "the line has a NUL byte; is the file UTF-16, or no text?",
    };
  };
}

function notUtf8(bytes: Uint8Array): string {
  const utf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return utf16
    ? "the file is UTF-16; save it as UTF-8"
    : "the line is not valid UTF-8; save the file as UTF-8";
}

/** A line with its text. */
export interface TextLine extends Line {
  readonly text: LineText;
}

/** Cuts chunks into lines and decodes them; see `createLineSplitter`. */
interface TextSplitter {
  readonly push: (chunk: Uint8Array) => Iterable<TextLine>;
  readonly end: () => Iterable<TextLine>;
}

/** A splitter that also gives each line's text, decoded on demand. */
export function createTextSplitter(after?: Parameters<typeof createLineSplitter>[0]): TextSplitter {
  const splitter = createLineSplitter(after);
  const decode = createLineDecoder();
  const decoded = function* decoded(lines: Iterable<Line>): Generator<TextLine> {
    for (const line of lines) yield { ...line, text: decode(line) };
  };
  return {
    push: (chunk) => decoded(splitter.push(chunk)),
    end: () => decoded(splitter.end()),
  };
}

/** The lines of a file, one chunk at a time: for a million lines, awaiting each one costs as much as parsing it. */
export async function* readTextLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Iterable<TextLine>> {
  const splitter = createTextSplitter();
  for await (const chunk of chunks) yield splitter.push(chunk);
  yield splitter.end();
}
