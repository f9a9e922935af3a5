import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Cuts out the part of OpenAI's OpenAPI description that the tests use to check requests to models:
 * test/support/provider/openai.json. The whole has 3 MB: `node scripts/slice-openai.ts openapi.json COMMIT`, with that
 * file of github.com/openai/openai-openapi (MIT) and the commit that it comes from.
 */

const bodies = {
  chat: "CreateChatCompletionRequest",
  responses: "CreateResponse",
};

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}

/** Keys that only people, or code generators, read. */
const left: ReadonlySet<string> = new Set([
  "description",
  "example",
  "examples",
  "externalDocs",
  "title",
  "deprecated",
  "discriminator",
  "default",
  "format",
  "nullable",
]);

const [path = "", commit = ""] = process.argv.slice(2);
if (path === "" || !/^[0-9a-f]{40}$/.test(commit))
  throw new Error("usage: node scripts/slice-openai.ts openapi.json COMMIT");
const described = JSON.parse(await readFile(path, "utf8")) as JsonObject;
const out = join(dirname(import.meta.dirname), "test/support/provider/openai.json");
const text = `${JSON.stringify(cut(described), undefined, 1)}\n`;
await writeFile(out, text);
execFileSync(join(import.meta.dirname, "../node_modules/.bin/oxfmt"), [out]);
console.log(`${out}: ${text.length} bytes`);

function cut(description: JsonObject): JsonObject {
  const all = object(object(description["components"])["schemas"]);
  const kept: Record<string, Json> = {};
  const open: string[] = Object.values(bodies);
  for (const name of open) {
    if (Object.hasOwn(kept, name)) continue;
    kept[name] = toSchema(all[name] ?? null);
    open.push(...references(kept[name] ?? null));
  }
  const schemas = Object.fromEntries(Object.entries(kept).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const from = `https://github.com/openai/openai-openapi/blob/${commit}/openapi.json`;
  const info = {
    from,
    license: "MIT, Copyright (c) OpenAI (https://openai.com)",
    by: "scripts/slice-openai.ts",
  };
  return { info, bodies, components: { schemas } };
}

/** Converts OpenAPI's dialect to JSON Schema: `nullable` becomes a type, and texts and extensions are removed. */
function toSchema(value: Json, isMap = false): Json {
  if (Array.isArray(value)) return value.map((each: Json) => toSchema(each));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value as JsonObject).flatMap(([key, each]): [string, Json][] => {
    if (!isMap && (left.has(key) || key.startsWith("x-"))) return [];
    // The values of `properties` are schemas, even if a property has a keyword's name; those of `enum` are data.
    if (!isMap && (key === "enum" || key === "const" || key === "required")) return [[key, each]];
    // Alternatives overlap: a message is an `EasyInputMessage` and an `InputMessage`, and must be no more than one of them.
    const name = !isMap && key === "oneOf" ? "anyOf" : key;
    return [[name, toSchema(each, !isMap && key === "properties")]];
  });
  const schema = Object.fromEntries(entries);
  return !isMap && (value as JsonObject)["nullable"] === true
    ? { anyOf: [schema, { type: "null" }] }
    : schema;
}

function references(value: Json): string[] {
  return [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name ?? "",
  );
}

function object(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}
