import { brotliDecompressSync, inflateRawSync, unzipSync, zstdDecompressSync } from "node:zlib";

/** The files that were packed in some bytes, unpacked. */
interface Unpacked {
  /** Empty: the bytes are not packed, or can't be read. */
  readonly members: readonly Uint8Array[];
  /** Readable signs that are not in a member: names, comments, and what stands between the members. */
  readonly beside: string;
  /** False if a part can't be read: it is encrypted, broken, packed in another way, or beyond the limit. */
  readonly isWhole: boolean;
}

/**
 * Unpacks zip, gzip, zlib, Zstandard, deflate and Brotli, up to `most` bytes in all. What follows the packed bytes is
 * another member.
 */
export function unpack(bytes: Uint8Array, most: number): Unpacked {
  if (bytes.length < 8) return notPacked;
  if (isAt(bytes, [0x50, 0x4b, 0x03, 0x04])) return unzip(bytes, most);
  if (isAt(bytes, [0x1f, 0x8b]))
    return { ...inflate(bytes, most, unzipSync), beside: gzipNames(bytes) };
  if (isZlib(bytes)) return inflate(bytes, most, unzipSync);
  if (isAt(bytes, [0x28, 0xb5, 0x2f, 0xfd])) return inflate(bytes, most, zstdDecompressSync);
  // These two formats have no head. Nearly all bytes are of neither, so that a failure says nothing.
  const tried = [inflateRawSync, brotliDecompressSync].map((each) => inflate(bytes, most, each));
  return {
    members: tried.flatMap(({ members }) => members),
    beside: "",
    isWhole: !tried.some(({ isTooLarge }) => isTooLarge),
  };
}

const notPacked: Unpacked = { members: [], beside: "", isWhole: true };
const unreadable: Unpacked = { ...notPacked, isWhole: false };

type Unpacker = typeof unzipSync | typeof zstdDecompressSync | typeof brotliDecompressSync;

function inflate(
  bytes: Uint8Array,
  most: number,
  unpacker: Unpacker,
): Unpacked & { readonly isTooLarge: boolean } {
  // Nearly all of thousands of attempts fail, and their stack traces would take half of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const found: unknown = unpacker(bytes, { maxOutputLength: Math.max(1, most), info: true });
    if (!isWithInfo(found)) throw new TypeError("Node's zlib gave no info");
    const members = [found.buffer, bytes.subarray(found.engine.bytesWritten)];
    return {
      ...notPacked,
      members: members.filter(({ length }) => length > 0),
      isTooLarge: false,
    };
  } catch (error) {
    const isTooLarge = Object(error).code === "ERR_BUFFER_TOO_LARGE";
    return { ...unreadable, isTooLarge };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What Node returns with `info`, which its types don't tell: https://nodejs.org/api/zlib.html#class-options. */
interface WithInfo {
  readonly buffer: Uint8Array;
  /** `bytesWritten`: number of packed bytes that were read. */
  readonly engine: { readonly bytesWritten: number };
}

function isWithInfo(found: unknown): found is WithInfo {
  return typeof found === "object" && found !== null && "engine" in found;
}

function isAt(bytes: Uint8Array, head: readonly number[]): boolean {
  return head.every((byte, i) => bytes[i] === byte);
}

/** RFC 1950, 2.2: the first two bytes are a multiple of 31. */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return first === 0x78 && (first * 256 + second) % 31 === 0;
}

/** A gzip header's extra field, name and comment. RFC 1952, 2.3. */
function gzipNames(bytes: Uint8Array): string {
  const [flags = 0, start] = [bytes[3], 10];
  let at = start;
  if ((flags & 4) > 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const flag of [8, 16]) if ((flags & flag) > 0) at = bytes.indexOf(0, at) + 1 || bytes.length;
  return printable(bytes.subarray(start, at));
}

const mostMembers = 1000;
/** Bytes of fixed length: a local header, an entry of the central directory, the end of that directory. */
const lengths = { local: 30, entry: 46, end: 22 };
/** Bytes that an archive usually has beside each member and its name: times, owners, checksums. */
const usualBeside = 80;
const usualName = 260;

/**
 * The members of a zip archive, up to `most` bytes in all, from its central directory. PKWARE's APPNOTE, 4.3.7, 4.3.12
 * and 4.3.16.
 */
function unzip(bytes: Uint8Array, most: number): Unpacked {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A copy in which each part that was read is filled with spaces. What is left are bytes outside of all members.
  const rest = Buffer.from(archive);
  const members: Uint8Array[] = [];
  let [isWhole, left, usual] = [true, most, usualBeside];
  try {
    const end = archive.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
    rest.fill(" ", Math.max(0, end), end + lengths.end);
    let at = archive.readUInt32LE(end + 16);
    for (let count = 0; archive.readUInt32LE(at) === 0x02_01_4b_50; count += 1) {
      const { name, next, ...found } = readEntry(archive, at, rest);
      const member = count < mostMembers ? unpackEntry(found, left) : unreadable;
      members.push(...member.members);
      isWhole &&= member.isWhole;
      left -= member.members.reduce((sum, { length }) => sum + length, 0);
      usual += usualBeside + 2 * Math.min(name, usualName);
      at = next;
    }
    isWhole &&= at === end;
  } catch {
    isWhole = false;
  }
  const beside = rest.filter((byte) => byte !== 0 && byte !== 0x20).length;
  return { members, beside: printable(rest), isWhole: isWhole && beside <= usual };
}

interface Entry {
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly packed: Uint8Array;
}

/** Reads an entry of the central directory, and fills what it has read with spaces in `rest`. */
function readEntry(
  archive: Buffer,
  at: number,
  rest: Buffer,
): Entry & { readonly name: number; readonly next: number } {
  const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((i) => archive.readUInt16LE(at + i));
  const start = archive.readUInt32LE(at + 42);
  const from =
    start + lengths.local + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
  const to = from + archive.readUInt32LE(at + 20);
  rest.fill(" ", at, at + lengths.entry);
  rest.fill(" ", start, start + lengths.local);
  rest.fill(" ", from, to);
  return {
    method: archive.readUInt16LE(at + 10),
    isEncrypted: archive.readUInt16LE(at + 8) % 2 === 1,
    packed: archive.subarray(from, to),
    name,
    next: at + lengths.entry + name + extra + comment,
  };
}

function unpackEntry({ method, isEncrypted, packed }: Entry, most: number): Unpacked {
  if (packed.length === 0) return notPacked;
  if (isEncrypted || packed.length > most || (method !== 0 && method !== 8)) return unreadable;
  return method === 0 ? { ...notPacked, members: [packed] } : inflate(packed, most, inflateRawSync);
}

/** The signs of some bytes that are of a text, with one space for all others in a row. */
function printable(bytes: Uint8Array): string {
  return (
    new TextDecoder()
      .decode(bytes)
      // eslint-disable-next-line no-control-regex -- bytes that are no text have them
      .replaceAll(/[\s\0-\x1f\x7f\ufffd]+/g, " ")
      .trim()
  );
}
