import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { mostKeptBytes } from "../../model/ports/workspace.ts";

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

/** SHA-256 of some bytes, `sha256:<hex>`. */
export function fingerprintOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A link that took a file's place is not followed, and a pipe is not waited for. */
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a file as it is now: size, hash, and the content where it is small, all of the same bytes. Small files, which most are, are
 * read in one go: of a hundred of them, waiting for each takes three times as long.
 */
export async function readContent(absolute: string): Promise<Content> {
  const small = readSmall(absolute);
  return "size" in small ? readLarge(absolute, small) : small;
}

function readSmall(absolute: string): Content | Stats {
  const file = openSync(absolute, readFlags);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { bytes: 0, sha256: null, kept: undefined };
    if (stats.size > mostKeptBytes) return stats;
    const kept = readFileSync(file);
    // It may have grown since its size was asked for.
    const isSmall = kept.length <= mostKeptBytes;
    return { bytes: kept.length, sha256: fingerprintOf(kept), kept: isSmall ? kept : undefined };
  } finally {
    closeSync(file);
  }
}

async function readLarge(absolute: string, { size }: Stats): Promise<Content> {
  if (size > mostHashedBytes) return { bytes: size, sha256: null, kept: undefined };
  const handle = await open(absolute, readFlags);
  try {
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
