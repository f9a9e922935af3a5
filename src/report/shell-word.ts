import { clip } from "./escape.ts";

/** A path as a word for a POSIX shell that no command reads as an option. */
export function shellWord(text: string): string {
  return quoteWord(text.startsWith("-") ? `./${text}` : text);
}

/** A word for a POSIX shell. Pasting it must not execute any part of a name. */
export function quoteWord(text: string): string {
  const word = clip(text, 500);
  return /^[\w%+=:,./@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
