import { unpack } from "./unpacking.ts";

/** Reads a text as an encoding of bytes; undefined if it is not in that encoding. */
type ToBytes = (text: string) => Uint8Array | undefined;

/** The bytes that a text may encode. */
export function bytesIn(text: string): readonly Uint8Array[] {
  return encodings.flatMap((read) => read(text) ?? []);
}

/** Limit of archives within archives that are opened. */
const deepest = 3;
/** Limit of bytes of all members of a file together: archives in an archive can hold a million times its size. */
const mostPacked = 4 << 20;

export interface Content {
  readonly text: string;
  /** False for a database, a pickle or other bytes that are no text. */
  readonly isText: boolean;
}

/** A file as texts: its own, or those of the files that are packed in it. */
interface Contents {
  /** The file itself, or the members packed in it. */
  readonly all: readonly Content[];
  /** False if a part can't be read: it is encrypted, broken, packed in another way, or beyond a limit. */
  readonly isWhole: boolean;
  /** True if a part is neither text nor of a usual format. */
  readonly isUnknown: boolean;
}

/** Reads a file, and what is packed in it. */
export function contentsOf(bytes: Uint8Array): Contents {
  return contentsWithin(bytes, { depth: 0, left: { bytes: mostPacked } });
}

interface Unpacking {
  readonly depth: number;
  /** Bytes that may still be unpacked from the file, all its members together. */
  readonly left: { bytes: number };
}

const nothing: Contents = { all: [], isWhole: true, isUnknown: false };

function contentsWithin(bytes: Uint8Array, { depth, left }: Unpacking): Contents {
  if (bytes.length === 0) return nothing;
  const text = plainText(bytes);
  if (text !== undefined) return { ...nothing, all: [{ text, isText: true }] };
  const { members, beside, isWhole } = unpack(bytes, left.bytes);
  if (members.length === 0 || depth >= deepest)
    return { ...opaqueContents(bytes), isWhole: isWhole && members.length === 0 };
  left.bytes -= members.reduce((sum, { length }) => sum + length, 0);
  const inner = members.map((each) => contentsWithin(each, { depth: depth + 1, left }));
  return {
    all: [
      ...inner.flatMap(({ all }) => all),
      ...(beside === "" ? [] : [{ text: beside, isText: true }]),
    ],
    isWhole: isWhole && inner.every((each) => each.isWhole),
    isUnknown: inner.some((each) => each.isUnknown),
  };
}

/** The content of bytes that are neither text nor packed: texts that a mask of one byte hides, or else themselves. */
function opaqueContents(bytes: Uint8Array): Contents {
  const unmasked = withoutMask(bytes);
  if (unmasked.length > 0)
    return { ...nothing, all: unmasked.map((text) => ({ text, isText: true })) };
  const text = new TextDecoder().decode(bytes);
  return { ...nothing, all: [{ text, isText: false }], isUnknown: !knownHeads.test(headOf(bytes)) };
}

/** First bytes of images, sounds, films, fonts, documents, databases, pickles and programs, in hexadecimal. */
const knownHeads =
  /^(?:89504e47|ffd8ff|47494638|52494646|25504446|4f676753|494433|664c6143|.{8}66747970|774f46|00010000|4f54544f|53514c697465|800[2-5]|7f454c46|0061736d|cafebabe)/;

/** Those of images, sounds, films, fonts and documents, in which texts are no longer to be read. */
const mediaHeads =
  /^(?:89504e47|ffd8ff|47494638|52494646|25504446|4f676753|494433|664c6143|.{8}66747970|774f46|00010000|4f54544f)/;

/** True if nothing can be said of a file, or of a part of it: it can't be unpacked, or is neither text nor of a usual format. */
export function isUnreadable(bytes: Uint8Array): boolean {
  if (knownHeads.test(headOf(bytes))) return false;
  const { isWhole, isUnknown } = contentsOf(bytes);
  return isUnknown || !isWhole;
}

/** True if a file begins as an image, a sound, a film, a font or a document does. */
export function isMedia(bytes: Uint8Array): boolean {
  return mediaHeads.test(headOf(bytes));
}

function headOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.slice(0, 16)).toString("hex");
}

/** The bytes that are most frequent in tables and texts: space, quote, e, zero, comma. */
const frequent = [" ", '"', "e", "0", ","].map((sign) => sign.charCodeAt(0));

const shortestSummed = 64;

/** Texts of which each byte may have been combined with one constant byte (exclusive or, or a sum), or has its halves swapped. */
function withoutMask(bytes: Uint8Array): readonly string[] {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  const usual = counts.indexOf(Math.max(...counts));
  const masked = frequent.map((byte) => bytes.map((each) => each ^ byte ^ usual));
  // A few bytes are text for some sum.
  const summed =
    bytes.length < shortestSummed
      ? []
      : frequent.map((byte) => bytes.map((each) => each + byte - usual));
  const swapped = bytes.map((each) => (each << 4) | (each >> 4));
  return [...masked, ...summed, swapped].flatMap((each) => plainText(each) ?? []);
}

/** Limit of bytes that are unpacked from a word: thousands of words are tried. */
const mostDecoded = 1 << 20;

/** The texts that some bytes may be, packed or not; none if they are something else. */
export function textsOfBytes(bytes: Uint8Array): readonly string[] {
  const text = plainText(bytes);
  if (text !== undefined) return [text];
  return unpack(bytes, mostDecoded).members.flatMap((each) => plainText(each) ?? []);
}

const base64: ToBytes = (text) => {
  const dense = text.replaceAll(/\s+/g, "");
  if (!/^[\w+/-]{2,}={0,2}$/.test(dense) || dense.replace(/=+$/, "").length % 4 === 1)
    return undefined;
  return Buffer.from(dense, "base64");
};

const hex: ToBytes = (text) => {
  const dense = text.replaceAll(/\\x|0x|[\s:,-]+/gi, "");
  return /^(?:[0-9a-f]{2})+$/i.test(dense) ? Buffer.from(dense, "hex") : undefined;
};

const base32: ToBytes = (text) => {
  const dense = text.replaceAll(/\s+/g, "").toUpperCase();
  const [, signs] = /^([A-Z2-7]{2,})=*$/.exec(dense) ?? [];
  if (signs === undefined) return undefined;
  return fromBits(
    Array.from(signs).map((sign) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(sign)),
  );
};

function fromBits(fives: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const five of fives) {
    held = (held << 5) | five;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
    held &= (1 << bits) - 1;
  }
  return Uint8Array.from(bytes);
}

const b85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const ascii85 = Array.from({ length: 85 }, (_, i) => String.fromCharCode(33 + i)).join("");

function base85(alphabet: string): ToBytes {
  return (text) => {
    const dense = text
      .replaceAll(/^<~|~>$|\s+/g, "")
      .replaceAll("z", alphabet === b85 ? "z" : "!!!!!");
    const values = Array.from(dense).map((sign) => alphabet.indexOf(sign));
    if (values.length < 2 || values.length % 5 === 1 || values.includes(-1)) return undefined;
    const missing = (5 - (values.length % 5)) % 5;
    const padded = [...values, ...Array.from({ length: missing }, () => 84)];
    const bytes: number[] = [];
    for (let at = 0; at < padded.length; at += 5) {
      const word = padded.slice(at, at + 5).reduce((sum, value) => sum * 85 + value, 0);
      if (word > 0xff_ff_ff_ff) return undefined;
      bytes.push((word >>> 24) & 0xff, (word >>> 16) & 0xff, (word >>> 8) & 0xff, word & 0xff);
    }
    return Uint8Array.from(bytes.slice(0, bytes.length - missing));
  };
}

/** Numbers of characters: `55 50`, `[55, 50]`, `00110111 00110010`. */
const numbers: ToBytes = (text) => {
  if (!/^[[({]?\d+(?:[\s,;|-]+\d+)*[\])}]?$/.test(text.trim())) return undefined;
  const found = text.match(/\d+/g) ?? [];
  const isBinary = found.every((each) => /^[01]{7,8}$/.test(each));
  const codes = found.map((each) => Number.parseInt(each, isBinary ? 2 : 10));
  return codes.every((code) => code >= 32 && code < 256) ? Uint8Array.from(codes) : undefined;
};

const joinedBits: ToBytes = (text) => {
  const octets = /^(?:[01]{8}){1,512}$/.test(text.trim()) ? (text.match(/[01]{8}/g) ?? []) : [];
  return octets.length === 0
    ? undefined
    : Uint8Array.from(octets, (octet) => Number.parseInt(octet, 2));
};

const encodings = [base64, hex, base32, base85(b85), base85(ascii85), numbers, joinedBits];

function plainText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  const isWide = bytes.length >= 4 && bytes.length % 2 === 0 && bytes[1] === 0 && bytes[3] === 0;
  try {
    const text = new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes);
    // eslint-disable-next-line no-control-regex -- bytes that are no text have them
    return /[\0-\x08\x0e-\x1f\x7f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
