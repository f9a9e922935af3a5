import { cutText } from "../base/cut-text.ts";
import { kindOf, readField, valueText } from "../base/fields.ts";
import { numberText, type Json, type JsonObject } from "../model/json.ts";
import { problem } from "../model/refusal.ts";
import type { Place, Problem } from "../model/refusal.ts";
import type { ResultShape } from "./source.ts";

/** Position of a row, and how its values are read. */
export interface RowReading {
  readonly file: string;
  readonly shape: ResultShape;
  /** CSV: every value is a text, and an empty one counts as absent. */
  readonly texts: boolean;
  /** Collects possible score fields, for the hint about a misspelt metric. */
  readonly known: Set<string>;
}

/** Names that a row's fields may have; the first existing one counts. */
export const names = {
  id: ["id", "case_id"],
  input: ["input", "question", "prompt"],
  output: ["output", "output_text", "answer", "response"],
  target: ["target", "expected", "reference"],
  error: ["error"],
  repeat: ["repeat", "epoch"],
  candidate: ["candidate", "model"],
  task: ["task", "task_id"],
} as const;

/** Reads the fields of one row; invalid ones are problems. */
export interface FieldReader {
  readonly problems: readonly Problem[];
  /** undefined if the value is missing, null, or an empty text of a CSV file. */
  readonly value: (names: readonly string[]) => Json | undefined;
  readonly text: (names: readonly string[]) => string | null;
  /** An id or a name: a text or a number. */
  readonly name: (what: "id" | "candidate" | "task") => string | null;
  readonly number: (names: readonly string[]) => number | null;
  readonly count: (what: "repeat") => number | null;
  /** Score of a field, by name. */
  readonly score: (name: string) => number | null;
  readonly asScore: (name: string, value: Json) => number | null;
  readonly complain: (
    field: string,
    said: { readonly found: string; readonly expected: string },
  ) => null;
}

/** The names of a field: those that the user gave, otherwise the usual ones. */
export function namesOf(what: keyof typeof names, { fields }: ResultShape): readonly string[] {
  const own = fields[what];
  if (own === undefined) return names[what];
  return typeof own === "string" ? [own] : own;
}

/** A reader of a row's fields. `place`: where the row begins. */
export function createFieldReader(
  row: JsonObject,
  { place, reading }: { readonly place: Place; readonly reading: RowReading },
): FieldReader {
  const problems: Problem[] = [];
  const { texts, shape } = reading;
  const complain: FieldReader["complain"] = (field, said) => {
    const at = `line ${place.line}`;
    problems.push(problem("results_field", { at, field, ...said }, { file: place.file }));
    return null;
  };
  const there = (name: string): Json | undefined => {
    const value = readField(row, name);
    return value === null || (texts && value === "") ? undefined : value;
  };
  const find = (wanted: readonly string[]): Found | undefined => {
    const name = wanted.find((each) => there(each) !== undefined);
    const value = name === undefined ? undefined : there(name);
    return name === undefined || value === undefined ? undefined : { name, value };
  };
  const read = <T>(found: Found | undefined, as: Reading<T>): T | null => {
    if (found === undefined) return null;
    const { name, value } = found;
    return as.take(value, texts) ?? complain(name, { found: shown(value), expected: as.expected });
  };
  return {
    problems,
    complain,
    value: (wanted) => find(wanted)?.value,
    text: (wanted) => {
      const found = find(wanted);
      return found === undefined ? null : valueText(found.value);
    },
    name: (what) => read(find(namesOf(what, shape)), aName),
    number: (wanted) => read(find(wanted), aNumber),
    count: (what) => read(find(namesOf(what, shape)), aCount),
    score: (name) => read(find([name]), aScore),
    asScore: (name, value) => read({ name, value }, aScore),
  };
}

interface Found {
  readonly name: string;
  readonly value: Json;
}

/** How a value is read; undefined: it is not valid. */
interface Reading<T> {
  readonly take: (value: Json, texts: boolean) => T | undefined;
  readonly expected: string;
}

const aName: Reading<string> = {
  take: (value) => {
    const isName = typeof value === "string" || typeof value === "number";
    return isName && valueText(value).trim() !== "" ? valueText(value) : undefined;
  },
  expected: "a text that is not empty, or a number,",
};

const aNumber: Reading<number> = {
  take: (value, texts) => {
    const number = typeof value === "boolean" ? undefined : numberIn(value, texts);
    return number !== undefined && number >= 0 ? number : undefined;
  },
  expected: "a number from 0 on",
};

/** Larger numbers are not repeats: the field has another meaning, such as a time or an id. */
export const mostRepeats = 9999;

function isCount(number: number | undefined): number is number {
  return Number.isSafeInteger(number) && number !== undefined && number <= mostRepeats;
}

const aCount: Reading<number> = {
  take: (value, texts) => {
    const number = aNumber.take(value, texts);
    return isCount(number) ? number : undefined;
  },
  expected: `a whole number from 0 to ${mostRepeats}`,
};

const aScore: Reading<number> = { take: numberIn, expected: "a finite number, true or false" };

/** A number; in a CSV file, a text with a number. True is 1. */
export function numberIn(value: Json, texts: boolean): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (!texts || typeof value !== "string") return undefined;
  const text = value.trim();
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true" ? 1 : 0;
  if (!isNumberText(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Whether a text is a decimal number. A model that repeats itself writes a hundred thousand digits. */
export function isNumberText(text: string): boolean {
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text);
}

/** A value as messages show it, cut to a short length. */
export function shown(value: Json): string {
  // Show a number's value: 1e999, for example, exceeds the range of numbers.
  if (numberText(value) !== undefined) return valueText(value).slice(0, 60);
  if (typeof value !== "string") return kindOf(value);
  const text = JSON.stringify(value);
  return text.length > 60 ? `${cutText(text, 60)}…` : text;
}
