/**
 * Turns a JSON file into lines: a list becomes one line per item, whatever its layout; JSON lines stay unchanged. Bytes
 * in, bytes out; no item is held as a whole.
 */
export async function* asLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let cut: ((chunk: Uint8Array) => Uint8Array) | undefined;
  let isList: boolean | undefined;
  for await (const chunk of chunks) {
    isList ??= beginsList(chunk);
    if (isList !== true) {
      yield chunk;
      continue;
    }
    cut ??= createItemCutter();
    yield cut(chunk);
  }
}

/** True if a list begins here, false if something else does; undefined if there is only white space so far. */
function beginsList(chunk: Uint8Array): boolean | undefined {
  for (const byte of chunk) {
    if (!isSpace(byte) && !byteOrderMark.includes(byte)) return byte === openList;
  }
  return undefined;
}

const byteOrderMark = [0xef, 0xbb, 0xbf];
const newline = 0x0a;
const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openList = 0x5b;
const space = 0x20;

function isSpace(byte: number): boolean {
  return byte === space || byte === newline || byte === 0x0d || byte === 0x09;
}

/**
 * Overwrites the text between items: outer brackets and commas become line ends, line ends within an item become
 * spaces. Text after the list is kept, so that the reader of the lines reports it.
 */
function createItemCutter(): (chunk: Uint8Array) => Uint8Array {
  let depth = 0;
  let inText = false;
  let escaped = false;
  let isOver = false;
  let started = false;
  const structure = (byte: number): number => {
    if (byte === quote) inText = true;
    if (byte === openList || byte === 0x7b) {
      depth += 1;
      return depth === 1 ? newline : byte;
    }
    if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
      isOver = depth === 0;
      return isOver ? newline : byte;
    }
    if (depth === 1 && byte === comma) return newline;
    return byte === newline || byte === 0x0d ? space : byte;
  };
  return (chunk) => {
    const out = Uint8Array.from(chunk);
    for (let i = 0; i < out.length; i += 1) {
      const byte = out[i] ?? 0;
      if (!started && byte >= 0x80) {
        // The byte order mark before the list.
        out[i] = newline;
        continue;
      }
      started = true;
      if (isOver) continue;
      if (!inText) out[i] = structure(byte);
      else if (escaped) escaped = false;
      else if (byte === backslash) escaped = true;
      else if (byte === quote) inText = false;
    }
    return out;
  };
}
