import { topLevelField } from "../domain/fields.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import { problem, type Place, type Problem } from "../domain/refusal.ts";
import type { Row } from "../domain/sample.ts";
import { fieldsOf, type Template } from "./template.ts";

/**
 * The fields that a candidate is given beside its prompt, for the rows of one task: those that the prompt uses,
 * whole top-level fields, and those that `pass` names. A field that a row lacks is left out.
 * Fields in `targetOnly` never are among them, whoever names them.
 */
export function createFieldPicker(
  prompt: Template,
  pass: readonly string[],
  targetOnly: ReadonlySet<string>,
): (row: Row) => JsonObject {
  const { names, wholeRow } = fieldsOf(prompt);
  if (wholeRow) return (row) => row;
  const wanted = [...new Set([...names, ...pass])];
  // A name without a dot is a field's own, whatever the row.
  const always = wanted.some((name) => name.includes(".")) ? undefined : new Set(wanted);
  return (row) => {
    const fields = always ?? new Set(wanted.map((name) => topLevelField(row, name)));
    const given: (readonly [string, Json])[] = [];
    for (const field of Object.keys(row)) {
      if (fields.has(field) && !targetOnly.has(field)) given.push([field, row[field] ?? null]);
    }
    return Object.fromEntries(given);
  };
}

/** `pass` may not name what only the target is made of. */
export function passProblems(
  pass: readonly string[],
  targetOnly: ReadonlySet<string>,
  place?: Place,
): readonly Problem[] {
  return pass
    .filter((field) => targetOnly.has(field))
    .map((field) => problem("pass_target", { field }, place));
}
