import { Ajv2020 } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../model/json.ts";
import { compilePattern } from "../re2.ts";

/** Says whether a value fits a JSON Schema, draft 2020-12; or why the schema is none. Only this file imports ajv. */
export function openSchema(
  schema: JsonObject,
): ((value: Json) => boolean) | { readonly fault: string } {
  try {
    const validate = validator().compile(schema);
    return (value) => {
      try {
        return validate(value);
      } catch {
        // A schema may lead to itself without end; then no value fits it.
        return false;
      }
    };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** A new one for each schema: two with one `$id` don't know of each other. Formats are notes, as in waza. */
function validator(): Ajv2020 {
  return new Ajv2020({
    strict: false,
    validateFormats: false,
    logger: false,
    code: { regExp: linearRegExp },
  });
}

/** Patterns meet what an agent wrote: they take time in proportion to its length. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern);
    if ("fault" in compiled) throw new Error(`${JSON.stringify(pattern)}: ${compiled.fault}`);
    return { test: compiled.matches, toString: () => pattern };
  },
  { code: "linearRegExp" },
);
