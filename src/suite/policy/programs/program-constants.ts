import { builtinProviders, isHostOf } from "../../../model/models/providers.ts";
import { bytesIn, isUnreadable, textsOfBytes } from "../../../base/encodings/bytes.ts";
import { joinedStrings } from "../../../base/encodings/layers.ts";

/**
 * Notes for reviewers on what a program gains that may hide answers: lists of constants about as long as the task has cases, long
 * texts that no known encoding explains, and addresses that the base's programs do not name. Pure.
 */
export function newConstants(
  text: string,
  before: string,
  { cases, hosts }: { readonly cases: number; readonly hosts: ReadonlySet<string> },
): readonly string[] {
  const table = constantsGained(text, before);
  const opaque = opaqueIn(text) - opaqueIn(before);
  const digests = digestsIn(text).difference(digestsIn(before)).size;
  const addresses = [...hostsIn(text)]
    .filter((host) => !hosts.has(host) && !isProvider(host))
    .slice(0, 3);
  return [
    ...(table >= leastOfTable(cases)
      ? [`brings tables of ${table} constants, which could be answers to the ${cases} cases`]
      : []),
    ...(table < leastOfTable(cases) && digests >= Math.max(leastConstants, cases * shareOfOne)
      ? [`brings ${digests} texts that look like digests`]
      : []),
    ...(opaque > 0 ? [`brings ${opaque} characters that can't be read`] : []),
    ...(addresses.length > 0
      ? [
          `names an address that the base does not: ${addresses.map((each) => `\`${each}\``).join(", ")}`,
        ]
      : []),
  ];
}

const leastConstants = 20;
/** A table may leave out the cases that are right without it. */
const share = 0.5;
/** A list of the cases of one answer leaves out those of the others. */
const shareOfOne = 0.2;
/** Several files of a change gain constants more often. */
const leastTogether = 40;
const shareTogether = 0.9;

function leastOfTable(cases: number): number {
  return Math.max(leastConstants, cases * share);
}

/** Number of constants in lists and tables that a file gains. */
export function constantsGained(text: string, before: string): number {
  return constantsIn(text) - constantsIn(before);
}

/**
 * The files whose tables may hold the answers together, the longest first; empty if they can't. `gained`: the constants
 * that a file gains. Of a table that is long enough alone other words tell.
 */
export function partsOfTable<Part extends { readonly gained: number }>(
  files: readonly Part[],
  cases: number,
): readonly Part[] {
  const parts = files.filter(({ gained }) => gained > 0 && gained < leastOfTable(cases));
  const isEnough = sumOf(parts) >= Math.max(leastTogether, cases * shareTogether);
  return isEnough ? parts.toSorted((a, b) => b.gained - a.gained) : [];
}

/** Number of constants that files gain together. */
export function sumOf(parts: readonly { readonly gained: number }[]): number {
  return parts.reduce((sum, { gained }) => sum + gained, 0);
}

/** A number, a short text in quotes, or a pair of these. */
const scalar =
  /^\s*(?:(["'`])[^"'`\s]{0,40}\1|-?(?=[A-Za-z_.]*\d)[\w.]+)\s*(?::\s*(?:(["'`])[^"'`\n]{0,40}\2|-?(?=[A-Za-z_.]*\d)[\w.]+)\s*)?$/;
const shortestTable = 5;

/** Cells of a list without brackets: a number or a token with a digit on each line, or between commas. */
const cell = /^-?(?=[A-Za-z_.]*\d)[\w.]+$|^[0-9a-f]{4,}$/i;

function cellsIn(text: string): number {
  const cells = text
    .split(/[\n\r,;|\t]+/)
    .map((each) => each.trim())
    .filter((each) => each !== "");
  const constants = cells.filter((each) => cell.test(each)).length;
  return constants >= cells.length * 0.9 ? constants : 0;
}

/** The constants in lists, sets and tables of a text, beginning with the innermost. */
function constantsIn(text: string): number {
  let found = 0;
  for (const [, inner = ""] of text.matchAll(/[[({]([^[\](){}]*)[\])}]/g)) {
    const entries = inner.split(",").filter((entry) => entry.trim() !== "");
    const constants = entries.filter((entry) => scalar.test(entry));
    if (isWordList(entries) || isEnumeration(entries)) continue;
    if (constants.length >= shortestTable && constants.length >= entries.length * 0.9)
      found += constants.length;
  }
  return Math.max(found, cellsIn(text));
}

/** In European languages these letters are more than half of a text; in a cipher hardly ever. */
const frequent = /[etaoinsr]/gi;
const leastFrequent = 0.5;

/** Whether a list has different words only, such as stop words, keywords or labels. A list of answers repeats its labels. */
function isWordList(entries: readonly string[]): boolean {
  const words = entries.map((entry) => /^\s*(["'`])([A-Za-z][A-Za-z_-]*)\1\s*$/.exec(entry)?.[2]);
  if (words.some((word) => word === undefined) || new Set(words).size < words.length) return false;
  const letters = words.join("").replaceAll(/[_-]/g, "");
  return (letters.match(frequent) ?? []).length >= leastFrequent * letters.length;
}

/** Whether a table numbers its names in turn, which says nothing of any case. */
function isEnumeration(entries: readonly string[]): boolean {
  const numbers = entries.map(
    (entry) => /^\s*["'`]?\w+["'`]?\s*[:=]\s*(\d{1,9})\s*$/.exec(entry)?.[1],
  );
  return numbers.every((each, i) => each !== undefined && Number(each) - Number(numbers[0]) === i);
}

/** Shorter ones are names, digests and keys. */
const shortestOpaque = 48;

/** Signs of texts in quotes that are no words, and that no known encoding gives a meaning. */
function opaqueIn(text: string): number {
  const joined = joinedStrings(text);
  let found = 0;
  for (const inner of quotedIn(joined)) if (isOpaque(inner)) found += inner.length;
  // A number of 18 digits can hold an answer for each of 40 cases.
  for (const [number] of joined.matchAll(
    /(?<![\w"'`.-])(?:0x[0-9a-fA-F_]{16,}|\d[\d_]{17,})n?(?![\w"'`.-])/g,
  ))
    found += number.length;
  return found;
}

/** Texts in quotes without white space. */
function* quotedIn(text: string): Generator<string> {
  const run = /(["'`])((?:\\.|(?!\1)[^\\\s])+)(\1)?/y;
  // If a quote is not closed before white space, neither is any later one of its kind up to there: those are skipped.
  const tried = new Map<string, number>();
  for (let at = text.search(/["'`]/); at >= 0 && at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (!/["'`]/.test(sign) || at < (tried.get(sign) ?? 0)) continue;
    run.lastIndex = at;
    const [whole = "", , inner = "", closing] = run.exec(text) ?? [];
    if (closing === undefined) tried.set(sign, at + whole.length);
    else {
      yield inner;
      at += whole.length - 1;
    }
  }
}

function isOpaque(text: string): boolean {
  if (text.length >= shortestOpaque && /^\d+$/.test(text)) return true;
  if (text.length < shortestOpaque || /^\w{0,6}\d{0,4}-?[0-9a-f]{40,128}$|^https?:/.test(text))
    return false;
  // A pattern of a regular expression.
  if (/\[\^?\w-\w|\(\?[:P<=!]/.test(text)) return false;
  const bytes = bytesIn(text);
  if (bytes.some((each) => textsOfBytes(each).length > 0)) return false;
  const isMixed = /\d/.test(text) && /[A-Za-z]/.test(text);
  const isEscaped = /(?:\\x[0-9a-f]{2}){12}/i.test(text);
  const isReadable = /[a-z]{3,}(?:[/_.:@-]+[a-z]{3,}){2}/i.test(text);
  if (isEscaped) return true;
  return isMixed && !isReadable && (bytes.length === 0 || bytes.some(isUnreadable));
}

/** Short texts of hexadecimal digits, which may be parts of digests: no colours, and no parts of a UUID. */
function digestsIn(text: string): ReadonlySet<string> {
  const found = text.toLowerCase().match(/(?<![\w#.-])[0-9a-f]{4,40}(?![\w.-])/g) ?? [];
  return new Set(found.filter((each) => /\d/.test(each) && /[a-f]/.test(each)));
}

/** Whether a host is a built-in provider's, whose models answer everything. */
function isProvider(host: string): boolean {
  return Object.values(builtinProviders).some((each) => isHostOf(each, host));
}

/** The hosts of the addresses in a text. */
export function hostsIn(text: string): ReadonlySet<string> {
  const found = text.matchAll(/\b(?:https?|wss?|ftp):\/\/([\w.-]+(?::\d+)?)/g);
  return new Set([...found].map(([, host = ""]) => host.toLowerCase()));
}
