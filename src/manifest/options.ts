import { isJsonObject, type JsonObject } from "../model/json.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { BuiltinGrader, FileRef } from "../model/suite.ts";
import type { Desk } from "./desk.ts";
import { resolveFile } from "./files.ts";
import { at, objectOf, type Part, placeOf, textOf } from "./part.ts";

/**
 * The options of a built-in grader. Of a schema that is named by its path the content stands in them: it is what changes
 * scores, and the sandbox keeps the grader from its file.
 */
export async function resolveOptions(
  type: BuiltinGrader,
  part: Part,
  desk: Desk,
): Promise<JsonObject | undefined> {
  const { type: _type, name: _name, weight: _weight, ...options } = objectOf(part) ?? {};
  const schema = at(part, "schema");
  if (type !== "json_schema" || textOf(schema) === undefined) return options;
  const file = await resolveFile(schema, desk);
  const read = file && (await readSchema(file, schema, desk));
  return read && { ...options, schema: read };
}

async function readSchema(file: FileRef, part: Part, desk: Desk): Promise<JsonObject | undefined> {
  const refuse = (reason: string): undefined =>
    desk.refuse(problem("schema_file_unusable", { path: file.path, reason }, placeOf(part)));
  try {
    const found: unknown = JSON.parse(await desk.readText(file.absolute));
    return isJsonObject(found) ? found : refuse("it holds no JSON object");
  } catch (error) {
    if (error instanceof SyntaxError) return refuse(error.message);
    if (error instanceof Refusal) return refuse(error.problems[0]?.message ?? error.message);
    throw error;
  }
}
