import { toolServer } from "../../model/models/agent.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

// Readers of an event's fields. A field of another type than expected counts as missing.

/** A text field; undefined if it is no text. */
export function wordsIn(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
}

/** A whole number from 0; undefined if the field is anything else. */
export function wholeIn(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** An object field; undefined if it is no object. */
export function nestedIn(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key];
  return isJsonObject(value) ? value : undefined;
}

/** The objects of a list field; empty if it is no list. */
export function nestedList(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A tool's result as text: the texts of a list of parts, and only the type of other parts. */
export function outputText(content: Json): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === null ? "" : JSON.stringify(content);
  return content
    .map((part) => {
      if (!isJsonObject(part)) return JSON.stringify(part);
      return wordsIn(part, "text") ?? `[${wordsIn(part, "type") ?? "part"}]`;
    })
    .join("\n");
}

/** The server of a tool. Every runtime calls a server's tool `mcp__SERVER__TOOL`. */
export function serverOf(name: string): { readonly server?: string } {
  const server = toolServer(name);
  return server === undefined ? {} : { server };
}

/** The full name of a server's tool, with its server. */
export function serverTool(
  server: string,
  tool: string,
): { readonly name: string; readonly server: string } {
  return { name: `mcp__${server}__${tool}`, server };
}
