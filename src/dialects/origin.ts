import { ownValue } from "../model/own-value.ts";
import type { Locate, Path } from "../base/place.ts";
import { fieldsOf, itemsOf, type Part, placeOf } from "../base/part.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import type { Place } from "../model/refusal.ts";

/** A value of a manifest made from another tool's file, with its position in that file. */
export interface Traced {
  readonly place: Place;
  readonly value: Json | readonly Traced[] | TracedFields;
  readonly kind: "json" | "list" | "fields";
}

type TracedFields = Readonly<Record<string, Traced>>;

/** A value that comes from one position as a whole. */
export function traced(value: Json, place: Place): Traced {
  return { kind: "json", value, place };
}

/** A list of values with positions of their own. */
export function tracedList(value: readonly Traced[], place: Place): Traced {
  return { kind: "list", value, place };
}

/** An object. Fields that are undefined are left out. */
export function tracedFields(
  fields: Readonly<Record<string, Traced | undefined>>,
  place: Place,
): Traced {
  const present = Object.entries(fields).flatMap(([key, field]) =>
    field === undefined ? [] : [[key, field] as const],
  );
  return { kind: "fields", value: Object.fromEntries(present), place };
}

/** A part that is taken over unchanged, each value with its own position. */
export function tracedPart(part: Part): Traced {
  const place = placeOf(part);
  if (Array.isArray(part.value)) return tracedList(itemsOf(part).map(tracedPart), place);
  if (!isJsonObject(part.value)) return traced(part.value ?? null, place);
  const fields = fieldsOf(part).map(([key, field]) => [key, tracedPart(field)] as const);
  return tracedFields(Object.fromEntries(fields), place);
}

/**
 * The manifest as data, and a function that locates its parts in the original file; a missing part has the position of
 * the nearest enclosing one.
 */
export function documentOf(root: Traced): { readonly value: Json; readonly locate: Locate } {
  return { value: plain(root), locate: (path) => placeIn(root, path) };
}

function plain(node: Traced): Json {
  const { value } = node;
  if (isTracedList(node, value)) return value.map(plain);
  if (isTracedFields(node, value))
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
  return isJson(node, value) ? value : null;
}

function placeIn(root: Traced, path: Path): Place {
  let node = root;
  for (const step of path) {
    const next = childOf(node, step);
    if (next === undefined) break;
    node = next;
  }
  return node.place;
}

function childOf(node: Traced, step: string | number): Traced | undefined {
  const { value } = node;
  if (isTracedList(node, value)) return typeof step === "number" ? value[step] : undefined;
  if (isTracedFields(node, value)) return ownValue(value, step);
  return undefined;
}

function isTracedList({ kind }: Traced, value: Traced["value"]): value is readonly Traced[] {
  return kind === "list" && Array.isArray(value);
}

function isTracedFields({ kind }: Traced, value: Traced["value"]): value is TracedFields {
  return kind === "fields" && typeof value === "object" && value !== null;
}

function isJson({ kind }: Traced, value: Traced["value"]): value is Json {
  return kind === "json" && value !== undefined;
}
