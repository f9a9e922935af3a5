import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { nearest } from "../../base/nearest.ts";
import { type Problem, problem } from "../../model/refusal.ts";
import { at, keyPlaceOf, type Part, placeOf } from "../../base/part.ts";
import { formatPath, type Path } from "../../base/place.ts";
import { belongsTo, otherForm, sameMeaning } from "./known-keys.ts";
import { type ShapeError, validate } from "../suite-schema.generated.mjs";
import { describeAllowed, describeCount, describeValue } from "./wording.ts";

interface SchemaShape {
  readonly problems: readonly Problem[];
  /** True if a key of this mapping is misspelt: a missing key is then most likely that one. */
  readonly misspelt: (part: Part) => boolean;
  /** True if a problem of the value has been reported, so that no further report is needed. */
  readonly covers: (found: Problem) => boolean;
}

/** Checks a manifest, or another part with a schema, against its schema: one sentence per mistake. */
export function checkShape(root: Part, check: typeof validate = validate): SchemaShape {
  if (check(root.value)) {
    return { problems: [], misspelt: () => false, covers: () => false };
  }
  const findings = (check.errors ?? []).flatMap((error) => read(error, root));
  const unknown = findings.filter(({ problem: { code } }) => code === "key_unknown");
  const owners = new Set(unknown.map(({ owner }) => owner));
  const meant = new Set(unknown.map(({ owner, nearest: word }) => keyOf(owner, word)));
  const kept = new Map<string, Finding>();
  for (const each of findings) {
    if (each.problem.code === "key_missing" && meant.has(each.key)) continue;
    const other = kept.get(each.key);
    if (other === undefined || each.rank < other.rank) kept.set(each.key, each);
  }
  const problems = [...kept.values()].map(({ problem: found }) => found);
  const said = problems
    .filter(({ code }) => code !== "key_missing")
    .map(({ place }) => place?.path);
  return {
    problems,
    covers: ({ place }) => said.includes(place?.path),
    misspelt: ({ path }) => owners.has(formatPath(path)),
  };
}

interface Finding {
  readonly problem: Problem;
  /** Findings with the same key are about the same mistake; the one with the lowest rank is reported. */
  readonly key: string;
  readonly rank: number;
  /** The mapping that has, or lacks, a key. */
  readonly owner: string;
  readonly nearest?: string | undefined;
}

/**
 * ajv also reports each `if`, `oneOf` and `propertyNames` around a mistake, and each unknown `discriminator` beside the `enum`
 * of the same key: these add nothing.
 */
function read(error: ShapeError, root: Part): readonly Finding[] {
  const part = partAt(root, error.instancePath);
  const schema = isJsonObject(error.parentSchema) ? error.parentSchema : {};
  if (error.propertyName !== undefined) return readKey(error, part, error.propertyName);
  if (isAlternative(error, schema)) return [];
  switch (error.keyword) {
    case "if":
    case "oneOf":
    case "propertyNames":
    case "discriminator":
      return [];
    case "additionalProperties":
      return [unknownKey(part, String(error.params["additionalProperty"]), keysOf(schema))];
    case "required":
      return readMissing(error, part);
    case "uniqueItems":
      return readRepeated(error, part);
    default:
      return readValue(error, part, schema);
  }
}

function readKey(error: ShapeError, part: Part, key: string): readonly Finding[] {
  const place = keyPlaceOf(at(part, key));
  switch (error.keyword) {
    case "enum": {
      const allowed = textsIn(error.params["allowedValues"]);
      return [{ ...unknownKey(part, key, allowed), rank: 0 }];
    }
    case "not":
      return [finding(part, key, problem("short_form_mixed", { key }, place))];
    case "maxLength":
      return [
        finding(
          part,
          key,
          problem("value_long", { found: key.length, limit: Number(error.params["limit"]) }, place),
        ),
      ];
    case "pattern": {
      const found = describeValue(key);
      return [
        finding(
          part,
          key,
          problem("value_characters", { found, allowed: patternWords(error) }, place),
        ),
      ];
    }
    default:
      return [];
  }
}

function unknownKey(part: Part, key: string, allowed: readonly string[]): Finding {
  const same = sameMeaning(key, allowed);
  const form = same === undefined ? otherForm(key, allowed) : undefined;
  const belongs = same === undefined && form === undefined ? sectionOf(part, key) : undefined;
  const isOpen = belongs === undefined && form === undefined;
  const word = same ?? (isOpen ? nearest(key, allowed) : undefined);
  const said = { key, allowed, nearest: word, belongs: form ?? (belongs && `\`${belongs}\``) };
  const found = problem("key_unknown", said, keyPlaceOf(at(part, key)));
  return { ...finding(part, key, found), rank: 1, nearest: word };
}

/** The section that a key belongs to. `run.generation` is for models: it would not do what a program's key is to do. */
function sectionOf({ path }: Part, key: string): string | undefined {
  const section = belongsTo(key);
  const isOfModels = section?.startsWith("run.generation.") === true;
  return path[0] === "candidates" && isOfModels ? undefined : section;
}

/** "Exactly one of these keys": the part's own checks report it better than the schema. */
function isAlternative(error: ShapeError, schema: JsonObject): boolean {
  return Object.keys(schema).length === 1 && error.schemaPath.includes("oneOf/");
}

function readMissing(error: ShapeError, part: Part): readonly Finding[] {
  const key = String(error.params["missingProperty"]);
  const place = { ...placeOf(part), path: formatPath(part.path) };
  return [finding(part, key, problem("key_missing", { key }, place))];
}

function readRepeated(error: ShapeError, part: Part): readonly Finding[] {
  const item = at(part, Math.max(Number(error.params["i"]), Number(error.params["j"])));
  return [
    valueFinding(
      item,
      0,
      problem("value_repeated", { found: describeValue(item.value) }, placeOf(item)),
    ),
  ];
}

function readValue(error: ShapeError, part: Part, schema: JsonObject): readonly Finding[] {
  const found = describeValue(part.value);
  const place = placeOf(part);
  switch (error.keyword) {
    case "enum":
      return [unknownValue(part, textsIn(error.params["allowedValues"]), schema)];
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum": {
      const allowed = describeAllowed(schema);
      return [valueFinding(part, 1, problem("value_range", { found, allowed }, place))];
    }
    case "minLength":
      return [valueFinding(part, 1, problem("value_empty", undefined, place))];
    case "maxLength": {
      const counted = {
        found: typeof part.value === "string" ? part.value.length : 0,
        limit: Number(error.params["limit"]),
      };
      return [valueFinding(part, 1, problem("value_long", counted, place))];
    }
    case "pattern": {
      const allowed = patternWords(error);
      return [valueFinding(part, 2, problem("value_characters", { found, allowed }, place))];
    }
    case "minItems":
    case "maxItems":
    case "minProperties":
    case "maxProperties": {
      const counted = { found: countOf(part), allowed: describeCount(schema) };
      return [valueFinding(part, 1, problem("value_count", counted, place))];
    }
    default:
      return [wrongType(part, schema)];
  }
}

function wrongType(part: Part, schema: JsonObject): Finding {
  if (part.path.at(-1) === "prompt_template" && Array.isArray(part.value))
    return valueFinding(part, 0, problem("prompt_is_list", undefined, placeOf(part)));
  const allowed = describeAllowed(schema);
  const isScalar = typeof part.value === "number" || typeof part.value === "boolean";
  const quoted =
    isScalar && allowed.includes("a text") ? JSON.stringify(String(part.value)) : undefined;
  const found = { found: describeValue(part.value), allowed, quoted };
  return valueFinding(part, 0, problem("value_type", found, placeOf(part)));
}

function unknownValue(part: Part, words: readonly string[], schema: JsonObject = {}): Finding {
  const word = typeof part.value === "string" ? nearest(part.value, words) : undefined;
  const sentence = schema["patternErrorMessage"];
  const allowed = typeof sentence === "string" ? [sentence] : words;
  const found = { found: describeValue(part.value), allowed, nearest: word };
  return valueFinding(part, 1, problem("value_unknown", found, placeOf(part)));
}

function finding(part: Part, key: string, found: Problem): Finding {
  const owner = formatPath(part.path);
  return { problem: found, key: keyOf(owner, key), rank: 1, owner };
}

function valueFinding(part: Part, rank: number, found: Problem): Finding {
  return { problem: found, key: formatPath(part.path), rank, owner: "" };
}

function keyOf(owner: string, key: string | undefined): string {
  return `${owner}\n${key ?? ""}`;
}

function partAt(root: Part, pointer: string): Part {
  const path: Path = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return path.reduce<Part>(
    (part, step) => at(part, Array.isArray(part.value) ? Number(step) : step),
    root,
  );
}

function patternWords(error: ShapeError): string {
  const schema = isJsonObject(error.parentSchema) ? error.parentSchema : {};
  const words = schema["patternErrorMessage"];
  return typeof words === "string" ? words : "other characters";
}

function keysOf(schema: JsonObject): readonly string[] {
  const properties = schema["properties"];
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

function textsIn(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
}

function countOf(part: Part): number {
  if (Array.isArray(part.value)) return part.value.length;
  return isJsonObject(part.value) ? Object.keys(part.value).length : 0;
}
