import { lower } from "./told-answer.ts";

/** Words and numbers, of a text in small letters. */
export const word = /[\p{L}\p{N}]{2,}/gu;

/** Longer texts are searched for lists up to here. */
const longestText = 1 << 20;

/** The parts of a text that may be answers, each kind in the text's order. */
interface TextParts {
  /** Texts in quotes, without these. */
  readonly quoted: readonly string[];
  readonly words: readonly string[];
  /** The text cut at line ends, commas and other separators of tables. */
  readonly cells: readonly string[];
}

/** Cuts a text into what may be answers. */
export function partsOf(text: string): TextParts {
  const part = text.slice(0, longestText);
  const quotes = part.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n]){0,200})\1/g);
  return {
    quoted: Array.from(quotes, ([, , inner = ""]) => inner),
    words: part.match(/[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu) ?? [],
    cells: part.split(/[\n,;|\t]+/),
  };
}

/** The words that occur in what one case alone asks, with that case's position. */
export function ownersOf(
  cases: readonly { readonly asked: readonly string[] }[],
): ReadonlyMap<string, number> {
  const owners = new Map<string, number>();
  for (const [i, { asked }] of cases.entries())
    for (const found of new Set(lower(asked.join("\n")).match(word)))
      owners.set(found, owners.has(found) ? shared : i);
  return new Map([...owners].filter(([, owner]) => owner !== shared));
}

const shared = -1;
