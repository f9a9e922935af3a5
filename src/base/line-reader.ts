import { createLineDecoder } from "./lines.ts";
import type { OpenedFile } from "../model/ports.ts";

const blockBytes = 64 * 1024;
/** 2 MiB: enough that look-ups in the file's order read every block once, however many are in flight. */
const blocksKept = 32;
const newline = 0x0a;

/** Lines of a file by where they begin. undefined: it is no text any more. */
export type ReadLineAt = (offset: number) => Promise<string | undefined>;

/** Reads lines by position, through a small cache of blocks. */
export function createLineReader(file: OpenedFile): ReadLineAt {
  const blockAt = cached(file);
  const decode = createLineDecoder();
  return async (offset) => {
    const pieces: Uint8Array[] = [];
    let from = offset % blockBytes;
    for (let block = Math.floor(offset / blockBytes); ; block += 1) {
      const bytes = await blockAt(block);
      const end = bytes.indexOf(newline, from);
      pieces.push(bytes.subarray(from, end === -1 ? bytes.length : end));
      if (end !== -1 || bytes.length < blockBytes) break;
      from = 0;
    }
    const bytes = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    // A byte order mark stands before the first line only.
    const text = decode({ bytes: offset === 0 ? withoutMark(bytes) : bytes });
    return text.kind === "text" ? text.text : undefined;
  };
}

function withoutMark(bytes: Uint8Array | undefined): Uint8Array | undefined {
  const hasMark = bytes?.[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return hasMark ? bytes?.subarray(3) : bytes;
}

/** Blocks by number, the ones used last kept. Promises are kept, so that nobody reads a block twice at once. */
function cached(file: OpenedFile): (block: number) => Promise<Uint8Array> {
  const kept = new Map<number, Promise<Uint8Array>>();
  return async (block) => {
    const found = kept.get(block);
    if (found) {
      kept.delete(block);
      kept.set(block, found);
      return found;
    }
    const reading = file.read(block * blockBytes, blockBytes);
    kept.set(block, reading);
    const [oldest] = kept.keys();
    if (kept.size > blocksKept && oldest !== undefined) kept.delete(oldest);
    try {
      return await reading;
    } catch (error) {
      kept.delete(block);
      throw error;
    }
  };
}
