import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { builtinGraders } from "../src/model/definition/builtins.ts";
import { isJsonObject, type Json, type JsonObject } from "../src/model/json.ts";
import { describeAllowed } from "../src/manifest/syntax/wording.ts";
import { requiredOf } from "./builtin-schemas.ts";
import { code, probe, problemsOf, wordOf } from "./manifest-probe.ts";
import { withoutNulls, sections, task, whole, type Section } from "./manifest-sections.ts";

/**
 * Writes the tables of docs/manifest.md: `node scripts/document-manifest.ts`. Keys, types and defaults come from
 * schemas/suite.schema.json. Each key is tried: the manifest's own reader must accept a manifest with it.
 */
export async function documentManifest(root: string): Promise<string> {
  const schema = readSchema(await readFile(join(root, "schemas/suite.schema.json"), "utf8"));
  let page = await readFile(join(root, "docs/manifest.md"), "utf8");
  for (const section of sections) page = fill(page, section.name, await keyTable(section, schema));
  page = fill(page, "extractions", extractionTable(schema));
  return fill(page, "builtin graders", await graderTable());
}

const generation = "#/$defs/generation/properties/";

async function keyTable(section: Section, schema: JsonObject): Promise<string> {
  const part = at(schema, section.schema);
  const properties = objectIn(part, "properties");
  const required = textsIn(part["required"]);
  const rows: string[] = [];
  const settings: string[] = [];
  for (const [key, value] of Object.entries(properties)) {
    const ref = isJsonObject(value) ? wordOf(value["$ref"]) : "";
    // The short form has the keys of a task.
    if (ref.startsWith("#/$defs/task/properties/")) continue;
    const about = { ...resolved(value, schema), ...(isJsonObject(value) ? value : {}) };
    await probe(section, key, about);
    // Settings of a model call have a separate table; the time limit belongs to every candidate.
    if (ref.startsWith(generation) && key !== "timeout_seconds") settings.push(key);
    else {
      const wanted = required.includes(key) ? "required" : defaultOf(about);
      rows.push(row([code(key), typeOf(about), wanted, described(about)]));
    }
  }
  if (settings.length > 0)
    rows.push(
      row([
        settings.map(code).join(", "),
        "",
        "",
        "Settings of a model, before those of [`run.generation`](#generation).",
      ]),
    );
  return table(["key", "type", "default", "meaning"], rows);
}

function extractionTable(schema: JsonObject): string {
  const kinds = at(schema, "#/$defs/output_extraction")["oneOf"];
  const rows = objectsIn(kinds).map((kind) => {
    const options = Object.entries(objectIn(kind, "properties")).filter(([key]) => key !== "type");
    const listed = options.map(([key, about]) => optionOf(key, about, textsIn(kind["required"])));
    return row([code(wordOf(kind["title"])), described(kind), listed.join(" ")]);
  });
  return table(["type", "meaning", "options"], rows);
}

async function graderTable(): Promise<string> {
  const rows: string[] = [];
  for (const [name, { metrics, options, seesAll, takesOneOf = [] }] of Object.entries(
    builtinGraders,
  )) {
    const required = requiredOf(options);
    const written = [...required, ...takesOneOf.slice(0, 1)];
    const examples = written.map((key) => [key, exampleOf(options[key])] as const);
    const found = await problemsOf({
      ...whole,
      tasks: [
        withoutNulls({
          ...task,
          ...graderKeys({ type: name, ...Object.fromEntries(examples) }, seesAll === true),
          metrics: null,
        }),
      ],
      run: {
        judge_model: "openai:gpt-5.4-mini",
        embedding_model: "openai:text-embedding-3-small",
      },
    });
    if (found.length > 0) throw new Error(`${name}: ${found.join(", ")}`);
    const listed = Object.entries(options).map(([key, about]) => optionOf(key, about, required));
    const scores = metrics.map(({ id, description }) => `${code(id)}: ${description ?? ""}`);
    rows.push(row([code(name), scores.join(" "), listed.join(" ")]));
  }
  return table(["grader", "scores", "options"], rows);
}

/** A grader of all samples needs another grader with a result for each sample. */
function graderKeys(grader: JsonObject, seesAll: boolean): JsonObject {
  return seesAll ? { grader: null, graders: [{ type: "exact_match" }, grader] } : { grader };
}

function exampleOf(option: Json | undefined): Json {
  const examples = isJsonObject(option) ? option["examples"] : undefined;
  return (Array.isArray(examples) ? examples[0] : undefined) ?? "x";
}

function optionOf(key: string, about: Json, required: readonly string[]): string {
  if (!isJsonObject(about)) return "";
  const value = defaultOf(about);
  const wanted = required.includes(key) ? "required" : value && `default ${value}`;
  return `${code(key)} (${[typeOf(about), wanted].filter((word) => word !== "").join(", ")}): ${described(about)}`;
}

function typeOf(about: JsonObject): string {
  const words = about["enum"];
  if (Array.isArray(words)) return words.map((word) => code(wordOf(word))).join(", ");
  if (about["const"] !== undefined) return code(wordOf(about["const"]));
  if (["type", "oneOf", "anyOf", "properties"].every((key) => about[key] === undefined)) {
    return "anything";
  }
  const sentence = describeAllowed(about["type"] === undefined ? { type: "object" } : short(about));
  return sentence.replaceAll("null", "`null`").replaceAll(/"(\w+)"/g, "`$1`");
}

/** Leaves out a long list of words next to other types, because it is documented elsewhere. */
function short(about: JsonObject): JsonObject {
  const only = isJsonObject(about["then"]) ? about["then"]["enum"] : undefined;
  if (!Array.isArray(only) || only.length < 2) return about;
  return Object.fromEntries(Object.entries(about).filter(([key]) => key !== "then"));
}

function defaultOf(about: JsonObject): string {
  const value = about["default"];
  if (value === undefined) return "";
  const isPlain = typeof value === "string" && value !== "" && !value.includes("\n");
  return code(isPlain ? value : JSON.stringify(value));
}

function described(about: JsonObject): string {
  return wordOf(about["description"]);
}

function resolved(value: Json, schema: JsonObject): JsonObject {
  if (!isJsonObject(value)) return {};
  const ref = value["$ref"];
  return typeof ref === "string" ? resolved(at(schema, ref), schema) : value;
}

/** Resolves a JSON pointer in the schema. */
function at(schema: JsonObject, pointer: string): JsonObject {
  const found = pointer
    .split("/")
    .slice(1)
    .reduce<Json | undefined>(
      (part, step) =>
        Array.isArray(part) ? part[Number(step)] : isJsonObject(part) ? part[step] : undefined,
      schema,
    );
  if (!isJsonObject(found)) throw new Error(`the schema has no ${pointer}`);
  return found;
}

function readSchema(text: string): JsonObject {
  const schema: unknown = JSON.parse(text);
  if (isJsonObject(schema)) return schema;
  throw new TypeError("the schema is no object");
}

function objectIn(part: JsonObject, key: string): JsonObject {
  const value = part[key];
  return isJsonObject(value) ? value : {};
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.trim().replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

function table(heads: readonly string[], rows: readonly string[]): string {
  return [row(heads), `|${heads.map(() => "---|").join("")}`, ...rows].join("\n");
}

function fill(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name}: generated from the schema -->`, `<!-- end of ${name} -->`];
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/manifest.md lacks ${start} or ${end}`);
  return `${page.slice(0, from)}${start}\n\n${text}\n\n${page.slice(to)}`;
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname);
  await writeFile(join(root, "docs/manifest.md"), await documentManifest(root));
}
