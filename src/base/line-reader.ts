import { createBlockCache } from "./block-cache.ts";
import { createLineDecoder } from "./lines.ts";
import type { OpenedFile } from "../model/ports/files.ts";

const blockBytes = 64 * 1024;
/**
 * Blocks kept, 2 MiB in all: enough that look-ups in the file's order read every block once, however many are in
 * flight.
 */
const blocksKept = 32;
const newline = 0x0a;

/** Reads the line that begins at an offset; undefined if it is no text any more. */
export type ReadLineAt = (offset: number) => Promise<string | undefined>;

/** Reads lines by position, through a small cache of blocks. */
export function createLineReader(file: OpenedFile): ReadLineAt {
  const blockAt = createBlockCache(file, { blockBytes, blocksKept });
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
    // A byte order mark can only precede the first line.
    const text = decode({ bytes: offset === 0 ? withoutMark(bytes) : bytes });
    return text.kind === "text" ? text.text : undefined;
  };
}

function withoutMark(bytes: Uint8Array | undefined): Uint8Array | undefined {
  const hasMark = bytes?.[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return hasMark ? bytes?.subarray(3) : bytes;
}
