/** Plain JSON. A number whose source text would not survive (`51.0`, 20 digits) is a `RawNumber`. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** Result of `JSON.rawJSON`: `JSON.stringify` writes its text unchanged. */
interface RawNumber {
  readonly rawJSON: string;
}

declare global {
  // In Node 24, not yet in TypeScript's library: https://tc39.es/proposal-json-parse-with-source/
  interface JSON {
    rawJSON(text: string): RawNumber & JsonObject;
    isRawJSON(value: unknown): value is RawNumber;
    parse(
      text: string,
      // oxlint-disable-next-line max-params -- the language's own signature
      reviver: (
        this: unknown,
        key: string,
        value: unknown,
        context: { readonly source?: string },
      ) => unknown,
    ): unknown;
  }
}

/** The text of a number as its author wrote it; undefined if the value is not a number. */
export function numberText(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}

/** True for a JSON object: not null, not an array, not a number with its source text. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  );
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The object of a JSON text; undefined if the text is not JSON, or is another kind of value. */
export function jsonObjectIn(text: string): JsonObject | undefined {
  const value = jsonIn(text);
  return isJsonObject(value) ? value : undefined;
}

/** JSON with sorted keys, so that equal content gives equal bytes whatever the order of the fields. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${fields.join(",")}}`;
}

/** Deeper JSON is never intended, and Python's parser, which also reads rows and samples, gives up at about 1,000. */
export const deepestNesting = 200;

/** True if a value is nested deeper than this number of levels. */
export function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return false;
  return levels === 0 || Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1));
}
