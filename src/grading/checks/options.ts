import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** Texts in a list of options; the manifest's schema has refused others. */
export function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Objects in a list of options. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => isJsonObject(each)) : [];
}

/** A text, or undefined. */
export function textOption(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** undefined: there is no limit. */
export function limitIn(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
