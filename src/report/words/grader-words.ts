import { errorLine, messagePattern } from "../../base/error-line.ts";
import type { BrokenCase } from "../../model/broken.ts";

/**
 * The grader's words, or the error, for a sample. A grader may return any fields besides its scores: a field named like
 * an explanation, or its only text, is used; else all fields.
 */
export function graderWords(after: BrokenCase["after"]): string {
  if (after.error) return `${after.error.type}: ${errorLine(after.error.message).text}`;
  const judge = after.judge ?? {};
  const texts = Object.entries(judge).filter((field): field is [string, string] =>
    isText(field[1]),
  );
  const explained = explanations.flatMap((key) => texts.filter(([name]) => name === key));
  const [, words] = explained[0] ?? (texts.length === 1 ? texts[0] : undefined) ?? [];
  if (words !== undefined) return words;
  return Object.keys(judge).length > 0 ? JSON.stringify(judge) : (after.printed ?? "");
}

const explanations = [
  "explanation",
  "reason",
  "reasoning",
  "rationale",
  "feedback",
  "note",
  "comment",
  "message",
  "error",
];

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Why a case got worse, in a form that cases of one kind share. */
export interface Reason {
  /** Equal for cases of one kind. */
  readonly key: string;
  readonly words: string;
  /** True if made from target and answer, because the grader gives no words. */
  readonly isMade: boolean;
}

/** Answers up to this length, in UTF-16 units, are shown next to the target. */
const longestAnswer = 40;

/** The grader's words for a broken case; without them, target and answer. undefined: nothing is known. */
export function breakReasonOf({ target, after }: BrokenCase): Reason | undefined {
  const words = graderWords(after).trim();
  if (words !== "") return { key: kindOf(after, words), words, isMade: false };
  const got = after.extracted ?? after.output;
  if (typeof target !== "string" || got === undefined) return undefined;
  if (got === null || got.trim() === "")
    return generatedReason("no answer was found in the output");
  const pair = [target.trim(), got.trim()];
  if (pair.some((text) => text.length > longestAnswer || text.includes("\n"))) return undefined;
  return generatedReason(`expected ${JSON.stringify(pair[0])}, got ${JSON.stringify(pair[1])}`);
}

function kindOf({ error }: BrokenCase["after"], words: string): string {
  return error ? `${error.type}: ${errorLine(error.message).kind}` : messagePattern(words);
}

function generatedReason(words: string): Reason {
  return { key: `made: ${words}`, words, isMade: true };
}

/** The common words of cases of one kind: differing parts are left out. */
export function sharedWords(reasons: readonly Reason[]): string {
  const [first] = reasons;
  if (first === undefined) return "";
  if (reasons.every(({ words }) => words === first.words)) return first.words;
  const shared = first.words.replaceAll(/"[^"]*"|'[^']*'|`[^`]*`|\d+(?:[.,]\d+)*/g, "…");
  const wordsLeft = shared.match(/\p{L}{2,}/gu)?.length ?? 0;
  return wordsLeft < fewestWords ? `${first.words} (and alike)` : shared;
}

/** Fewer words than these say too little: an example says more. */
const fewestWords = 3;
