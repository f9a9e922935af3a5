import { ownValue } from "../model/own-value.ts";
import { isJsonObject, numberText, type Json, type JsonObject } from "../model/json.ts";

/**
 * The value of a name in a row: the top-level field of exactly that name, dots included (a CSV column may be called
 * `a.b`), else the value at that path in nested objects and lists (`meta.tags.0`). Only own fields count: `constructor`
 * is a field only if the row has it.
 */
export function readField(row: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(row, name)) return row[name];
  if (!name.includes(".")) return undefined;
  let value: Json | undefined = row;
  for (const part of name.split(".")) value = step(value, part);
  return value;
}

function step(value: Json | undefined, part: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(part) ? value[Number(part)] : undefined;
  return isJsonObject(value) ? ownValue(value, part) : undefined;
}

/** The top-level field that `name` reads in this row, or undefined if it reads none. */
export function topLevelField(row: JsonObject, name: string): string | undefined {
  if (Object.hasOwn(row, name)) return name;
  const first = firstPart(name);
  return Object.hasOwn(row, first) ? first : undefined;
}

/** `meta` of `meta.tags.0`. */
export function firstPart(name: string): string {
  return name.split(".", 1)[0] ?? name;
}

/**
 * A value as text, as templates, ids and slices display it: missing and null are empty, a number is as it was written,
 * objects and lists are JSON.
 */
export function valueText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return numberText(value) ?? JSON.stringify(value);
}

/** The texts and numbers within a list or object, at any depth. */
export function textsWithin(value: Json | undefined): readonly string[] {
  if (value === null || typeof value !== "object" || numberText(value) !== undefined) return [];
  const parts: readonly Json[] = Object.values(value);
  return parts.map(valueText).concat(parts.flatMap(textsWithin));
}

/** The kind of a value, with its article, for messages. */
export function kindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return "a text";
  if (typeof value === "boolean") return "a truth value";
  return numberText(value) === undefined ? "an object" : "a number";
}
