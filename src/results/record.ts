import { ownValue } from "../model/own-value.ts";
import { kindOf } from "../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { problem, type Problem } from "../model/refusal.ts";

/** Reads an object as a tool wrote it. All values of an unexpected type are reported at once. */
export interface RecordReader {
  readonly problems: readonly Problem[];
  /** The value at a path; undefined if a step of the path is missing or null. */
  readonly value: (path: string) => Json | undefined;
  readonly text: (path: string) => string | undefined;
  readonly flag: (path: string) => boolean | undefined;
  readonly number: (path: string) => number | undefined;
  readonly object: (path: string) => JsonObject | undefined;
  readonly list: (path: string) => readonly Json[] | undefined;
  /** As the others, for a required value: reports its absence. */
  readonly needed: <Value>(
    path: string,
    read: (path: string) => Value | undefined,
  ) => Value | undefined;
  readonly complain: (
    field: string,
    said: { readonly found: string; readonly expected: string },
  ) => void;
}

/** Position of the object. */
interface RecordPlace {
  readonly file: string;
  /** `results.results[3]`, `line 12`. */
  readonly at: string;
}

export function readRecord(record: JsonObject, { file, at }: RecordPlace): RecordReader {
  const problems: Problem[] = [];
  const complain: RecordReader["complain"] = (field, said) => {
    problems.push(problem("results_field", { at, field, ...said }, { file }));
  };
  const value = (path: string): Json | undefined => {
    let found: Json | undefined = record;
    for (const step of path.split("."))
      found = isJsonObject(found) ? ownValue(found, step) : undefined;
    return found ?? undefined;
  };
  const read =
    <Value extends Json>(expected: string, is: (found: Json) => found is Value) =>
    (path: string): Value | undefined => {
      const found = value(path);
      if (found === undefined || is(found)) return found;
      complain(path, { found: kindOf(found), expected });
      return undefined;
    };
  return {
    problems,
    value,
    complain,
    text: read("a text", (found) => typeof found === "string"),
    flag: read("true or false", (found) => typeof found === "boolean"),
    number: read("a number", (found) => typeof found === "number"),
    object: read("an object", isJsonObject),
    list: read("a list", (found): found is readonly Json[] => Array.isArray(found)),
    needed: (path, readIt) => {
      const found = value(path);
      if (found === undefined) complain(path, { found: "missing", expected: "a value" });
      return found === undefined ? undefined : readIt(path);
    },
  };
}
