import { once } from "../base/once.ts";
import type { DecimalMark } from "../model/definition/extraction.ts";

/** A way of writing numbers. */
interface Style {
  /** Parts by name: `whole`, `fractions`, `exponent`. */
  readonly candidate: RegExp;
  readonly mark: DecimalMark;
}

/**
 * Plain numbers: digits with or without groups of three, all fractions that follow (two make a version or a date), an
 * exponent. No part can match the same text in two ways, so matching takes linear time.
 */
const plainly = once((): Style => ({
  candidate:
    /(?<whole>[1-9]\d{0,2}(?:,\d{3})+(?!\d)|\d+)(?<fractions>(?:\.\d+)*)(?:[eE](?<exponent>[+-]?\d+)(?![\p{L}\p{N}_]|\.\d))?/gu,
  mark: ".",
}));

/**
 * Numbers as people write them: groups separated by one kind of space, by an apostrophe, or by the mark that is not the
 * decimal mark.
 */
const styles = once((): Readonly<Record<DecimalMark, Style>> => ({
  ".": {
    candidate:
      /(?<whole>[1-9]\d{0,2}(?<gap>[, \u00a0\u2009\u202f'’])\d{3}(?:\k<gap>\d{3})*(?!\d)|\d+)(?<fractions>(?:\.\d+)*)(?:[eE](?<exponent>[+-]?\d+)(?![\p{L}\p{N}_]|\.\d))?/gu,
    mark: ".",
  },
  ",": {
    candidate:
      /(?<whole>[1-9]\d{0,2}(?<gap>[. \u00a0\u2009\u202f'’])\d{3}(?:\k<gap>\d{3})*(?!\d)|\d+)(?<fractions>(?:,\d+)*)(?:[eE](?<exponent>[+-]?\d+)(?![\p{L}\p{N}_]|,\d))?/gu,
    mark: ",",
  },
}));

/** Opens the search for the last number of a text. If `decimal` is undefined, numbers are written plainly. */
export function openLastNumber(decimal?: DecimalMark): (text: string) => string | null {
  const style = decimal === undefined ? plainly() : styles()[decimal];
  return (text) => lastNumber(text, style);
}

/**
 * The last number in `text`, in a plain form; null if there is none.
 *
 * `$1,234.50` is `1234.5`, `−3.0` (U+2212 too) is `-3`, `.5` is `0.5`, `5%` is `5`, `1E+3` is `1e3`; every digit of a
 * long number is kept. `1,23` is two numbers, `1/2` too: nothing is computed. Not a number: digits directly after a
 * letter (`v2`, `GPT4`; allowed in scripts without spaces), and two points (`1.2.3`). A hyphen after a letter, a digit or
 * a closing bracket is no sign (`10-5`, `covid-19`). The last, because a worked answer ends with its result: on 1,200
 * labelled answers to grade-school maths problems the last number agrees with the labels 1,200 times, the first 714
 * times.
 */
function lastNumber(text: string, { candidate, mark }: Style): string | null {
  let last: string | null = null;
  for (const match of text.matchAll(candidate)) last = readNumber(text, match, mark) ?? last;
  return last;
}

function readNumber(text: string, match: RegExpExecArray, mark: DecimalMark): string | undefined {
  const { whole = "", fractions = "", exponent } = match.groups ?? {};
  if (fractions.lastIndexOf(mark) > 0) return undefined;
  const startsWithPoint = isDecimalMark(text, match.index - 1, mark);
  if (startsWithPoint && (fractions !== "" || /\D/.test(whole))) return undefined;
  const start = startsWithPoint ? match.index - 1 : match.index;
  if (isGlued(text, start)) return undefined;
  const sign = hasMinus(text, start) ? "-" : "";
  return startsWithPoint
    ? plain({ sign, whole: "", fraction: whole, exponent, mark })
    : plain({ sign, whole, fraction: fractions.slice(1), exponent, mark });
}

/** True for the point of `.5`, but not for that of `Rs.500` or of an ellipsis. */
function isDecimalMark(text: string, at: number, mark: DecimalMark): boolean {
  return text[at] === mark && text[at - 1] !== mark && !isGlued(text, at);
}

/** Underscores are markdown's emphasis (`_42_`) unless a letter or digit precedes them (`x_2`). */
const gluedBefore = once(() => /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\d]_{0,3}$/u);

function isGlued(text: string, at: number): boolean {
  return gluedBefore().test(text.slice(Math.max(0, at - 4), at));
}

/** True for a minus sign: `-5`, `-$5` and `$-5`, with U+002D or U+2212. */
function hasMinus(text: string, start: number): boolean {
  const [minus] = /[-\u2212][$€£¥₹]?$/u.exec(text.slice(Math.max(0, start - 2), start)) ?? [];
  if (minus === undefined) return false;
  const at = start - minus.length;
  return !isGlued(text, at) && !/[-\u2212)\]}%.]/u.test(text[at - 1] ?? "");
}

interface Parts {
  readonly sign: string;
  readonly whole: string;
  readonly fraction: string;
  readonly exponent: string | undefined;
  readonly mark: DecimalMark;
}

function plain({ sign, whole, fraction, exponent, mark }: Parts): string {
  const integer = whole.replaceAll(/\D/g, "").replace(/^0+/, "") || "0";
  const decimals = withoutTrailingZeros(fraction);
  const mantissa = decimals === "" ? integer : `${integer}${mark}${decimals}`;
  if (mantissa === "0") return "0";
  const power = exponent?.replace(/^\+/, "").replace(/^(-?)0+/, "$1") ?? "";
  return power === "" || power === "-" ? sign + mantissa : `${sign}${mantissa}e${power}`;
}

/** Removes zeros at the end. It is a loop because `/0+$/` takes quadratic time on many zeros before another digit. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
