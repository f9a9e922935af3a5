import { nearest } from "../../base/nearest.ts";
import {
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  objectOf,
  type Part,
  placeOf,
  textOf,
} from "../../base/part.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { type Place, type Problem, problem } from "../../model/refusal.ts";
import type { DialectTools } from "../dialect.ts";

/** An eval file of waza that is being translated. */
export interface WazaEval {
  readonly root: Part;
  readonly tools: DialectTools;
  readonly era: Era;
  readonly refuse: (found: Problem) => undefined;
  readonly warn: (found: Problem) => undefined;
  /** The candidate without the skills, if the file compares with it. */
  readonly baseline?: string | undefined;
}

/** Versions of waza whose files mean different things: up to 0.2, up to 0.11, up to 0.13, and later ones. */
export type Era = "E0" | "E1" | "E2" | "E3";

/** Position of a part; for a missing part, the position where it would be. */
export function spotOf(part: Part): Place {
  return isPresent(part) ? placeOf(part) : keyPlaceOf(part);
}

/** Refuses a value, and says what is expected there. */
export function refuseValue(part: Part, expected: string, { refuse }: WazaEval): undefined {
  return refuse(problem("waza_value", { key: part.path.join("."), expected }, spotOf(part)));
}

/** Refuses a part that can't be run here, and names an alternative. */
export function refuseBecause(
  part: Part,
  found: { readonly what: string; readonly way: string },
  { refuse }: WazaEval,
): undefined {
  return refuse(problem("waza_unsupported", found, keyPlaceOf(part)));
}

/** Warns that a key has no effect, and why. */
export function tellIdle(part: Part, why: string, { warn }: WazaEval): undefined {
  return warn(problem("waza_key_idle", { key: part.path.join("."), why }, keyPlaceOf(part)));
}

/** Checks that a part is a mapping or missing. Unknown keys are refused, because a misspelt key would check nothing. */
export function mappingOf(
  part: Part,
  { known, what }: { readonly known: readonly string[]; readonly what: string },
  file: WazaEval,
): Part {
  if (isPresent(part) && part.value !== null && objectOf(part) === undefined)
    refuseValue(part, "a mapping", file);
  for (const [key, field] of fieldsOf(part)) {
    if (known.includes(key)) continue;
    const found = { key, what, known, suggestion: nearest(key, known) };
    file.refuse(problem("waza_key_unknown", found, keyPlaceOf(field)));
  }
  return part;
}

/** True if a part is given. A null counts as missing, as for a YAML `key:` with nothing after it. */
export function isGiven(part: Part): boolean {
  return isPresent(part) && part.value !== null;
}

/** A text; undefined if it is missing. Other values are refused. */
export function optionalText(part: Part, file: WazaEval): string | undefined {
  if (!isGiven(part)) return undefined;
  return textOf(part) ?? refuseValue(part, "a text", file);
}

/** A scalar as text: where waza expects a text, its YAML reader accepts numbers and booleans as they are written. */
export function writtenText({ value }: Part): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value : undefined;
}

/** A scalar as text; undefined if it is missing. */
export function scalarText(part: Part, file: WazaEval): string | undefined {
  if (!isGiven(part)) return undefined;
  return writtenText(part) ?? refuseValue(part, "a text", file);
}

/** A required text. */
export function fullText(part: Part, file: WazaEval): string | undefined {
  return full(part, optionalText(part, file), file);
}

/** A required scalar, as text. */
export function fullScalar(part: Part, file: WazaEval): string | undefined {
  return full(part, scalarText(part, file), file);
}

function full(part: Part, text: string | undefined, file: WazaEval): string | undefined {
  if (text !== undefined && text.trim() !== "") return text;
  return isGiven(part) && text === undefined
    ? undefined
    : refuseValue(part, "a text that is not empty", file);
}

/** A list of texts; empty if it is missing. */
export function textList(part: Part, file: WazaEval): readonly string[] {
  if (!isGiven(part)) return [];
  if (!Array.isArray(part.value)) refuseValue(part, "a list of texts", file);
  return itemsOf(part).flatMap((item) => textOf(item) ?? refuseValue(item, "a text", file) ?? []);
}

/** A list of scalars, as texts; empty if it is missing. */
export function scalarList(part: Part, file: WazaEval): readonly string[] {
  if (!isGiven(part)) return [];
  if (!Array.isArray(part.value)) refuseValue(part, "a list of texts", file);
  return itemsOf(part).flatMap(
    (item) => writtenText(item) ?? refuseValue(item, "a text", file) ?? [],
  );
}

/** A list of mappings; empty if it is missing. */
export function mappingList(part: Part, file: WazaEval): readonly Part[] {
  if (!isGiven(part)) return [];
  if (!Array.isArray(part.value)) refuseValue(part, "a list", file);
  return itemsOf(part).flatMap((item) =>
    objectOf(item) === undefined ? (refuseValue(item, "a mapping", file) ?? []) : [item],
  );
}

/** A whole number of at least `least`; undefined if it is missing. */
export function wholeNumber(part: Part, least: number, file: WazaEval): number | undefined {
  if (!isGiven(part)) return undefined;
  const number = numberOf(part);
  if (number !== undefined && Number.isSafeInteger(number) && number >= least) return number;
  return refuseValue(part, `a whole number of at least ${least}`, file);
}

/** A truth value; a missing one is false. */
export function flagOf(part: Part, file: WazaEval): boolean {
  if (!isGiven(part)) return false;
  if (typeof part.value === "boolean") return part.value;
  refuseValue(part, "true or false", file);
  return false;
}

/** Refuses a key that can't be run here, unless its value is null, false, or contains only empty values. */
export function refuseKey(part: Part, way: string, file: WazaEval): undefined {
  if (!isNothing(part.value))
    refuseBecause(part, { what: `\`${part.path.join(".")}\``, way }, file);
}

function isNothing(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.values(value).every(isNothing);
  return value === undefined || value === null || value === false;
}
