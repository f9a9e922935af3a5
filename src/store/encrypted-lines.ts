import { createCipheriv, randomBytes, type Cipheriv } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { ReadLine } from "../io/files/json-lines.ts";
import { problem, Refusal } from "../model/refusal.ts";

/** How the lines of a run's journals are stored. */
export interface StoredLines {
  /** Makes a function that turns a line into the form in which it is stored. Each file needs its own. */
  readonly writer: () => (line: string) => string;
  /** The text of a line, whether it was stored as it is or encrypted. Throws a Refusal if it can't be decrypted. */
  readonly read: ReadLine;
}

/** Lines as they are. An encrypted one belongs to a run that is not finished. */
export const plainLines: StoredLines = {
  writer: () => (line) => line,
  read: (line, file, number) => {
    if (encryptedIn(line) !== undefined)
      throw new Refusal(problem("run_encrypted", undefined, { file, line: number }));
    return line;
  },
};

/**
 * Encrypts lines, so that no candidate can read the answers of cases in a run that is under way. The id of a line's sample
 * stays as it is, as does the plan, which has what the key is made from.
 *
 * The lines of a writer are one stream of AES in counter mode, because a cipher for each line takes more time than all else
 * that is done to store it. Nothing proves that a line was not edited: whoever may write the file may also write plain lines.
 */
export function encryptedLines(key: Uint8Array): StoredLines {
  let reading: Stream | undefined;
  return {
    writer: () => {
      const stream = openStream(key, { name: randomBytes(nameBytes).toString("hex"), at: 0 });
      return (line) => (isPlan(line) ? line : encrypt(line, stream));
    },
    read: (line, file, number) => {
      const encrypted = encryptedIn(line);
      if (encrypted === undefined) return line;
      const [name = "", packing, from, text = ""] = encrypted.split(".");
      const at = Number(from);
      if (reading?.name !== name || reading.at !== at) reading = openStream(key, { name, at });
      const bytes = passed(reading, Buffer.from(text, "base64"));
      const found = packing === packed ? unpack(bytes) : bytes.toString("utf8");
      // Another key gives other bytes.
      if (found?.startsWith(openingOf(line)) === true) return found;
      throw new Refusal(problem("decryption_failed", undefined, { file, line: number }));
    },
  };
}

/** A stream of encrypted bytes, and the position that it has reached. */
interface Stream {
  readonly name: string;
  readonly cipher: Cipheriv;
  at: number;
}

const algorithm = "aes-256-ctr";
const [nameBytes, blockBytes] = [8, 16];

/** Opens a stream at a position; in counter mode, encrypting and decrypting are the same. */
function openStream(key: Uint8Array, { name, at }: Pick<Stream, "name" | "at">): Stream {
  const start = Buffer.alloc(blockBytes);
  start.write(name, "hex");
  start.writeBigUInt64BE(BigInt(Math.floor(at / blockBytes)), nameBytes);
  const cipher = createCipheriv(algorithm, key, start);
  cipher.update(Buffer.alloc(at % blockBytes));
  return { name, cipher, at };
}

function passed(stream: Stream, bytes: Uint8Array): Buffer {
  stream.at += bytes.length;
  return stream.cipher.update(bytes);
}

/** Encrypted text is a third longer: a longer line could exceed `longestLineBytes`. */
const longestUnpackedBytes = 32 * 1024 * 1024;
const mostBytesPerUnit = 3;
const [unpacked, packed] = ["0", "1"];

function encrypt(line: string, stream: Stream): string {
  const { name, at } = stream;
  const isPacked = isLong(line);
  const bytes = passed(stream, isPacked ? deflateRawSync(line) : Buffer.from(line));
  const how = [name, isPacked ? packed : unpacked, at].join(".");
  return `${openingOf(line)}"encrypted":"${how}.${bytes.toString("base64")}"}`;
}

function isLong(line: string): boolean {
  if (line.length * mostBytesPerUnit <= longestUnpackedBytes) return false;
  return Buffer.byteLength(line) > longestUnpackedBytes;
}

function unpack(bytes: Uint8Array): string | undefined {
  try {
    return inflateRawSync(bytes).toString("utf8");
  } catch {
    return undefined;
  }
}

/** Whether a line is encrypted or a plan, which is never encrypted. */
export function isEncrypted(line: string): boolean {
  return isPlan(line) || encryptedIn(line) !== undefined;
}

/** Our own writer puts these first in a line. */
const planBegins = '{"object":"regrade.plan/1"';
const idBegins = /^\{"(?:sample_)?id":"([^"\\]*)",/;
const encryptedBegins = /^\{(?:"(?:sample_)?id":"[^"\\]*",)?"encrypted":"/;

export function isPlan(line: string): boolean {
  return line.startsWith(planBegins);
}

/** The id of the sample in a line. */
export function idIn(line: string): string | undefined {
  return idBegins.exec(line)?.[1];
}

/** The beginning of a line that stays as it is. */
function openingOf(line: string): string {
  const [opening = "{"] = idBegins.exec(line) ?? [];
  return opening;
}

function encryptedIn(line: string): string | undefined {
  const [opening] = encryptedBegins.exec(line) ?? [];
  return opening !== undefined && line.endsWith('"}') ? line.slice(opening.length, -2) : undefined;
}
