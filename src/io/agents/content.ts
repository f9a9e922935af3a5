import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { mostKeptBytes } from "../../model/workspace.ts";

/** `sha256:<hex>` by path; undefined: a link. */
export type KnownFiles = Map<string, string | undefined>;

/** A larger file is not hashed: its content counts as unknown. */
const mostHashedBytes = 256 * 1024 * 1024;
const pieceBytes = 256 * 1024;

interface Content {
  readonly bytes: number;
  readonly sha256: string | null;
  /** The whole content of a small file. */
  readonly kept: Buffer | undefined;
}

export function fingerprintOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/**
 * Reads a file as it is now: size, hash, and the content where it is small, all of the same bytes. A link that took its place
 * is not followed, and a pipe is not waited for.
 */
export async function readContent(absolute: string): Promise<Content> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(absolute, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return { bytes: 0, sha256: null, kept: undefined };
    if (stats.size <= mostKeptBytes) {
      const kept = await handle.readFile();
      // It may have grown since its size was asked for.
      const isSmall = kept.length <= mostKeptBytes;
      return { bytes: kept.length, sha256: fingerprintOf(kept), kept: isSmall ? kept : undefined };
    }
    if (stats.size > mostHashedBytes) return { bytes: stats.size, sha256: null, kept: undefined };
    return await hashPieces(handle);
  } finally {
    await handle.close();
  }
}

async function hashPieces(handle: Awaited<ReturnType<typeof open>>): Promise<Content> {
  const hash = createHash("sha256");
  const piece = Buffer.alloc(pieceBytes);
  let bytes = 0;
  while (bytes <= mostHashedBytes) {
    const { bytesRead } = await handle.read(piece, 0, pieceBytes, bytes);
    if (bytesRead === 0) return { bytes, sha256: `sha256:${hash.digest("hex")}`, kept: undefined };
    hash.update(piece.subarray(0, bytesRead));
    bytes += bytesRead;
  }
  return { bytes, sha256: null, kept: undefined };
}
