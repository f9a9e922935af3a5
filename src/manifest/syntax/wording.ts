import { cutText } from "../../base/cut-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** Describes a value, short enough for a sentence. */
export function describeValue(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "nothing (null)";
  if (Array.isArray(value)) return "a list";
  if (isJsonObject(value)) return "a mapping";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${cutText(text, 57)}…"` : text;
}

/** Describes the values that a schema allows: `a whole number from 1 to 25 or "auto"`. */
export function describeAllowed(schema: JsonObject): string {
  return typesOf(schema)
    .map((type) => describeType(type, schema))
    .join(" or ");
}

/** A number of things: `1 to 100`. */
export function describeCount(schema: JsonObject): string {
  const least = bound(schema, "minItems") ?? bound(schema, "minProperties") ?? 0;
  const most = bound(schema, "maxItems") ?? bound(schema, "maxProperties");
  if (least === most) return `exactly ${least}`;
  return most === undefined ? `${least} or more` : `${least} to ${most}`;
}

function typesOf(schema: JsonObject): readonly string[] {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.map(String) : ["something else"];
}

function describeType(type: string, schema: JsonObject): string {
  switch (type) {
    case "integer":
      return `a whole number${describeBounds(schema)}`;
    case "number":
      return `a number${describeBounds(schema)}`;
    case "string":
      return describeText(schema);
    case "boolean":
      return "true or false";
    case "array":
      return describeList(schema);
    case "object":
      return "a mapping";
    default:
      return type;
  }
}

function describeBounds(schema: JsonObject): string {
  const [least, most] = [bound(schema, "minimum"), bound(schema, "maximum")];
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  const [above, below] = [bound(schema, "exclusiveMinimum"), bound(schema, "exclusiveMaximum")];
  const bounds = [
    ...(least === undefined ? [] : [`of ${least} or more`]),
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(most === undefined ? [] : [`of ${most} or less`]),
    ...(below === undefined ? [] : [`below ${below}`]),
  ];
  return bounds.length === 0 ? "" : ` ${bounds.join(" and ")}`;
}

function bound(schema: JsonObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" ? value : undefined;
}

/** If only some texts are allowed besides other types, the schema has an if/then. */
function describeText(schema: JsonObject): string {
  const then = schema["then"];
  const words = isJsonObject(then) ? then["enum"] : undefined;
  return Array.isArray(words) ? words.map((word) => JSON.stringify(word)).join(", ") : "a text";
}

function describeList(schema: JsonObject): string {
  const items = schema["items"];
  const texts = isJsonObject(items) && items["type"] === "string";
  return texts ? "a list of texts" : "a list";
}
