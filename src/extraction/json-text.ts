import { parseAnswer } from "../base/answer-json.ts";
import { deepestNesting, type Json } from "../model/json.ts";
import type { ExtractionRepair } from "../model/outcomes/sample.ts";
import { withoutMarks } from "./none.ts";
import { strip } from "./text.ts";

interface Found {
  readonly value: Json;
  readonly repairs: readonly ExtractionRepair[];
}

/**
 * The JSON in an answer, or null. The whole answer is tried first, then its code fences, then the objects and lists in
 * its text; each unchanged, then without trailing commas. Nothing else is repaired: a truncated answer, or one with wrong
 * quotation marks, is not JSON. `repairs` lists the repairs.
 */
export function readJson(outputText: string): Found | null {
  const whole = strip(outputText);
  const bare = withoutMarks(whole);
  return (
    parse(whole, []) ??
    (bare === whole ? null : parse(bare, ["text_around"])) ??
    inFences(bare, bare === whole ? [] : ["text_around"]) ??
    inText(bare)
  );
}

type Repairs = readonly ExtractionRepair[];

function parse(text: string, repairs: Repairs): Found | null {
  const parsed = parseAnswer(text);
  if (parsed.kind === "json") return { value: parsed.value, repairs };
  const mended = withoutTrailingCommas(text);
  const again = mended === text ? parsed : parseAnswer(mended);
  return again.kind === "json"
    ? { value: again.value, repairs: [...repairs, "trailing_comma"] }
    : null;
}

/** Limit of the fences examined; an answer of a megabyte may have 100,000. */
const mostFences = 100;

/** The last fence with JSON, because an answer that quotes the requested form ends with its own. */
function inFences(text: string, repairs: Repairs): Found | null {
  for (const { inside, isWhole } of fencesIn(text).slice(-mostFences).toReversed()) {
    const around: Repairs = isWhole ? repairs : ["text_around"];
    const found = parse(strip(inside), [...around, "code_fence"]);
    if (found !== null && (isWhole || isCollection(found.value))) return found;
  }
  return null;
}

interface Fence {
  readonly inside: string;
  /** True if nothing precedes or follows it. */
  readonly isWhole: boolean;
}

/** Fences as in CommonMark, with any info string; an unclosed one does not count. */
function fencesIn(text: string): readonly Fence[] {
  const lines = text.split(/\r\n?|\n/);
  const fences: Fence[] = [];
  let open: { readonly marks: string; readonly line: number } | undefined;
  for (const [line, written] of lines.entries()) {
    const [, marks = "", rest = ""] = /^\s*(`{3,}|~{3,})(.*)$/.exec(written) ?? [];
    if (open === undefined) open = marks === "" ? undefined : { marks, line };
    else if (marks.startsWith(open.marks) && rest.trim() === "") {
      const inside = lines.slice(open.line + 1, line).join("\n");
      fences.push({ inside, isWhole: open.line === 0 && line === lines.length - 1 });
      open = undefined;
    }
  }
  return fences;
}

/**
 * Limits of the characters that are examined, so that unclosed brackets, and thousands of brackets without JSON, do not
 * take for ever.
 */
const looks = { always: 1_000_000, perCharacter: 20, perTry: 1000 };

/**
 * The last object in a text, or else the last list. An object is preferred because `[1]` is more often a footnote than
 * an answer.
 */
function inText(text: string): Found | null {
  let object: Found | null = null;
  let list: Found | null = null;
  let left = looks.always + looks.perCharacter * text.length;
  for (let at = text.search(/[[{]/); at !== -1 && left > 0; at = openingBracket(text, at)) {
    const span = spanFrom(text, at);
    left -= looks.perTry + span.end - at;
    const found = span.isClosed ? parse(text.slice(at, span.end), ["text_around"]) : null;
    if (found !== null && Array.isArray(found.value)) list = found;
    else object = found ?? object;
    // Neither JSON that is nested too deeply nor any part of it is an answer.
    if (found !== null || span.isDeep) at = span.end - 1;
  }
  return object ?? list;
}

/** Position of the next opening bracket from a position on; -1 if there is none. */
function openingBracket(text: string, at: number): number {
  const bracket = /[[{]/g;
  bracket.lastIndex = at + 1;
  return bracket.exec(text)?.index ?? -1;
}

interface Span {
  /** Position after the bracket that closes the first one, or else after the text. */
  readonly end: number;
  readonly isClosed: boolean;
  readonly isDeep: boolean;
}

function spanFrom(text: string, start: number): Span {
  let [depth, deepest] = [0, 0];
  for (const at of structure(text, start)) {
    const character = text[at];
    if (character === ",") continue;
    depth += character === "{" || character === "[" ? 1 : -1;
    deepest = Math.max(deepest, depth);
    if (depth === 0) return { end: at + 1, isClosed: true, isDeep: deepest > deepestNesting };
  }
  return { end: text.length, isClosed: false, isDeep: false };
}

function withoutTrailingCommas(text: string): string {
  const kept: string[] = [];
  let from = 0;
  let comma: number | undefined;
  for (const at of structure(text, 0)) {
    const character = text[at];
    const isClosing = character === "}" || character === "]";
    if (isClosing && comma !== undefined && /^[ \t\r\n]*$/.test(text.slice(comma + 1, at))) {
      kept.push(text.slice(from, comma));
      from = comma + 1;
    }
    comma = character === "," ? at : undefined;
  }
  return from === 0 ? text : [...kept, text.slice(from)].join("");
}

const [quote, backslash] = [0x22, 0x5c];

/** Positions of brackets, braces and commas outside of strings. */
function* structure(text: string, start: number): Generator<number> {
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString && code === backslash) at += 1;
    else if (code === quote) inString = !inString;
    else if (!inString && isStructural(code)) yield at;
  }
}

/** True for `,` `[` `]` `{` and `}`. */
function isStructural(code: number): boolean {
  return code === 0x2c || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;
}

function isCollection(value: Json): boolean {
  return typeof value === "object" && value !== null && !JSON.isRawJSON(value);
}
