import { builtinGraders } from "../src/model/definition/builtins.ts";
import type { BuiltinDeclaration } from "../src/model/builtins/declaration.ts";
import { isJsonObject, type Json, type JsonObject } from "../src/model/json.ts";

/**
 * The manifest's schema, extended by the built-in graders of src/model/definition/builtins.ts: their names, and the options of
 * each.
 */
export function withBuiltins(schema: JsonObject): JsonObject {
  const defs = objectIn(schema, "$defs");
  const whole = objectIn(defs, "graderObject");
  const [python] = Array.isArray(whole["oneOf"]) ? whole["oneOf"] : [];
  if (!isJsonObject(python)) throw new Error("the schema has no python grader");
  const common = Object.fromEntries(
    Object.entries(objectIn(python, "properties")).filter(([key]) => commonKeys.includes(key)),
  );
  const properties = objectIn(whole, "properties");
  const type = {
    ...objectIn(properties, "type"),
    enum: ["python", ...Object.keys(builtinGraders)],
  };
  const oneOf = [
    python,
    ...Object.entries(builtinGraders).map((grader) => branchOf(grader, common)),
  ];
  return {
    ...schema,
    $defs: {
      ...defs,
      grader: replaced(objectIn(defs, "grader"), "then", { enum: bareNames }),
      graderObject: { ...whole, properties: { ...properties, type }, oneOf },
      rowCheck: rowCheck(objectIn(defs, "rowCheckKeys")),
    },
  };
}

/** Keys of the python grader that every grader has. */
const commonKeys = ["name", "weight", "target_template", "extracted_field"];

/**
 * The allowed checks of a row: a built-in grader that asks no model, or a judge that this process asks. `keys`: the
 * common keys of each check.
 */
function rowCheck(keys: JsonObject): Json {
  const kinds = Object.entries(builtinGraders).filter(
    ([, { asksJudge, givesOthers, seesAll, isHere }]) =>
      (!asksJudge || isHere) && !givesOthers && !seesAll,
  );
  const type = {
    enum: kinds.map(([name]) => name),
    description: "The name of a built-in grader.",
    examples: ["contains"],
  };
  return {
    type: "object",
    description: "A check: a built-in grader with its options.",
    properties: { type },
    required: ["type"],
    discriminator: { propertyName: "type" },
    oneOf: kinds.map((kind) => branchOf(kind, objectIn(keys, "properties"))),
  };
}

function replaced(part: JsonObject, key: string, value: Json): JsonObject {
  return { ...part, [key]: value };
}

/**
 * The bare names of graders that need no options. A judge needs its rubric, for example, and checks of rows need their
 * field.
 */
const bareNames = Object.entries(builtinGraders).flatMap(
  ([name, { asksJudge, givesOthers, options, takesOneOf }]) =>
    (asksJudge && requiredOf(options).length > 0) || givesOthers || takesOneOf ? [] : [name],
);

/** The object form of a grader; `common`: the keys that each grader in `graders` may have. */
function branchOf(
  [title, { description, options }]: readonly [string, BuiltinDeclaration],
  common: JsonObject,
): Json {
  return {
    title,
    description,
    type: "object",
    properties: { type: { const: title, description, examples: [title] }, ...options, ...common },
    additionalProperties: false,
    required: ["type", ...requiredOf(options)],
  };
}

/** Options without a default. */
export function requiredOf(options: JsonObject): readonly string[] {
  return Object.entries(options).flatMap(([name, about]) =>
    isJsonObject(about) && about["default"] === undefined ? [name] : [],
  );
}

function objectIn(part: JsonObject, key: string): JsonObject {
  const value = part[key];
  if (isJsonObject(value)) return value;
  throw new Error(`the schema has no ${key}`);
}
