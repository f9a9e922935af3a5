import { isJsonObject, numberText, type Json } from "../model/json.ts";

// A sample's line holds its row, the prompt, the target and twice the answer: the original and the extracted one. With
// these limits it stays below `longestLineBytes`, the limit for reading, with 5 MiB for the grader's data.

/** Limit of a row, as JSON. */
export const mostRowBytes = 16 * 1024 * 1024;
/** Limit of a prompt and its target together, as JSON. */
export const mostPromptBytes = 12 * 1024 * 1024;
/** Limit of an answer with its transcript, as JSON (which needs six bytes for a control character). */
export const mostAnswerBytes = 16_000_000;

/**
 * True if the value's JSON takes more than `bytes`. The JSON is only written if the value is large enough to come near.
 */
export function isLargerThan(bytes: number, value: Json): boolean {
  return bytesAtMost(value) > bytes && Buffer.byteLength(JSON.stringify(value)) > bytes;
}

function bytesAtMost(value: Json): number {
  if (typeof value === "string") return 6 * value.length + 2;
  if (Array.isArray(value)) {
    return value.reduce((sum: number, item: Json) => sum + bytesAtMost(item) + 1, 2);
  }
  if (!isJsonObject(value)) return numberText(value)?.length ?? 5;
  let sum = 2;
  for (const [key, item] of Object.entries(value)) sum += bytesAtMost(key) + bytesAtMost(item) + 2;
  return sum;
}
