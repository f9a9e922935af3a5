import { bytesIn, textsOfBytes } from "./bytes.ts";
import { spelledNumber } from "./spelled-numbers.ts";

/**
 * Kind of a decoding. `encoded`: hardly any text has this form by chance. `rewritten`: two short texts may be related
 * in this way by chance.
 */
type Way = "encoded" | "rewritten";

/**
 * Limits of the search: the length of a text, the number of its decodings, and the number of encodings within each
 * other (`deepest`).
 */
const mostCharacters = 16_384;
const mostDecodings = 48;
const deepest = 4;

/**
 * The texts that a whole text may stand for: base64, base32, base85, hexadecimal, character codes, escapes of URLs,
 * JSON, HTML and mail, packed bytes, look-alike or invisible letters, rot13, reversed text, numbers in words; also
 * several of them combined. The text itself is not included. *Not* decoded: ciphers with a key.
 */
export function decodingsOf(text: string): ReadonlyMap<string, Way> {
  const found = new Map<string, Way>();
  if (text === "" || text.length > mostCharacters) return found;
  let layer: readonly (readonly [string, Way])[] = [[text, "rewritten"]];
  for (let depth = 0; depth < deepest && layer.length > 0; depth += 1) {
    const next = layer.flatMap(([each, way]) => stepsFrom(each, way, depth));
    layer = next.filter(([each]) => each !== text && !found.has(each));
    for (const [each, way] of layer) {
      if (found.size >= mostDecodings) return found;
      if (found.get(each) !== "encoded") found.set(each, way);
    }
  }
  return found;
}

function stepsFrom(text: string, way: Way, depth: number): readonly (readonly [string, Way])[] {
  const trimmed = text.trim();
  const encoded = bytesIn(trimmed).flatMap(textsOfBytes);
  const escaped = /[\\%=&]|[^ -~]/.test(trimmed) ? escapes.map((decode) => decode(trimmed)) : [];
  // Applying a rewriting twice gives the original letters.
  const turned = depth === 0 || way === "encoded" ? rewritings(trimmed) : [];
  return [
    ...[...encoded, ...escaped].map((each) => [each, "encoded"] as const),
    ...turned.map((each) => [each, way] as const),
  ].filter(
    ([each]) =>
      each !== "" && each !== trimmed && each.length <= 4 * Math.max(mostCharacters, text.length),
  );
}

/** A long text without the encodings that keep its length, or nearly so: escapes, reversal, rot13. */
export function turnedWhole(text: string): readonly string[] {
  const escaped = escapes.map((decode) => decode(text));
  const turned = [Array.from(text).toReversed().join(""), rotated(text)];
  return [...new Set([...escaped, ...turned])].filter((each) => each !== text);
}

type Decode = (text: string) => string;

const escapes: readonly Decode[] = [
  (text) => bytesEscaped(text, /(?:%[0-9a-f]{2})+/gi),
  (text) => bytesEscaped(text, /(?:=[0-9A-F]{2})+/g),
  (text) => bytesEscaped(text, /(?:\\x[0-9a-f]{2})+/gi),
  (text) =>
    text
      .replaceAll(/\\u\{?([0-9a-f]{4,6})\}?/gi, (_, code: string) => character(code, 16))
      .replaceAll(/\\U([0-9a-f]{8})/g, (_, code: string) => character(code, 16))
      .replaceAll(/\\([0-7]{3})/g, (_, code: string) => character(code, 8))
      .replaceAll(/\\(["'\\/])/g, "$1"),
  (text) =>
    text
      .replaceAll(/&#x([0-9a-f]{1,6});/gi, (_, code: string) => character(code, 16))
      .replaceAll(/&#(\d{1,7});/g, (_, code: string) => character(code, 10)),
  (text) => plainLetters(text),
];

function bytesEscaped(text: string, runs: RegExp): string {
  return text.replaceAll(runs, (run) => {
    const bytes = run.match(/[0-9a-f]{2}/gi) ?? [];
    const [read = run] = textsOfBytes(Uint8Array.from(bytes, (each) => Number.parseInt(each, 16)));
    return read;
  });
}

function character(code: string, base: number): string {
  const value = Number.parseInt(code, base);
  return value <= 0x10_ff_ff ? String.fromCodePoint(value) : "";
}

/**
 * Replaces letters in other forms by the usual ones (`𝟕𝟐` is `72`), and Unicode's invisible tag letters by visible
 * ones.
 */
function plainLetters(text: string): string {
  const tags = text.replaceAll(/[\u{E0020}-\u{E007E}]/gu, (tag) =>
    String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe_00_00),
  );
  return tags.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC");
}

function rewritings(text: string): readonly string[] {
  const isNumber = /^(?:0[xbo][0-9a-f]{1,12}|[01]{3,40})$/i.test(text);
  const isSpaced = /^(?:\S[\s.,|_-])+\S$/.test(text);
  return [
    Array.from(text).toReversed().join(""),
    rotated(text),
    ...(isSpaced ? [text.replaceAll(/(\S)[\s.,|_-]/g, "$1")] : []),
    ...(isNumber ? written(text) : []),
    ...[spelledNumber(text)].flatMap((each) => each ?? []),
  ];
}

/** `0x48` and `0b1001000` are `72`. */
function written(text: string): readonly string[] {
  const value = Number(/^0[xbo]/i.test(text) ? text : `0b${text}`);
  return Number.isFinite(value) ? [String(value)] : [];
}

/** Shifts each letter by half of the alphabet (rot13). */
function rotated(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) =>
    String.fromCharCode(letter.charCodeAt(0) + (letter.toLowerCase() < "n" ? 13 : -13)),
  );
}
