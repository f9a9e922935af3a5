import type { Json } from "../model/json.ts";

/** The value of a JSON text, or the parser's reason for rejecting it. */
export type JsonText =
  | { readonly kind: "json"; readonly value: Json }
  | {
      readonly kind: "malformed";
      readonly reason: string;
      /** Column, from 1; undefined if the parser does not tell it. */
      readonly column: number | undefined;
    };

/**
 * Numbers that a JavaScript number may not reproduce as they were written: with a point or an exponent, of 16 digits or
 * more, or `-0`. The pattern also finds such numbers inside strings; that costs only time.
 */
const mayLoseSource = /[[:,\s](?:-?\d+[.eE]|-?\d{16}|-0)/;

/**
 * Parses JSON so that every number keeps its source text: `51.0` and 20 digits become a `RawNumber`, a number that
 * JavaScript writes as its author did stays a number. The reviver that knows the source makes parsing eight times slower
 * (Node 24.21), so it runs only if the text may need it, and if `needsSource` returns true for the plainly parsed value,
 * because the text of its numbers will be used.
 */
export function parseJsonText(text: string, needsSource?: (plain: Json) => boolean): JsonText {
  try {
    if (needsSource === undefined) {
      return asJson(mayLoseSource.test(text) ? parseKeepingSource(text) : JSON.parse(text));
    }
    const plain = asJson(JSON.parse(text));
    // The order matters: searching the text costs as much as parsing it.
    const isWanted = plain.kind === "json" && needsSource(plain.value) && mayLoseSource.test(text);
    return isWanted ? asJson(parseKeepingSource(text)) : plain;
  } catch (error) {
    return malformed(error);
  }
}

function parseKeepingSource(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}

function asJson(value: unknown): JsonText {
  return isJson(value)
    ? { kind: "json", value }
    : { kind: "malformed", reason: "no value", column: undefined };
}

/** `JSON.parse` always returns JSON; only the type system does not know. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}

/**
 * Makes a result of a parser's error. V8's `at position 7 (line 1 column 8)` is removed, because the position is
 * reported separately.
 */
function malformed(error: unknown): JsonText {
  if (error instanceof RangeError) {
    return { kind: "malformed", reason: "it is nested too deeply", column: undefined };
  }
  const message = error instanceof Error ? error.message : String(error);
  const position = / at position (\d+)/.exec(message)?.[1];
  return {
    kind: "malformed",
    reason: message.replace(/ in JSON at position \d+.*$| at position \d+.*$/s, ""),
    column: position === undefined ? undefined : Number(position) + 1,
  };
}
