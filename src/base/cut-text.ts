import { once } from "./once.ts";

const characters = once(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/** UTF-16 units examined on both sides of a cut: no character that a reader knows is longer. */
const longestCharacter = 64;

/**
 * The first `max` UTF-16 units of a text, or a little less: never a part of what a reader takes for one character (a pair
 * of surrogates, a letter with its marks, emoji that are joined, a flag).
 */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, characterAt(text, max).start);
}

/** The last `max` UTF-16 units of a text, or a little less. */
export function cutTextStart(text: string, max: number): string {
  const at = text.length - max;
  if (at <= 0) return text;
  const { start, end } = characterAt(text, at);
  return text.slice(start === at ? at : end);
}

/** Start and end of the character that contains the unit `at`. */
function characterAt(text: string, at: number): { readonly start: number; readonly end: number } {
  const from = Math.max(0, at - longestCharacter);
  const found = characters()
    .segment(text.slice(from, at + longestCharacter))
    .containing(at - from);
  const start = from + (found?.index ?? at - from);
  const end = start + (found?.segment.length ?? 1);
  if (start > from || from === 0) return { start, end };
  // So many marks that no end was found: keep only a surrogate pair whole.
  const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1));
  return isPair ? { start: at - 1, end: at + 1 } : { start: at, end: at + 1 };
}
