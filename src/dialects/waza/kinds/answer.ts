import { at, objectOf, type Part, placeOf, textOf } from "../../../base/part.ts";
import { type JsonObject, jsonObjectIn } from "../../../model/json.ts";
import { problem } from "../../../model/refusal.ts";
import { refuseValue, flagOf, isGiven, refuseBecause, textList, type WazaEval } from "../eval.ts";
import { readBeside } from "../paths.ts";
import { checking, configKeys, type ReadKind } from "./kind.ts";

/** Assertions in Python or JavaScript about the answer. */
export const codeCheck: ReadKind = (entry, file) => {
  const config = configKeys(entry, ["assertions", "language"], file);
  const language = at(config, "language");
  const written = isGiven(language) ? textOf(language) || "python" : "python";
  if (written !== "python" && written !== "javascript") {
    const what = `a code grader in ${written ?? "another language"}`;
    const way = "Write its assertions in Python or JavaScript: `language: javascript`.";
    return refuseBecause(language, { what, way }, file);
  }
  const [inside, beside] = [at(config, "assertions"), at(entry.part, "assertions")];
  if (isGiven(inside) && isGiven(beside))
    refuseValue(beside, "in one place: here, or in `config`", file);
  // A task may have `assertions` in `config`, or next to `type`.
  const own = isGiven(inside) ? inside : beside;
  const options = {
    type: "code",
    assertions: [...textList(own, file)],
    language: written === "javascript" ? written : null,
  };
  return checking(entry, { options, keys: ["assertions"] }, file);
};

/** The answer must be JSON that fits a schema. */
export const jsonSchemaCheck: ReadKind = async (entry, file) => {
  const keys = ["schema", "schema_file", "extract_json"];
  const config = configKeys(entry, keys, file);
  const schema = await schemaOf(config, file);
  // The answer is checked unchanged, or without its code fences.
  const answer = flagOf(at(config, "extract_json"), file) ? "extracted" : "whole";
  return checking(
    entry,
    { options: { type: "json_schema", schema: schema ?? null, answer }, keys },
    file,
  );
};

/** The schema of a grader; an inline one has priority. */
async function schemaOf(config: Part, file: WazaEval): Promise<JsonObject | undefined> {
  const inline = at(config, "schema");
  if (isGiven(inline))
    return objectOf(inline) ?? refuseValue(inline, "a JSON Schema: a mapping", file);
  const named = at(config, "schema_file");
  const path = textOf(named);
  if (path === undefined) return isGiven(named) ? refuseValue(named, "a path", file) : undefined;
  const found = await readBeside(named, path, file);
  if (found === undefined) return undefined;
  const schema = jsonObjectIn(found.text);
  if (schema !== undefined) return schema;
  const about = { path, reason: "it holds no JSON object" };
  return file.refuse(problem("waza_file_unusable", about, placeOf(named)));
}
