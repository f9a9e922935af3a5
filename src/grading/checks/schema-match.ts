import { Ajv2020 } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../model/json.ts";
import { compilePattern } from "../re2.ts";

/**
 * Opens a JSON Schema (draft 2020-12): a function that tells whether a value fits, or why the schema can't be used.
 * Only this file imports ajv.
 */
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

/**
 * A new validator for each schema, so that two schemas with the same `$id` don't collide. `format` is not checked, as
 * in waza.
 */
function validator(): Ajv2020 {
  return new Ajv2020({
    strict: false,
    validateFormats: false,
    logger: false,
    code: { regExp: linearRegExp },
  });
}

/** Patterns are applied to an agent's text, so their time must grow only in proportion to its length. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern);
    if ("fault" in compiled) throw new Error(`${JSON.stringify(pattern)}: ${compiled.fault}`);
    return { test: compiled.matches, toString: () => pattern };
  },
  { code: "linearRegExp" },
);
