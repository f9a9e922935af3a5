import { createHash } from "node:crypto";
import type { Content } from "../../../base/encodings/bytes.ts";
import { layersOf } from "../../../base/encodings/layers.ts";
import { spelledNumber } from "../../../base/encodings/spelled-numbers.ts";
import { codedIn } from "./coded-answers.ts";
import { lower, plain, tellingOf } from "./told-answer.ts";

/** A case's question and its answers. */
export interface AskedCase {
  /** The fields in its question, and the prompt: a candidate may look the answer up by either. */
  readonly asked: readonly string[];
  readonly prompt: string;
  /** Its id, if a candidate receives it. */
  readonly id?: string;
  readonly answers: readonly string[];
  /** Its question without spaces and punctuation, made once for all files. */
  readonly dense?: string;
}

/** Cases, by position, whose answers a text has beside their questions: plain, or encoded. */
export interface HeldAnswers {
  readonly plain: ReadonlySet<number>;
  readonly encoded: ReadonlySet<number>;
}

/** The cases of several texts together. */
export function allOf(held: readonly HeldAnswers[]): HeldAnswers {
  return {
    plain: new Set(held.flatMap(({ plain: cases }) => [...cases])),
    encoded: new Set(held.flatMap(({ encoded }) => [...encoded])),
  };
}

/**
 * Finds the cases whose answer occurs beside their question in a text, or whose question's digest occurs there. In
 * content that is not text (a database, a pickle), texts have no spaces or quotes between them. `decoded`: the text's
 * layers, if they are known. Pure.
 */
export function heldIn(
  { text, isText }: Content,
  cases: readonly AskedCase[],
  decoded: readonly string[] = layersOf(text),
): HeldAnswers {
  const plainText = lower(text);
  const layers = decoded.map(lower);
  const digests = digestsIn(text);
  const keys = keysOf(cases);
  const found = { plain: new Set<number>(), encoded: new Set<number>() };
  for (const [i, one] of cases.entries()) {
    const { asked, prompt } = one;
    const sought = soughtIn(keys[i], one);
    if (sought.some((each) => hasBeside(plainText, each, isWritten))) found.plain.add(i);
    else if (!isText && sought.some((each) => isFollowed(plainText, each))) found.plain.add(i);
    else if (digests.size > 0 && [...asked, prompt].some((each) => isDigested(each, digests)))
      found.encoded.add(i);
    else if (sought.some((each) => isHidden(each, plainText, layers))) found.encoded.add(i);
  }
  for (const i of codedIn(text, cases)) if (!found.encoded.has(i)) found.plain.add(i);
  return found;
}

/** Texts of at least this length are unlikely to occur by chance; shorter ones may be left out of a table. */
const longText = 12;
const apart = 400;

/** Shorter texts occur everywhere. */
const shortestKey = 3;

/** For each case, the longest text of its question; undefined if another case has the same. */
export function keysOf(cases: readonly AskedCase[]): readonly (string | undefined)[] {
  const keys = cases.map(({ asked }) =>
    asked.map(lower).reduce((one, other) => (other.length > one.length ? other : one), ""),
  );
  const counts = Map.groupBy(keys, (key) => key);
  return keys.map((key) =>
    key.length >= shortestKey && counts.get(key)?.length === 1 ? key : undefined,
  );
}

interface Sought {
  readonly key: string;
  /** The other texts of the question, which occur close by. */
  readonly others: readonly string[];
  readonly answers: readonly string[];
}

/** Values that a table may have beside an answer: the case's whole question, or its id. */
function soughtIn(key: string | undefined, { asked, id, answers }: AskedCase): readonly Sought[] {
  const others = asked.map(lower).filter((each) => each !== key && each.length >= longText);
  return [
    ...(key === undefined ? [] : [{ key, others, answers }]),
    ...(id === undefined || lower(id) === key ? [] : [{ key: lower(id), others: [], answers }]),
  ];
}

/** Number of characters after the question within which an answer counts. */
const window = 160;
/** Number of characters before the question within which an id counts, because it may be the first column of a table. */
const windowBefore = 16;
/** Limit of places of a question that are inspected. */
const mostPlaces = 8;

function hasBeside(
  text: string,
  { key, others, answers }: Sought,
  holds: (near: string, answer: string) => boolean,
): boolean {
  let at = text.indexOf(key);
  for (let place = 0; at >= 0 && place < mostPlaces; place += 1) {
    const end = at + key.length;
    const isWhole =
      !isWordAt(text, at - 1, key.charAt(0)) && !isWordAt(text, end, key.at(-1) ?? "");
    const near = `${text.slice(Math.max(0, at - windowBefore), at)}\n${text.slice(end, end + window)}`;
    const around = text.slice(Math.max(0, at - apart), end + apart);
    if (
      isWhole &&
      others.every((other) => around.includes(other)) &&
      answers.some((answer) => holds(near, answer))
    )
      return true;
    at = text.indexOf(key, end);
  }
  return false;
}

/** Whether an answer begins directly after a long question, or after a few bytes of lengths and types. */
function isFollowed(text: string, { key, answers }: Sought): boolean {
  if (key.length < longText) return false;
  let at = text.indexOf(key);
  for (let place = 0; at >= 0 && place < mostPlaces; place += 1) {
    const after = text.slice(at + key.length, at + key.length + windowBefore + known);
    const isAnswered = answers.some((answer) => {
      const sought = plain(answer).slice(0, known);
      const found = sought === "" ? -1 : after.indexOf(sought);
      return found >= 0 && found <= windowBefore && !/[\p{L}\p{N}]{3}/u.test(after.slice(0, found));
    });
    if (isAnswered) return true;
    at = text.indexOf(key, at + key.length);
  }
  return false;
}

/** Whether a word continues across this position. */
function isWordAt(text: string, at: number, end: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at)) && /[\p{L}\p{N}]/u.test(end);
}

/** Longer answers are recognized by their beginning. */
const known = 80;

function isWritten(near: string, answer: string): boolean {
  const sought = plain(answer).slice(0, known);
  if (sought === "") return false;
  for (let at = near.indexOf(sought); at >= 0; at = near.indexOf(sought, at + 1)) {
    const [before, after] = [near.charAt(at - 1), near.charAt(at + sought.length)];
    if (!/[\p{L}\p{N}]/u.test(before) && (sought.length === known || !/[\p{L}\p{N}]/u.test(after)))
      return true;
  }
  return false;
}

/** The first text in quotes after a question. */
const quoted = /\n[^"'\n]{0,12}["'][^\w]*(["'])([^"'\n]{1,80})\1/;

function isRewritten(near: string, answer: string): boolean {
  const text = quoted.exec(near)?.[2];
  if (text === undefined) return false;
  return (
    spelledNumber(text.toUpperCase()) === plain(answer) ||
    tellingOf(text, answer, true) === "encoded"
  );
}

function isHidden(sought: Sought, text: string, layers: readonly string[]): boolean {
  return (
    hasBeside(text, sought, isRewritten) ||
    layers.some((layer) => hasBeside(layer, sought, isEither))
  );
}

function isEither(near: string, answer: string): boolean {
  return isWritten(near, answer) || isRewritten(near, answer);
}

/** Digests in hexadecimal in a text, whole or cut, by their first characters. */
function digestsIn(text: string): ReadonlyMap<string, readonly string[]> {
  const words = text.toLowerCase().match(/\b[0-9a-f]{8,128}\b/g) ?? [];
  const tokens = [...new Set(words)].filter((word) => /\d/.test(word) && /[a-f]/.test(word));
  return Map.groupBy(tokens, (token) => token.slice(0, 8));
}

function isDigested(asked: string, digests: ReadonlyMap<string, readonly string[]>): boolean {
  const ways = [...new Set([asked, asked.trim(), lower(asked)])].filter((each) => each !== "");
  return ways.some((each) =>
    ["md5", "sha1", "sha256", "sha512", "blake2b512", "sha3-256"].some((name) => {
      const digest = createHash(name).update(each).digest("hex");
      return (digests.get(digest.slice(0, 8)) ?? []).some((token) => digest.startsWith(token));
    }),
  );
}
