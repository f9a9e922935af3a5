import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Provider } from "../../model/models/providers.ts";
import { shorten } from "./provider-error.ts";

/**
 * Translates `instructions` and `input` of a Responses API request to messages of Chat Completions: texts, images,
 * files and sound in messages, and function calls with their results.
 */
export function chatMessages(
  { instructions, input }: JsonObject,
  provider: Provider,
): { readonly messages: readonly JsonObject[] } | { readonly refused: string } {
  const before = typeof instructions === "string" ? [system(instructions)] : [];
  if (typeof input === "string") {
    return { messages: [...before, { role: "user", content: input }] };
  }
  const messages: JsonObject[] = [...before];
  for (const [i, item] of (Array.isArray(input) ? input : []).entries()) {
    const message = isJsonObject(item) ? messageOf(item, provider) : undefined;
    if (message === undefined) {
      return {
        refused: `Chat Completions have no word for input[${i}], ${shorten(JSON.stringify(item))}`,
      };
    }
    messages.push(message);
  }
  return { messages };
}

function system(content: string): JsonObject {
  return { role: "system", content };
}

function messageOf(item: JsonObject, provider: Provider): JsonObject | undefined {
  const { type = "message" } = item;
  if (type === "function_call") return callMessage(item);
  if (type === "function_call_output") {
    const { call_id = null, output = "" } = item;
    const content = typeof output === "string" ? output : JSON.stringify(output);
    return { role: "tool", tool_call_id: call_id, content };
  }
  if (type !== "message") return undefined;
  const content = contentOf(item["content"]);
  return content === undefined ? undefined : { role: roleOf(item["role"], provider), content };
}

function callMessage({
  call_id = null,
  name = null,
  arguments: given = null,
}: JsonObject): JsonObject {
  const call = { id: call_id, type: "function", function: { name, arguments: given } };
  return { role: "assistant", content: null, tool_calls: [call] };
}

/** The role of a message. `developer` is OpenAI's newer word for `system`; other servers do not know it. */
function roleOf(role: Json | undefined, { passthrough }: Provider): Json {
  return passthrough && role === "developer" ? "system" : (role ?? "user");
}

/** The content of a message; undefined if a part has no counterpart. */
function contentOf(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content;
  const translated = content.map((part) => (isJsonObject(part) ? partOf(part) : undefined));
  return translated.every((part) => part !== undefined) ? translated : undefined;
}

function partOf(part: JsonObject): JsonObject | undefined {
  const { type, ...rest } = part;
  return typeof type === "string" ? parts.get(type)?.(rest) : undefined;
}

const asText = ({ text = "" }: JsonObject): JsonObject => ({ type: "text", text });

/** Translations of content parts, by their type in the Responses API. */
const parts: ReadonlyMap<string, (part: JsonObject) => JsonObject> = new Map([
  ["input_text", asText],
  ["output_text", asText],
  ["text", asText],
  ["refusal", ({ refusal = "" }: JsonObject) => ({ type: "refusal", refusal })],
  [
    "input_image",
    ({ image_url: url = null, detail }: JsonObject) => ({
      type: "image_url",
      image_url: { url, ...(detail !== undefined && { detail }) },
    }),
  ],
  ["input_file", (file: JsonObject) => ({ type: "file", file })],
  ["input_audio", (sound: JsonObject) => ({ type: "input_audio", ...sound })],
]);
