import { deepestNesting, isDeeper, type Json } from "../model/json.ts";
import { parseJsonText, type JsonText } from "./json-text.ts";

/** What is wrong with JSON of more levels. */
export const tooDeepWords = `it is nested more than ${deepestNesting} levels deep`;

/**
 * Parses what a candidate answered. `JSON.parse` takes any depth, but nothing that later walks the value or writes it does:
 * `JSON.stringify` runs out of stack at some thousands of levels, and one answer would end the run.
 */
export function parseAnswer(text: string, needsSource?: (plain: Json) => boolean): JsonText {
  const parsed = parseJsonText(text, needsSource);
  if (parsed.kind === "malformed" || !isTooDeep(parsed.value, text)) return parsed;
  return { kind: "malformed", reason: tooDeepWords, column: undefined };
}

/** Whether the value of a text is nested deeper than anybody means. A short text has no room for that. */
export function isTooDeep(value: Json, text: string): boolean {
  return text.length > 2 * deepestNesting && isDeeper(value, deepestNesting);
}
