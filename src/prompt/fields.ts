import { firstPart, readField, topLevelField } from "../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import type { Row } from "../model/outcomes/sample.ts";
import { templateFields, secretFields, targetOnlyFields, type Template } from "./template.ts";

/**
 * The fields that a candidate receives besides its prompt, for the rows of one task: whole top-level fields that the
 * prompt uses, and those that `pass` names. Fields that a row lacks are left out. Fields of the target only are never
 * included, even if named: neither a field, nor a part of one.
 */
export function createFieldPicker(
  prompt: Template,
  pass: readonly string[],
  target: Template | undefined,
): (row: Row) => JsonObject {
  const targetOnly = targetOnlyFields(prompt, target);
  const secrets = secretFields(prompt, target);
  const { names, wholeRow } = templateFields(prompt);
  if (wholeRow) return (row) => row;
  const wanted = [...new Set([...names, ...pass])];
  // A name without a dot always means a field of its own, whatever the row is.
  const always = wanted.some((name) => name.includes(".")) ? undefined : new Set(wanted);
  return (row) => {
    const fields = always ?? new Set(wanted.map((name) => topLevelField(row, name)));
    const given: (readonly [string, Json])[] = [];
    for (const field of Object.keys(row)) {
      if (!fields.has(field) || targetOnly.has(field)) continue;
      const hidden = secrets.filter((name) => topLevelField(row, name) === field);
      given.push([
        field,
        hidden.length === 0 ? (row[field] ?? null) : shown(row, field, { wanted, hidden }),
      ]);
    }
    return Object.fromEntries(given);
  };
}

/** A field without its hidden parts; if all of it is hidden, the parts that are requested by name. */
function shown(
  row: Row,
  field: string,
  { wanted, hidden }: { readonly wanted: readonly string[]; readonly hidden: readonly string[] },
): Json {
  if (!hidden.includes(field)) {
    const parts = hidden.map((name) => name.split(".").slice(1));
    return parts.reduce((value: Json, path) => withoutPart(value, path), row[field] ?? null);
  }
  const named = wanted.filter((name) => name !== field && firstPart(name) === field);
  return Object.fromEntries(
    named.map((name) => [name.slice(field.length + 1), readField(row, name) ?? null]),
  );
}

/** A copy without the value at the path. */
function withoutPart(value: Json, [part = "", ...rest]: readonly string[]): Json {
  if (Array.isArray(value))
    return value.map((each: Json, i) => (String(i) === part ? innerWithout(each, rest) : each));
  if (!isJsonObject(value) || !Object.hasOwn(value, part)) return value;
  const { [part]: found = null, ...others } = value;
  return rest.length === 0 ? others : { ...others, [part]: withoutPart(found, rest) };
}

function innerWithout(value: Json, rest: readonly string[]): Json {
  return rest.length === 0 ? null : withoutPart(value, rest);
}

/** Instructions may not use fields of the target only, nor the whole row. */
export function instructionProblems(
  instructions: Template,
  targetOnly: ReadonlySet<string>,
  place?: Place,
): readonly Problem[] {
  const { names, topLevel, wholeRow } = templateFields(instructions);
  const told = [...names].filter((name) => targetOnly.has(name) || targetOnly.has(firstPart(name)));
  const fields = told.length === 0 ? [...topLevel].filter((name) => targetOnly.has(name)) : told;
  return [
    ...(wholeRow ? [problem("instructions_row", undefined, place)] : []),
    ...[...new Set(fields)].map((field) => problem("instructions_target", { field }, place)),
  ];
}

/** A manifest key that gives a candidate further fields must not name fields that only the target uses. */
export function passProblems(
  pass: readonly string[],
  { targetOnly, code }: { readonly targetOnly: ReadonlySet<string>; readonly code: PassCode },
  place?: Place,
): readonly Problem[] {
  return pass
    .filter((field) => targetOnly.has(field))
    .map((field) => problem(code, { field }, place));
}

/** The key that gives it: `pass`, the request to an app, or the manifest's own answer. */
type PassCode = "pass_target" | "request_target" | "answer_target";
