import { deepestNesting, isDeeper, type Json } from "../model/json.ts";
import { parseJsonText, type JsonText } from "./json-text.ts";

/** The reason why JSON that is nested deeper is refused. */
export const tooDeepWords = `it is nested more than ${deepestNesting} levels deep`;

/**
 * Parses a candidate's answer. `JSON.parse` accepts any depth, but later code that walks or writes the value does not:
 * `JSON.stringify` overflows the stack at some thousands of levels, and one answer would end the run.
 */
export function parseAnswer(text: string, needsSource?: (plain: Json) => boolean): JsonText {
  const parsed = parseJsonText(text, needsSource);
  if (parsed.kind === "malformed" || !isTooDeep(parsed.value, text)) return parsed;
  return { kind: "malformed", reason: tooDeepWords, column: undefined };
}

/** True if the value of a text is nested too deeply, which a text with few brackets can't be. */
export function isTooDeep(value: Json, text: string): boolean {
  return hasBrackets(text, deepestNesting) && isDeeper(value, deepestNesting);
}

/** True if a text has more than this number of opening brackets. The search costs a tenth of a walk through the value. */
function hasBrackets(text: string, most: number): boolean {
  let left = most;
  for (const bracket of ["[", "{"])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if ((left -= 1) < 0) return true;
  return false;
}
