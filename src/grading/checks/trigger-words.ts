import type { JsonObject } from "../../model/json.ts";
import type { CheckOpened, CheckResult } from "./checked.ts";
import { textOption, textsIn } from "./options.ts";

/** Default threshold: the share of words from which on a prompt counts as meant for the skill. */
const usualThreshold = 0.6;
/** Shorter words are ignored. In bytes, as waza counts them. */
const leastBytes = 3;

/** Words that are ignored because every prompt has some of them. */
const stopWords: ReadonlySet<string> = new Set(
  "about all and any are but can for from get had has have how into let not out should that the this too using was were what where why with you your".split(
    " ",
  ),
);

/** Checks whether a prompt should trigger a skill, by the words that both have and by the closest of the skill's phrases. */
export function openTriggerWords(options: JsonObject): CheckOpened {
  const phrases = textsIn(options["phrases"]).filter((phrase) => phrase.trim() !== "");
  const text = textOption(options["text"]) ?? "";
  const known = new Set([text, ...phrases].flatMap(wordsOf));
  if (known.size === 0) return { fault: "neither `text` nor `phrases` has a word to look for" };
  const { threshold: written } = options;
  const threshold = typeof written === "number" ? written : usualThreshold;
  const isFor = options["mode"] !== "negative";
  return {
    check: ({ prompt }) => {
      const words = new Set(wordsOf(prompt));
      const matched = [...words].filter((word) => known.has(word));
      const share = words.size === 0 ? 0 : matched.length / words.size;
      const phrase = words.size === 0 ? 0 : closest(prompt, words, phrases);
      const details = { matched_keywords: matched, phrase_score: phrase, threshold };
      return { ...resultOf(Math.max(share, phrase), threshold, isFor), details };
    },
  };
}

/** A prompt that is not for the skill passes below the threshold; its score stays what it is. */
function resultOf(score: number, threshold: number, isFor: boolean): CheckResult {
  const isReached = score >= threshold;
  const compared = `(score ${score.toFixed(2)} ${isReached ? ">=" : "<"} ${threshold.toFixed(2)})`;
  const said = isFor
    ? ["Prompt is not trigger-aligned enough", "Prompt is trigger-aligned"]
    : ["Prompt correctly treated as non-trigger", "Prompt appears trigger-aligned unexpectedly"];
  return {
    score,
    passed: isReached === isFor,
    feedback: `${said[isReached ? 1 : 0]} ${compared}`,
  };
}

/** 1 if the prompt contains a phrase literally; otherwise the largest share of a phrase's words that the prompt has. */
function closest(prompt: string, words: ReadonlySet<string>, phrases: readonly string[]): number {
  const whole = prompt.toLowerCase();
  const shares = phrases.map((phrase) => {
    if (whole.includes(phrase.trim().toLowerCase())) return 1;
    const own = wordsOf(phrase);
    return own.length === 0 ? 0 : own.filter((word) => words.has(word)).length / own.length;
  });
  return Math.max(0, ...shares);
}

function wordsOf(text: string): readonly string[] {
  const encoder = new TextEncoder();
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => encoder.encode(word).length >= leastBytes && !stopWords.has(word));
}
