import { once } from "./once.ts";

/** A part of a pattern: a literal character, a special one, or a class of characters. */
export type Token =
  | { readonly kind: "literal"; readonly character: string }
  | { readonly kind: "special"; readonly character: string }
  | { readonly kind: "class"; readonly test: (character: string) => boolean };

/** Splits a pattern into tokens; a backslash makes the next character literal. */
export function tokenize(pattern: string): readonly Token[] {
  const characters = Array.from(pattern);
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const next = characters[at + 1];
    const found = character === "[" ? readClass(characters, at) : undefined;
    if (character === "\\" && next !== undefined) {
      tokens.push({ kind: "literal", character: next });
      at += 1;
    } else if (found !== undefined) {
      tokens.push({ kind: "class", test: found.test });
      at = found.end;
    } else {
      const kind = "*?{},()|!+@/".includes(character) ? "special" : "literal";
      tokens.push({ kind, character });
    }
  }
  return tokens;
}

const namedClasses = once((): Readonly<Record<string, RegExp>> => ({
  alnum: /[\p{L}\p{Nl}\p{Nd}]/u,
  alpha: /[\p{L}\p{Nl}]/u,
  blank: /[\p{Zs}\t]/u,
  cntrl: /\p{Cc}/u,
  digit: /\p{Nd}/u,
  lower: /\p{Ll}/u,
  punct: /\p{P}/u,
  space: /\s/u,
  upper: /\p{Lu}/u,
  word: /[\p{L}\p{Nl}\p{Nd}\p{Pc}]/u,
  xdigit: /[A-Fa-f0-9]/,
}));

/**
 * Reads a class: `[a-z]`, `[!a-z]`, `[[:digit:]]`; a `]` in first place is literal. Undefined if the bracket is not
 * closed.
 */
function readClass(
  characters: readonly string[],
  open: number,
): { readonly test: (character: string) => boolean; readonly end: number } | undefined {
  const isNegated = ["!", "^"].includes(characters[open + 1] ?? "");
  const start = open + (isNegated ? 2 : 1);
  const tests: ((character: string) => boolean)[] = [];
  for (let at = start; at < characters.length; at += 1) {
    if (characters[at] === "]" && at > start) {
      const test = (character: string): boolean =>
        tests.some((each) => each(character)) !== isNegated;
      return { test, end: at };
    }
    const named = readNamedClass(characters, at);
    const range = named ?? readRange(characters, at);
    tests.push(range.test);
    at = range.end;
  }
  return undefined;
}

function readNamedClass(
  characters: readonly string[],
  at: number,
): { readonly test: (character: string) => boolean; readonly end: number } | undefined {
  if (characters[at] !== "[" || characters[at + 1] !== ":") return undefined;
  const name = /^\[:([a-z]{1,6}):\]/.exec(characters.slice(at, at + 10).join(""))?.[1];
  const regex = name === undefined ? undefined : namedClasses()[name];
  if (name === undefined || regex === undefined) return undefined;
  return { test: (character) => regex.test(character), end: at + name.length + 3 };
}

function readRange(
  characters: readonly string[],
  at: number,
): { readonly test: (character: string) => boolean; readonly end: number } {
  const low = readOne(characters, at);
  const isRange = characters[low.end + 1] === "-" && (characters[low.end + 2] ?? "]") !== "]";
  if (!isRange) return { test: (character) => character === low.character, end: low.end };
  const high = readOne(characters, low.end + 2);
  const [from, to] = [low.character, high.character].map((each) => each.codePointAt(0) ?? 0);
  const test = (character: string): boolean => {
    const code = character.codePointAt(0) ?? 0;
    return code >= (from ?? 0) && code <= (to ?? 0);
  };
  return { test, end: high.end };
}

function readOne(
  characters: readonly string[],
  at: number,
): { readonly character: string; readonly end: number } {
  const isEscaped = characters[at] === "\\" && characters[at + 1] !== undefined;
  return { character: characters[isEscaped ? at + 1 : at] ?? "", end: isEscaped ? at + 1 : at };
}
