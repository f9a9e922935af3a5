import { bytesIn, textsOfBytes } from "./bytes.ts";
import { turnedWhole } from "./decodings.ts";

/**
 * Words that may be an encoding: lines of base64, long or padded words, whole texts in quotes, escaped bytes, lists of
 * bytes. The group takes the other long words: without it each of their characters would be tried as a beginning.
 */
const encodedWords =
  /(?:[\w+/-]{40,}={0,2}\r?\n)+[\w+/-]+={0,2}|(?=[\w+/-]*[\dA-Z+/=-])(?:[\w+/-]{16,}={0,2}|[\w+/-]{2,}={1,2})|(?<=["'`])[\w+/-]{2,15}(?=["'`])|(?:\\x[0-9a-fA-F]{2}){2,}|\b\d{2,3}(?:,\s*\d{2,3}){7,}\b|([\w+/-]{16,})/g;
const mostWords = 50_000;

/**
 * Texts that are encoded within a file's text. Each result is the whole file's text, decoded in one way: encoded words
 * decoded in place (beside the originals), reversed, by rot13, without escapes.
 */
export function layersOf(text: string): readonly string[] {
  const joined = joinedStrings(text);
  const known = new Map<string, string>();
  return [joined, ...turnedWhole(joined)].map((each) => decodedInPlace(each, known));
}

/** A text in which strings that go on in the next line, by `+`, by `\\` or by themselves, are one. */
export function joinedStrings(text: string): string {
  return text.replaceAll(
    /(["'`])(?=[\s+\\]*\n)([\s+\\]*)[rbfu]?\1/gi,
    (all, _, between: string) => {
      const isEscape = between.lastIndexOf("\\") > between.lastIndexOf("\n");
      return !isEscape && /^\+?\\?\+?$/.test(between.replaceAll(/\s+/g, "")) ? "" : all;
    },
  );
}

/** `known`: texts found in words before, as most words are the same in several layers. */
function decodedInPlace(text: string, known: Map<string, string>): string {
  let left = mostWords;
  return text.replaceAll(encodedWords, (word, other: string | undefined) => {
    if (other !== undefined) return word;
    left -= 1;
    if (left < 0) return word;
    const found = known.get(word) ?? (/^\d+$/.test(word) ? "" : unwrapped(word));
    known.set(word, found);
    return found === "" ? word : `${word} ${found} `;
  });
}

/** Decodes a word, up to four times in a row, and returns the texts found. */
function unwrapped(word: string): string {
  const found = new Set<string>();
  let layer = [word];
  for (let depth = 0; depth < 4 && layer.length > 0 && found.size < 8; depth += 1) {
    layer = layer.flatMap((each) => bytesIn(each.trim()).flatMap(textsOfBytes));
    for (const each of layer) found.add(each);
  }
  return [...found].join(" ");
}
