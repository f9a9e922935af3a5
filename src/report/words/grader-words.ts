import { errorLine, messagePattern } from "../../base/error-line.ts";
import type { BrokenCase } from "../../model/outcomes/broken.ts";
import { callFaults } from "./call-reasons.ts";
import { judgeParts, type JudgePart } from "./judge-parts.ts";
import type { JsonObject } from "../../model/json.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import type { SampleError } from "../../model/outcomes/sample.ts";

/**
 * The grader's message, or the error, for a sample. If several graders scored it, only those that explain `metric` have
 * a say; without a metric all of them, each after its name.
 */
export function graderWords(after: BrokenCase["after"], metric?: string): string {
  if (after.error) return errorWords(after.error);
  const judge = after.judge ?? {};
  const parts = judgeParts(judge, after.scores ?? {}, metric);
  if (parts !== undefined) return severalWords(parts, metric);
  return detailWords(judge, metric) || (after.printed ?? "");
}

function severalWords(parts: readonly JudgePart[], metric: string | undefined): string {
  const told = parts.flatMap(({ name, judge }) => {
    const words = detailWords(judge, metric);
    return words === "" ? [] : [{ name, words }];
  });
  const [only] = told;
  if (only?.name === metric?.split(".")[0]) return only?.words ?? "";
  return told.map(({ name, words }) => `${name}: ${words}`).join("\n");
}

/**
 * A grader may return any fields besides its scores: a field named like an explanation, or its only text, is used;
 * otherwise all fields. The reason of one scale of a judge is that of its metric.
 */
function detailWords(judge: JsonObject, metric: string | undefined): string {
  const faults = callFaults(judge);
  if (faults !== undefined) return faults;
  const texts = Object.entries(judge).filter((field): field is [string, string] =>
    isText(field[1]),
  );
  const own = `${metric?.split(".").at(-1)}_reasoning`;
  const explained = [own, ...explanations].flatMap((key) => texts.filter(([name]) => name === key));
  const [, words] = explained[0] ?? (texts.length === 1 ? texts[0] : undefined) ?? [];
  if (words !== undefined) return words;
  return Object.keys(judge).length > 0 ? JSON.stringify(judge) : "";
}

/** Types of errors that add nothing to their message. */
const plainTypes = ["exit_code", "exception", "recording_left_out", "error"];

function errorWords({ type, message }: SampleError): string {
  const { text } = errorLine(message);
  if (text === "") return type;
  return plainTypes.includes(type) ? text : `${type}: ${text}`;
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
}

/** The grader's message for a broken case, or its error; undefined if there is neither. */
export function spokenReason({ after, metric }: BrokenCase): Reason | undefined {
  // A grader's message does not concern time, tokens and cost.
  if (isSampleMetric(metric) && !after.error) return undefined;
  const words = graderWords(after, metric).trim();
  return words === "" ? undefined : { key: kindOf(after, words), words };
}

function kindOf({ error }: BrokenCase["after"], words: string): string {
  return error ? `${error.type}: ${errorLine(error.message).kind}` : messagePattern(words);
}

/** The common words of cases of one kind: quotes and numbers that differ are left out. */
export function sharedWords(reasons: readonly Reason[]): string {
  const [first] = reasons;
  if (first === undefined) return "";
  if (reasons.every(({ words }) => words === first.words)) return first.words;
  const all = reasons.map(({ words }) => words.split(changeable));
  const parts = (all[0] ?? []).map((part, i) =>
    all.every((some) => some[i] === part) ? part : changeable.test(part) ? "…" : undefined,
  );
  const shared = parts.includes(undefined) ? "" : parts.join("");
  const wordsLeft = shared.match(/\p{L}{2,}/gu)?.length ?? 0;
  return wordsLeft < fewestWords ? `${first.words} (and alike)` : shared;
}

/** A quote or a number. */
const changeable = /("[^"]*"|(?<!\w)'[^']*'|`[^`]*`|\d+(?:[.,]\d+)*)/;

/** With fewer words in common, an example says more than they do. */
const fewestWords = 3;
