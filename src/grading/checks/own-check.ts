import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** A check within a row: a built-in grader with its options and weight. */
export interface OwnCheck {
  /** Its position in the list, for messages. */
  readonly label: string;
  readonly type: string;
  readonly name: string | undefined;
  readonly weight: number;
  /** The minimum score for passing; undefined: the grader decides. */
  readonly least: number | undefined;
  readonly isTurned: boolean;
  readonly extractedField: string | undefined;
  readonly options: JsonObject;
  readonly written: JsonObject;
}

/** The checks of a list; none if there is no list. */
export function readOwnChecks(
  value: Json | undefined,
  field: string,
): { readonly checks: readonly OwnCheck[] } | { readonly fault: string } {
  if (value === undefined || value === null || value === "") return { checks: [] };
  if (!Array.isArray(value)) return { fault: `'${field}' must be a list of checks` };
  const objects = value.filter(isJsonObject);
  if (objects.length < value.length) return { fault: `a check in '${field}' is no object` };
  return { checks: objects.map((check, i) => ownCheckOf(check, `${field}[${i}]`)) };
}

/** Its keys were checked with the row. */
export function ownCheckOf(written: JsonObject, label: string): OwnCheck {
  const { type, name, weight, min, not, target: _target, extracted_field, ...options } = written;
  return {
    label,
    type: typeof type === "string" ? type : "",
    name: typeof name === "string" ? name : undefined,
    weight: typeof weight === "number" ? weight : 1,
    least: typeof min === "number" ? min : undefined,
    isTurned: not === true,
    extractedField: typeof extracted_field === "string" ? extracted_field : undefined,
    options,
    written,
  };
}
