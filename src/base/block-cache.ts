import type { OpenedFile } from "../model/ports/files.ts";

/** Size of the blocks, and the number of blocks kept in memory. */
interface BlockCacheSize {
  readonly blockBytes: number;
  readonly blocksKept: number;
}

/** Reads the block of a number; the last block of a file is shorter. */
type ReadBlock = (block: number) => Promise<Uint8Array>;

/**
 * Reads a file in blocks and keeps the most recently used ones. Promises are cached, so that no block is read twice at
 * once.
 */
export function createBlockCache(
  file: OpenedFile,
  { blockBytes, blocksKept }: BlockCacheSize,
): ReadBlock {
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
