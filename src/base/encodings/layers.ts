import { bytesIn, textsOfBytes } from "./bytes.ts";
import { turnedWhole } from "./decodings.ts";

/**
 * Words that may be an encoding: lines of base64, long or padded words, whole texts in quotes, escaped bytes, lists of
 * bytes.
 */
const encodedWords =
  /(?:[\w+/-]{40,}={0,2}\r?\n)+[\w+/-]+={0,2}|(?=[\w+/-]*[\dA-Z+/=-])(?:[\w+/-]{16,}={0,2}|[\w+/-]{2,}={1,2})|(?<=["'`])[\w+/-]{2,15}(?=["'`])|(?:\\x[0-9a-fA-F]{2}){2,}|\b\d{2,3}(?:,\s*\d{2,3}){7,}\b/g;
const mostWords = 50_000;

/**
 * Texts that are encoded within a file's text. Each result is the whole file's text, decoded in one way: encoded words
 * decoded in place (beside the originals), reversed, by rot13, without escapes.
 */
export function layersOf(text: string): readonly string[] {
  const joined = text.replaceAll(/(["'`])\s*\+?\\?\s*\r?\n\s*\+?\s*\1/g, "");
  return [joined, ...turnedWhole(joined)].map(decodedInPlace);
}

function decodedInPlace(text: string): string {
  let left = mostWords;
  return text.replaceAll(encodedWords, (word) => {
    left -= 1;
    if (left < 0) return word;
    const found = /^\d+$/.test(word) ? "" : unwrapped(word);
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
