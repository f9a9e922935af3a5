import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { ReadLine } from "../io/files/json-lines.ts";
import { problem, Refusal } from "../model/refusal.ts";

/** How the lines of a run's journals are stored. */
export interface StoredLines {
  readonly write: (line: string) => string;
  /** The text of a line, whether it was stored as it is or encrypted. Throws a Refusal if it can't be decrypted. */
  readonly read: ReadLine;
}

/** Lines as they are. An encrypted one belongs to a run that is not finished. */
export const plainLines: StoredLines = {
  write: (line) => line,
  read: (line, file, number) => {
    if (encryptedIn(line) !== undefined)
      throw new Refusal(problem("run_held", undefined, { file, line: number }));
    return line;
  },
};

const algorithm = "aes-256-gcm";
const [prefixBytes, nonceBytes, tagBytes] = [8, 12, 16];
const mostLines = 2 ** 32;
/** Encrypted text is a third longer: a longer line could exceed `longestLineBytes`. */
const longestUnpackedBytes = 32 * 1024 * 1024;
const mostBytesPerUnit = 3;

/**
 * Encrypts lines, so that no candidate can read the answers of cases in a run that is under way. The id of a line's sample
 * stays as it is, as does the plan, which has what the key is made from.
 */
export function heldLines(key: Uint8Array): StoredLines {
  let prefix = randomBytes(prefixBytes);
  let count = 0;
  const nextNonce = (): Buffer => {
    if (count === mostLines) [prefix, count] = [randomBytes(prefixBytes), 0];
    const nonce = Buffer.allocUnsafe(nonceBytes);
    nonce.set(prefix);
    nonce.writeUInt32BE(count, prefixBytes);
    count += 1;
    return nonce;
  };
  return {
    write: (line) => {
      if (isPlan(line)) return line;
      const nonce = nextNonce();
      const cipher = createCipheriv(algorithm, key, nonce);
      const isPacked = isLong(line);
      const text = isPacked ? cipher.update(deflateRawSync(line)) : cipher.update(line, "utf8");
      const parts = [
        isPacked ? packed : unpacked,
        nonce,
        text,
        cipher.final(),
        cipher.getAuthTag(),
      ];
      const [opening = "{"] = idBegins.exec(line) ?? [];
      return `${opening}"held":"${Buffer.concat(parts).toString("base64")}"}`;
    },
    read: (line, file, number) => {
      const encrypted = encryptedIn(line);
      if (encrypted === undefined) return line;
      try {
        return decrypt(Buffer.from(encrypted, "base64"), key);
      } catch {
        throw new Refusal(problem("run_held_otherwise", undefined, { file, line: number }));
      }
    },
  };
}

const [unpacked, packed] = [Buffer.from([0]), Buffer.from([1])];

function isLong(line: string): boolean {
  if (line.length * mostBytesPerUnit <= longestUnpackedBytes) return false;
  return Buffer.byteLength(line) > longestUnpackedBytes;
}

function decrypt(bytes: Buffer, key: Uint8Array): string {
  const [from, end] = [1 + nonceBytes, bytes.length - tagBytes];
  const options = { authTagLength: tagBytes };
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(1, from), options);
  decipher.setAuthTag(bytes.subarray(end));
  const text = Buffer.concat([decipher.update(bytes.subarray(from, end)), decipher.final()]);
  return (bytes[0] === 1 ? inflateRawSync(text) : text).toString("utf8");
}

/** Whether a line is encrypted or a plan, which is never encrypted. */
export function isHeld(line: string): boolean {
  return isPlan(line) || encryptedIn(line) !== undefined;
}

/** Our own writer puts these first in a line. */
const planBegins = '{"object":"regrade.plan/1"';
const heldBegins = /^\{(?:"(?:sample_)?id":"[^"\\]*",)?"held":"/;
const idBegins = /^\{"(?:sample_)?id":"([^"\\]*)",/;

export function isPlan(line: string): boolean {
  return line.startsWith(planBegins);
}

/** The id of the sample in a line. */
export function idIn(line: string): string | undefined {
  return idBegins.exec(line)?.[1];
}

function encryptedIn(line: string): string | undefined {
  const [opening] = heldBegins.exec(line) ?? [];
  return opening !== undefined && line.endsWith('"}') ? line.slice(opening.length, -2) : undefined;
}
