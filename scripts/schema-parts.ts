import { isJsonObject, type Json, type JsonObject } from "../src/model/json.ts";

/**
 * Cuts a schema into parts by id, for each of which ajv makes a function: its definitions, the alternatives of a
 * `discriminator`, long properties, and parts that several properties share. V8 then compiles only what a document
 * needs, and no rule twice. `name`: the id of the schema itself.
 */
export function inParts(schema: JsonObject, name: string): Readonly<Record<string, JsonObject>> {
  const { $defs = {}, ...rest } = schema;
  const whole = { ...objectsIn($defs), [name]: rest };
  const texts = [...partsOf(Object.values(whole))];
  const ids = new Map(texts.map((text, index) => [text, `part${index}`]));
  return Object.fromEntries([
    ...Object.entries(whole).map(([id, part]) => [id, withReferences(part, ids)]),
    ...[...ids].map(([text, id]) => [id, withReferences(JSON.parse(text), ids)]),
  ]);
}

/** A schema without the texts that only readers need: a validator would contain them. */
export function withoutWords(schema: JsonObject): JsonObject {
  const entries = Object.entries(eachPart(schema, withoutWords));
  return Object.fromEntries(entries.filter(([keyword]) => !words.has(keyword)));
}

const words = new Set(["$schema", "title", "description", "default", "examples"]);

/** Shorter parts are no longer than a call of a function. */
const shortLength = 30;
/** Longer parts get a function even if only one property has them, because most documents don't need them. */
const longLength = 400;

/** The parts that get a function of their own, as JSON. */
function partsOf(schemas: readonly JsonObject[]): ReadonlySet<string> {
  const found = new Set<string>();
  const met = new Set<string>();
  const visit = (schema: JsonObject): JsonObject => {
    for (const each of alternativesOf(schema)) found.add(JSON.stringify(each));
    for (const each of Object.values(objectsIn(schema["properties"]))) {
      const text = JSON.stringify(each);
      const isOwn = text.length > longLength || (text.length > shortLength && met.has(text));
      if (isOwn && each["$ref"] === undefined) found.add(text);
      met.add(text);
    }
    return eachPart(schema, visit);
  };
  schemas.forEach(visit);
  return found;
}

/**
 * Replaces parts by references, but only where they are properties or alternatives, because messages about mistakes
 * look into `items`. `ids`: by a part's JSON.
 */
function withReferences(schema: JsonObject, ids: ReadonlyMap<string, string>): JsonObject {
  const refer = (part: Json): Json => {
    const $ref = ids.get(JSON.stringify(part));
    return $ref === undefined ? part : { $ref };
  };
  const { $ref, properties } = schema;
  const alternatives = alternativesOf(schema);
  const changed = {
    ...schema,
    ...(typeof $ref === "string" && { $ref: $ref.replace(/^#\/\$defs\/([^/]+)/, "$1#") }),
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, part]) => [key, refer(part)]),
      ),
    }),
    ...(alternatives.length > 0 && { oneOf: alternatives.map(refer) }),
  };
  return eachPart(changed, (part) => withReferences(part, ids));
}

function alternativesOf({ discriminator, oneOf }: JsonObject): readonly JsonObject[] {
  return discriminator !== undefined && Array.isArray(oneOf) ? oneOf.filter(isJsonObject) : [];
}

/** Keywords whose value maps names to schemas. */
const byName = new Set(["properties", "$defs"]);
/** Keywords whose values are not schemas. */
const literals = new Set(["const", "enum", "default", "examples", "discriminator"]);

/** Applies a change to each schema directly inside a schema. */
function eachPart(schema: JsonObject, change: (part: JsonObject) => JsonObject): JsonObject {
  const changed = (value: Json): Json => (isJsonObject(value) ? change(value) : value);
  const entries = Object.entries(schema).map(([keyword, value]): readonly [string, Json] => {
    if (literals.has(keyword)) return [keyword, value];
    if (Array.isArray(value)) return [keyword, value.map(changed)];
    if (!byName.has(keyword) || !isJsonObject(value)) return [keyword, changed(value)];
    const parts = Object.entries(value).map(([name, part]) => [name, changed(part)]);
    return [keyword, Object.fromEntries(parts)];
  });
  return Object.fromEntries(entries);
}

function objectsIn(value: Json | undefined): Readonly<Record<string, JsonObject>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (isJsonObject(part) ? [[name, part]] : [])),
  );
}
