import type { JsonObject } from "../../model/json.ts";
import type { ContentPart, Message, MessageCall } from "../../model/models/message.ts";
import type { Provider } from "../../model/models/providers.ts";

/**
 * Messages in the form of Chat Completions (https://developers.openai.com/api/reference, "Create chat completion"), for
 * models and for the user's own programs and apps. Compatible servers know only `system`.
 */
export function chatMessagesOf(
  messages: readonly Message[],
  provider?: Provider,
): readonly JsonObject[] {
  return messages.map(({ role, content, tool_calls = [], tool_call_id }) => ({
    role: role === "developer" && provider?.passthrough === true ? "system" : role,
    content: typeof content === "string" ? content : content.map(chatPart),
    ...(tool_calls.length > 0 && { tool_calls: tool_calls.map(chatCall) }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  }));
}

function chatPart(part: ContentPart): JsonObject {
  if (part.type === "text") return part;
  const { url = part.data ?? "", detail } = part;
  return { type: "image_url", image_url: { url, ...(detail && { detail }) } };
}

function chatCall({ id, name, arguments: given, custom, extra_content }: MessageCall): JsonObject {
  const extra = extra_content === undefined ? {} : { extra_content };
  return custom === true
    ? { id, type: "custom", custom: { name, input: given }, ...extra }
    : { id, type: "function", function: { name, arguments: given }, ...extra };
}
