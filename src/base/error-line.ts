import { cutText } from "./cut-text.ts";

/** Summary of an error: `KeyError: 'order' at app.py:41`. */
interface ErrorLine {
  readonly text: string;
  /** Equal for errors of one kind and place, whatever they quote. */
  readonly kind: string;
  /** A traceback or a stack: a program threw it. */
  readonly thrown: boolean;
}

const longestLine = 300;

/** Why a worker is not asked any more: of these cases it is not known whether they would crash. */
export function notAsked(fruitless: number): string {
  return `${fruitless} processes in a row ended without an answer, so no more are started`;
}

/** Only the reason, if a message says that the worker was not asked any more. */
export function notAskedIn(message: string): string | undefined {
  const found = /^(\d+) processes in a row /.exec(message)?.[1];
  const reason = notAsked(Number(found));
  return message.startsWith(reason) ? reason : undefined;
}

/**
 * The line of an error message that tells what happened: the end and the innermost place of a Python traceback, the head
 * and the outermost frame of a JavaScript stack; else the last line, with the exit reason that precedes it.
 */
export function errorLine(message: string): ErrorLine {
  const lines = message
    .slice(-longestMessage)
    .split(/\r?\n|\r/)
    .filter(isSaid);
  const thrown = pythonError(lines) ?? scriptError(lines);
  if (thrown === undefined) return plain(message, lines);
  const { error, place } = thrown;
  const name = /^[\w.]+/.exec(error)?.[0] ?? error;
  const at = place === undefined ? "" : ` at ${place}`;
  return {
    text: clip(error) + at,
    kind: `${name}${place === undefined ? messagePattern(error) : at}`,
    thrown: true,
  };
}

/** An error message without the parts that differ from case to case: quotes, numbers, white space. */
export function messagePattern(message: string): string {
  return message
    .slice(0, longestLine)
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, "…")
    .replaceAll(/\d+/g, "0")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The reason is at the end. */
const longestMessage = 16_384;

function isSaid(line: string): boolean {
  return line.trim() !== "";
}

interface Thrown {
  readonly error: string;
  readonly place: string | undefined;
}

const frame = /^\s+File "([^"]+)", line (\d+)/;

/** The last one of chained exceptions. */
function pythonError(lines: readonly string[]): Thrown | undefined {
  const last = lines.findLastIndex((line) => frame.test(line));
  if (last === -1) return undefined;
  const error = lines.slice(last + 1).find((line) => !/^\s/.test(line));
  if (error === undefined) return undefined;
  const [, file = "", line = ""] = frame.exec(lines[last] ?? "") ?? [];
  return { error: error.trim(), place: `${fileName(file)}:${line}` };
}

const stackFrame = /^\s+at (?:.*\()?([^()\s]+):(\d+):\d+\)?$/;

function scriptError(lines: readonly string[]): Thrown | undefined {
  const first = lines.findIndex((line) => stackFrame.test(line));
  const error = lines
    .slice(0, Math.max(0, first))
    .findLast((line) => /^(?:Uncaught )?\w*(?:Error|Exception)\b/.test(line));
  if (error === undefined) return undefined;
  const [, file = "", line = ""] = stackFrame.exec(lines[first] ?? "") ?? [];
  return { error: error.trim(), place: `${fileName(file)}:${line}` };
}

function plain(message: string, lines: readonly string[]): ErrorLine {
  const last = (lines.at(-1) ?? "").trim();
  const head =
    lines.length > 1 ? /^(?:ended|exit code|no answer)[^:\n]*/.exec(message)?.[0] : undefined;
  const text = clip(head === undefined ? last : `${head}: ${last}`);
  return { text, kind: messagePattern(text), thrown: false };
}

/** Paths differ from machine to machine. */
function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

function clip(text: string): string {
  return text.length > longestLine ? `${cutText(text, longestLine)}…` : text;
}
