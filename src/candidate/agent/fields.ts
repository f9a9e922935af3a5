import { toolServer } from "../../model/agent.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

// Fields of events: whatever is of another kind than expected is not there.

export function wordsIn(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
}

/** A whole number from 0. */
export function wholeIn(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function nestedIn(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key];
  return isJsonObject(value) ? value : undefined;
}

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

/** A tool of a server is called `mcp__SERVER__TOOL`, whichever runtime calls it. */
export function serverOf(name: string): { readonly server?: string } {
  const server = toolServer(name);
  return server === undefined ? {} : { server };
}

/** The name of a tool of a server, and the server. */
export function serverTool(
  server: string,
  tool: string,
): { readonly name: string; readonly server: string } {
  return { name: `mcp__${server}__${tool}`, server };
}
