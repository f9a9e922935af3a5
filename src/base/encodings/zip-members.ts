import { inflateRawSync } from "node:zlib";

const mostMembers = 1000;

/**
 * The contents of a zip archive's members, up to `most` bytes in all, by its central directory; none if it is broken. Members
 * that are encrypted or packed otherwise than by deflate are left out. PKWARE's APPNOTE, 4.3.7, 4.3.12 and 4.3.16.
 */
export function zipMembers(bytes: Uint8Array, most: number): readonly Uint8Array[] {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = archive.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  const members: Uint8Array[] = [];
  try {
    let at = archive.readUInt32LE(end + 16);
    let left = most;
    for (let count = 0; count < mostMembers && left > 0; count += 1) {
      if (archive.readUInt32LE(at) !== 0x02_01_4b_50) break;
      const member = memberAt(archive, at, left);
      if (member !== undefined) members.push(member);
      left -= member?.length ?? 0;
      at += 46 + [28, 30, 32].reduce((sum, each) => sum + archive.readUInt16LE(at + each), 0);
    }
  } catch {
    // A broken archive: what was read so far.
  }
  return members;
}

function memberAt(archive: Buffer, at: number, most: number): Uint8Array | undefined {
  const method = archive.readUInt16LE(at + 10);
  const isEncrypted = archive.readUInt16LE(at + 8) % 2 === 1;
  const start = archive.readUInt32LE(at + 42);
  const names = archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
  const from = start + 30 + names;
  const packed = archive.subarray(from, from + archive.readUInt32LE(at + 20));
  if (isEncrypted || packed.length > most) return undefined;
  if (method === 0) return packed;
  return method === 8 ? inflateRawSync(packed, { maxOutputLength: most }) : undefined;
}
