import { createHash } from "node:crypto";
import { decodingsOf } from "../../../base/encodings/decodings.ts";
import { textsWithin, valueText } from "../../../base/fields.ts";
import type { Json } from "../../../model/json.ts";

/** The form in which a value contains an answer: plain, or encoded, which is never chance. */
type Telling = "same" | "encoded";

/** Limit of a list's or object's parts that are decoded. */
const mostParts = 16;
const longestDecoded = 4096;

/** Whether a value is an answer, whole or as a part of a list or object; `decodes`: also an encoding or a digest of it. */
export function tellingOf(
  value: Json | undefined,
  answer: string,
  decodes: boolean,
): Telling | undefined {
  const target = plain(answer);
  const parts = textsWithin(value);
  const whole = [valueText(value), ...["", " "].map((mark) => parts.join(mark))];
  if ([...whole, ...parts].some((each) => plain(each) === target)) return "same";
  if (!decodes) return undefined;
  const digests = digestsOf([answer, answer.trim(), target]);
  const found = [...whole, ...parts.slice(0, mostParts)]
    .filter((each) => each !== "" && each.length <= longestDecoded)
    .map((each) => (isDigest(each, digests) ? "encoded" : decoded(each, target)));
  return found.includes("encoded") ? "encoded" : found.find((each) => each !== undefined);
}

/** Shorter texts can agree by chance with another spelling: `on` is `no` backwards. */
const shortText = 6;

function decoded(text: string, target: string): Telling | undefined {
  const found = [...decodingsOf(text)].map(([each, way]): Telling | undefined => {
    if (plain(each) === target)
      return way === "encoded" || target.length >= shortText ? "encoded" : "same";
    return way === "encoded" && containsWord(each, target) ? "encoded" : undefined;
  });
  return found.includes("encoded") ? "encoded" : found.find((each) => each !== undefined);
}

/** Whether a text is the answer with a few words around it: `the answer is 72`. */
function containsWord(text: string, target: string): boolean {
  const words = lower(text);
  const at = words.indexOf(target);
  if (at < 0 || words.length > target.length + 32) return false;
  const around = `${words.slice(0, at).slice(-1)}${words.charAt(at + target.length)}`;
  return !/[\p{L}\p{N}]/u.test(around);
}

/** Shorter parts of a digest can agree by chance. */
const shortestDigest = 8;

function isDigest(text: string, digests: readonly string[]): boolean {
  const token = text.trim().toLowerCase();
  if (!/^[0-9a-f]+$/.test(token) || token.length < shortestDigest) return false;
  return digests.some((digest) => digest.startsWith(token));
}

function digestsOf(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].flatMap((text) =>
    ["md5", "sha1", "sha256", "sha512"].map((name) => createHash(name).update(text).digest("hex")),
  );
}

/**
 * A text without differences in white space, capitals, enclosing marks and number formats: `(B)` becomes `b`, `1,000.0`
 * becomes `1000`.
 */
export function plain(text: string): string {
  const words = lower(text);
  // Not `[^\p{L}\p{N}]+$`, which tries each sign of a long row of signs as a beginning.
  const [bare = ""] = /^[\s\S]*[\p{L}\p{N}]/u.exec(words.replace(/^[^\p{L}\p{N}-]+/u, "")) ?? [];
  if (/^-?\d[\d,]{0,30}(?:\.\d{1,30})?$/.test(bare))
    return String(Number(bare.replaceAll(",", "")));
  return bare === "" ? words : bare;
}

/** A text without differences in white space and capitals. */
export function lower(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().toLowerCase();
}
