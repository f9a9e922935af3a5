import { normalizeNewlines, strip, stripOrNull } from "./text.ts";

/**
 * An answer without the noise around it; null if nothing is left. Removed, in this order: a leading `<think>…</think>`
 * that is closed (several, if several lead), trailing special tokens of a chat template (`<|im_end|>`), and one code
 * fence around the whole text. An open `<think>` stays: the answer was cut off, and the thoughts are all there is.
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
 * End tokens as chat templates write them: ChatML and Llama (`<|eot_id|>`), DeepSeek (full-width bars),
 * Gemma (`<end_of_turn>`, `<eos>`), Llama 2 and Mistral (`</s>`).
 */
const specialToken = /(?:<\|[^|<>\s]{1,64}\|>|<｜[^｜<>\s]{1,64}｜>|<end_of_turn>|<eos>|<\/s>)$/;
const longestToken = 68;

function withoutSpecialTokens(text: string): string {
  // `<s>…</s>` is HTML's strikethrough, and its end is then no token.
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

/** A fence as in CommonMark: three backticks or more, closed by at least as many on a line of their own. */
function withoutFence(text: string): string {
  const fence = /^(`{3,})[^`\n]*\n/.exec(text);
  if (fence === null) return text;
  const [opening, backticks = ""] = fence;
  const lastLine = text.lastIndexOf("\n");
  const isClose = (line: string): boolean => line.startsWith(backticks) && /^`+\s*$/.test(line);
  if (!isClose(text.slice(lastLine + 1))) return text;
  const inside = text.slice(opening.length, Math.max(opening.length, lastLine));
  // Closed before its end: there are several fences, and none is around the whole.
  return inside.split("\n").some(isClose) ? text : inside;
}
