import { ownValue } from "../model/own-value.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Place } from "../model/refusal.ts";
import type { Locate, Path } from "./place.ts";

/**
 * A part of the manifest with its position. The readers below return undefined for a value of the wrong type: the
 * schema has reported it already, and the other checks continue.
 */
export interface Part {
  readonly value: Json | undefined;
  readonly path: Path;
  readonly locate: Locate;
}

/** The part under a key or an index; its value is undefined if there is none. */
export function at(part: Part, step: string | number): Part {
  return { value: childOf(part.value, step), path: [...part.path, step], locate: part.locate };
}

function childOf(value: Json | undefined, step: string | number): Json | undefined {
  if (Array.isArray(value)) return typeof step === "number" ? value[step] : undefined;
  if (!isJsonObject(value)) return undefined;
  return ownValue(value, step);
}

/** True if the document has this part; null counts as present. */
export function isPresent(part: Part): boolean {
  return part.value !== undefined;
}

/** Position of the part's value. */
export function placeOf(part: Part): Place {
  return part.locate(part.path);
}

/** Position of the part's key. */
export function keyPlaceOf(part: Part): Place {
  return part.locate(part.path, "key");
}

/** The part's text; undefined if it is no text. */
export function textOf(part: Part): string | undefined {
  return typeof part.value === "string" ? part.value : undefined;
}

/** The part's number; undefined if it is no number. */
export function numberOf(part: Part): number | undefined {
  return typeof part.value === "number" ? part.value : undefined;
}

/** The part's truth value; undefined if it is none. */
export function booleanOf(part: Part): boolean | undefined {
  return typeof part.value === "boolean" ? part.value : undefined;
}

/** The part's mapping; undefined if it is none. */
export function objectOf(part: Part): JsonObject | undefined {
  return isJsonObject(part.value) ? part.value : undefined;
}

/** The items of a list; none if the part is no list. */
export function itemsOf(part: Part): readonly Part[] {
  return Array.isArray(part.value) ? part.value.map((_, index) => at(part, index)) : [];
}

/** The fields of a mapping; none if the part is no mapping. */
export function fieldsOf(part: Part): readonly (readonly [string, Part])[] {
  return Object.keys(objectOf(part) ?? {}).map((key) => [key, at(part, key)] as const);
}

/** The texts of a list. */
export function textsOf(part: Part): readonly string[] {
  return itemsOf(part).flatMap((item) => textOf(item) ?? []);
}

/** The keys that are present. */
export function presentKeys(part: Part, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => isPresent(at(part, key)));
}
