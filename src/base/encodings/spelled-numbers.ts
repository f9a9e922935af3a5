import { ownValue } from "../../model/own-value.ts";
const small = [
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
  "sixteen seventeen eighteen nineteen",
]
  .join(" ")
  .split(" ");
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const large: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

/**
 * The number that English words or a Roman numeral spell, in digits: `seventy-two` is `72`; undefined if they spell
 * none.
 */
export function spelledNumber(text: string): string | undefined {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  if (words.length === 0 || words.length > 30 || /\d/.test(text)) return undefined;
  return fromWords(words) ?? fromRoman(text.trim());
}

function fromWords(words: readonly string[]): string | undefined {
  const [first, ...others] = words;
  if (first === "minus" || first === "negative") {
    const value = fromWords(others);
    return value === undefined ? undefined : `-${value}`;
  }
  const digits = words.map((word) => small.indexOf(word));
  // `seven two` is read digit by digit.
  if (digits.length > 1 && digits.every((digit) => digit >= 0 && digit < 10))
    return digits.join("");
  const counted = words.filter((word, at) => word !== "and" || at === 0);
  const read = counted.reduce<Read | undefined>(addWord, { total: 0, group: 0 });
  return read === undefined || counted.length === 0 ? undefined : String(read.total + read.group);
}

interface Read {
  readonly total: number;
  /** The part of the number below the next thousand. */
  readonly group: number;
}

function addWord(read: Read | undefined, word: string): Read | undefined {
  if (read === undefined) return undefined;
  const { total, group } = read;
  const [unit, ten, scale] = [small.indexOf(word), tens.indexOf(word), ownValue(large, word)];
  if (unit >= 0) return { total, group: group + unit };
  if (ten >= 0) return { total, group: group + (ten + 2) * 10 };
  if (word === "hundred") return { total, group: (group || 1) * 100 };
  return scale === undefined ? undefined : { total: total + (group || 1) * scale, group: 0 };
}

const roman = /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;
const signs: Readonly<Record<string, number>> = {
  I: 1,
  V: 5,
  X: 10,
  L: 50,
  C: 100,
  D: 500,
  M: 1000,
};

function fromRoman(text: string): string | undefined {
  if (text === "" || !roman.test(text)) return undefined;
  const values = Array.from(text).map((sign) => signs[sign] ?? 0);
  const sum = values.reduce((all, one, at) => all + (one < (values[at + 1] ?? 0) ? -one : one), 0);
  return String(sum);
}
