import { readField, valueText } from "../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/** Values for the templates of a request. */
export interface TemplateValues {
  readonly prompt: string;
  /** The messages for `{{messages}}`. If undefined, `messages` is the name of a field. */
  readonly messages?: Json | undefined;
  readonly fields: JsonObject;
  /** The variables allowed in `{{env.NAME}}`. */
  readonly env: Readonly<Record<string, string>>;
}

const braces = /\{\{([^{}"\n]*)\}\}/g;

/**
 * Fills `{{prompt}}`, `{{field}}` (also `{{a.b}}`) and `{{env.NAME}}`, once: braces inside a value are text. Missing and
 * null values become empty, objects and lists become JSON. `encode` is applied to each value.
 */
export function fill(
  template: string,
  values: TemplateValues,
  encode: (value: string) => string = (value) => value,
): string {
  return template.replaceAll(braces, (whole, inner: string) => {
    const name = inner.trim();
    return name === "" ? whole : encode(valueOf(name, values));
  });
}

function valueOf(name: string, { prompt, messages, fields, env }: TemplateValues): string {
  if (name === "prompt") return prompt;
  if (name === "messages" && messages !== undefined) return JSON.stringify(messages);
  const variable = variableOf(name);
  return variable === undefined ? valueText(readField(fields, name)) : (env[variable] ?? "");
}

function variableOf(name: string): string | undefined {
  return name.startsWith("env.") ? name.slice("env.".length) : undefined;
}

/** Fills every text within a value; the names of fields stay unchanged. */
export function fillEvery(template: Json, values: TemplateValues): Json {
  if (typeof template === "string") {
    const { messages } = values;
    // A text that consists of `{{messages}}` alone becomes the list itself, not a text with JSON in it.
    return messages !== undefined && /^\{\{\s*messages\s*\}\}$/.test(template)
      ? messages
      : fill(template, values);
  }
  if (Array.isArray(template)) return template.map((each) => fillEvery(each, values));
  if (!isJsonObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, fillEvery(value, values)]),
  );
}

/** Encodes a value for a URL. Half a surrogate pair, which has no UTF-8, becomes U+FFFD. */
export function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/** The row fields that a template names, in a text or anywhere in a value. */
export function fieldsIn(template: Json | undefined): readonly string[] {
  if (typeof template === "string") {
    const names = [...template.matchAll(braces)].map((match) => (match[1] ?? "").trim());
    return names.filter(
      (name) => name !== "" && name !== "prompt" && variableOf(name) === undefined,
    );
  }
  if (Array.isArray(template)) return template.flatMap(fieldsIn);
  return isJsonObject(template) ? Object.values(template).flatMap(fieldsIn) : [];
}
