import type { JsonObject } from "../../model/json.ts";
import { textOfContent } from "../../model/models/message.ts";
import type { ContentPart, Message, MessageCall } from "../../model/models/message.ts";

/**
 * Messages as items of the Responses API's `input` (https://developers.openai.com/api/reference, "Create a model
 * response"). Calls and tool results are separate items. They carry no item ids, because the provider was asked not to
 * store the items.
 */
export function responsesInput(messages: readonly Message[]): readonly JsonObject[] {
  const custom = new Set(
    messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.flatMap((call) => (call.custom === true ? [call.id] : [])),
    ),
  );
  return messages.flatMap((message) => itemsOf(message, custom));
}

function itemsOf(message: Message, custom: ReadonlySet<string>): readonly JsonObject[] {
  const { role, content, tool_calls = [], tool_call_id, thoughts = [] } = message;
  if (tool_call_id !== undefined) {
    const type = custom.has(tool_call_id) ? "custom_tool_call_output" : "function_call_output";
    return [{ type, call_id: tool_call_id, output: contentOf(message) }];
  }
  const isSaid = content !== "" || tool_calls.length === 0;
  const said = isSaid ? [{ role, content: contentOf(message) }] : [];
  return [...thoughts, ...said, ...tool_calls.map(callItem)];
}

/**
 * Content of a message. A model's earlier answer is sent back as a text: the API's own form requires a message id,
 * which is not kept.
 */
function contentOf({ role, content }: Message): string | readonly JsonObject[] {
  if (typeof content === "string") return content;
  return role === "assistant" ? textOfContent(content) : content.map(partOf);
}

function partOf(part: ContentPart): JsonObject {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const { url = part.data ?? "", detail = "auto" } = part;
  return { type: "input_image", image_url: url, detail };
}

function callItem({ id, name, arguments: given, custom }: MessageCall): JsonObject {
  return custom === true
    ? { type: "custom_tool_call", call_id: id, name, input: given }
    : { type: "function_call", call_id: id, name, arguments: given };
}
