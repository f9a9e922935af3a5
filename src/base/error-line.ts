import { cutText } from "./cut-text.ts";

/** Summary of an error: `KeyError: 'order' at app.py:41`. */
interface ErrorLine {
  readonly text: string;
  /** Equal for errors of one kind and place, whatever values they quote. */
  readonly kind: string;
  /** True for a traceback or a stack: a program raised the error. */
  readonly thrown: boolean;
}

const longestLine = 300;

/** The reason why cases are not sent to a worker any more. Whether these cases would crash it is unknown. */
export function notAsked(fruitless: number): string {
  return `${fruitless} processes in a row ended without an answer, so no more are started`;
}

/** The reason alone, if a message says that the worker is not called any more. */
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

/** An error message without the parts that differ from case to case: quotes, numbers, addresses, white space. */
export function messagePattern(message: string): string {
  return message
    .slice(0, longestLine)
    .replaceAll(/"[^"]*"|(?<!\w)'[^']*'|`[^`]*`/g, "…")
    .replaceAll(/\b0x[\da-f]+\b|\d+/gi, "0")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Limit of a message that is examined; its end is kept, because the reason is there. */
const longestMessage = 16_384;

function isSaid(line: string): boolean {
  return line.trim() !== "";
}

interface Thrown {
  readonly error: string;
  readonly place: string | undefined;
}

const frame = /^\s+File "([^"]+)", line (\d+)/;

/** The last of chained Python exceptions. */
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

/** The file's name without its folder, which differs from machine to machine. */
function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

function clip(text: string): string {
  return text.length > longestLine ? `${cutText(text, longestLine)}…` : text;
}
