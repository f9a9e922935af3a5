import { normalizeNewlines, strip, stripOrNull } from "./text.ts";

/**
 * Removes the noise around an answer; null if nothing is left. Removed are, in this order: leading closed
 * `<think>…</think>` blocks, trailing special tokens of a chat template (`<|im_end|>`), and one code fence around the
 * whole text. An open `<think>` stays: the answer was cut off, and the thoughts are all there is.
 */
export function clean(outputText: string): string | null {
  const text = strip(normalizeNewlines(outputText));
  return stripOrNull(withoutFence(withoutMarks(text)));
}

/** Removes the tokens that a chat template puts before and after an answer. */
export function withoutMarks(text: string): string {
  return withoutSpecialTokens(withoutThinking(text));
}

const thinkOpen = "<think>";
const thinkClose = "</think>";

function withoutThinking(text: string): string {
  let rest = text;
  while (rest.startsWith(thinkOpen)) {
    const close = rest.indexOf(thinkClose, thinkOpen.length);
    if (close === -1) return rest;
    rest = strip(rest.slice(close + thinkClose.length));
  }
  return rest;
}

/**
 * End tokens of chat templates: ChatML and Llama (`<|eot_id|>`), DeepSeek (full-width bars), Gemma (`<end_of_turn>`,
 * `<eos>`), Llama 2 and Mistral (`</s>`).
 */
const specialToken = /(?:<\|[^|<>\s]{1,64}\|>|<｜[^｜<>\s]{1,64}｜>|<end_of_turn>|<eos>|<\/s>)$/;
const longestToken = 68;

function withoutSpecialTokens(text: string): string {
  // `<s>…</s>` is HTML's strikethrough; then `</s>` is no token.
  const struck = text.includes("<s>");
  let rest = text;
  while (rest.endsWith(">")) {
    // Only the end is searched: a pattern without an anchor at its start is slow on long texts.
    const [token] = specialToken.exec(rest.slice(-longestToken)) ?? [];
    if (token === undefined || (token === "</s>" && struck)) return rest;
    rest = strip(rest.slice(0, -token.length));
  }
  return rest;
}

/** Removes a fence by CommonMark's rule: three backticks or more, closed by at least as many on a separate line. */
function withoutFence(text: string): string {
  const fence = /^(`{3,})[^`\n]*\n/.exec(text);
  if (fence === null) return text;
  const [opening, backticks = ""] = fence;
  const lastLine = text.lastIndexOf("\n");
  const isClose = (line: string): boolean => line.startsWith(backticks) && /^`+\s*$/.test(line);
  if (!isClose(text.slice(lastLine + 1))) return text;
  const inside = text.slice(opening.length, Math.max(opening.length, lastLine));
  // If the fence is closed earlier, there are several fences, and none encloses the whole.
  return inside.split("\n").some(isClose) ? text : inside;
}
