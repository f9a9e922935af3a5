import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { partsNotSent, type Provider } from "../../model/models/providers.ts";
import type { Message } from "../../model/models/message.ts";
import { responsesInput } from "./input-responses.ts";
import { chatMessagesOf } from "./messages-chat.ts";
import { passthroughFields, settingsFor, stopsToSend, written } from "./settings.ts";
import type { ModelSpec } from "../../model/definition/candidate-kinds.ts";

/** The input of a model call: one text, or messages. A case's own instructions replace those of the settings. */
export interface ModelPrompt {
  readonly prompt: string;
  readonly messages?: readonly Message[] | undefined;
  readonly instructions?: string | undefined;
}

/**
 * Makes the body of a Chat Completions request from a prompt (https://developers.openai.com/api/reference, "Create chat
 * completion"). The manifest uses the terms of the Responses API: `reasoning`, `text` and `tools` are translated.
 * OpenAI is asked not to store prompts and answers, as in the Responses API.
 */
export function chatRequest(spec: ModelSpec): (asked: ModelPrompt) => JsonObject {
  const settings = settingsFor(spec);
  const { provider, name } = spec;
  const { temperature, top_p, parallel_tool_calls, service_tier } = settings;
  const { presence_penalty, frequency_penalty } = settings;
  const reasoning = sentParts(provider, "reasoning", settings.reasoning);
  const text = sentParts(provider, "text", settings.text);
  const fields = {
    ...written({ temperature, top_p, ...tokenLimit(provider, settings.max_output_tokens) }),
    ...written({ stop: stopsToSend(provider, settings.stop), tools: chatTools(settings.tools) }),
    ...written({ tool_choice: chatToolChoice(settings.tool_choice), parallel_tool_calls }),
    ...written({ ...chatReasoning(reasoning), ...chatText(text), service_tier }),
    ...written({ presence_penalty, frequency_penalty }),
    ...(provider.passthrough ? passthroughFields(settings) : { store: false }),
  };
  return ({ prompt, messages, instructions: system = settings.instructions }) => {
    const before = system === undefined ? [] : [{ role: "system", content: system }];
    const asked = messages
      ? chatMessagesOf(messages, provider)
      : [{ role: "user", content: prompt }];
    return { model: name, messages: [...before, ...asked], ...fields };
  };
}

/**
 * The output limit under the name that the provider accepts. OpenAI's reasoning models refuse `max_tokens`; Mistral and
 * older servers refuse `max_completion_tokens` (https://github.com/simonw/llm/issues/724,
 * https://github.com/microsoft/autogen/pull/7350).
 */
export function tokenLimit(
  provider: Provider,
  limit: Json | undefined,
): Readonly<Record<string, Json | undefined>> {
  return provider.passthrough ? { max_tokens: limit } : { max_completion_tokens: limit };
}

/** The parts of a setting for which this provider has fields. */
function sentParts(
  provider: Provider,
  setting: "reasoning" | "text",
  value: Json | undefined,
): Json | undefined {
  if (!isJsonObject(value)) return value;
  const left = partsNotSent(provider, setting, value);
  return Object.fromEntries(Object.entries(value).filter(([part]) => !left.includes(part)));
}

/**
 * Translates tools: `{type, name, parameters, …}` becomes `{type, function: {name, parameters, …}}`; tools in the
 * latter form stay unchanged.
 */
export function chatTools(tools: Json | undefined): Json | undefined {
  return Array.isArray(tools) ? tools.map(chatTool) : tools;
}

/** Types of tools and tool choices that Chat Completions nests under a field named like the type. */
const wrapped: readonly Json[] = ["function", "custom", "allowed_tools"];

function chatTool(tool: Json): Json {
  if (!isJsonObject(tool)) return tool;
  const { type, ...rest } = tool;
  if (typeof type !== "string" || !wrapped.includes(type) || type in tool) return tool;
  const { tools, format } = rest;
  const inner = { ...rest, tools: chatTools(tools), format: chatFormat(format) };
  return { type, [type]: written(inner) };
}

/**
 * Translates the format of a custom tool: `{type: grammar, syntax, definition}` becomes `{type, grammar: {syntax,
 * definition}}`.
 */
function chatFormat(format: Json | undefined): Json | undefined {
  if (!isJsonObject(format) || format["type"] !== "grammar" || "grammar" in format) return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

/** Translates a choice of tools to the form of Chat Completions. */
export function chatToolChoice(choice: Json | undefined): Json | undefined {
  return choice === undefined ? undefined : chatTool(choice);
}

/**
 * Translates reasoning settings. Chat Completions has a field only for the effort. Other settings are sent unchanged:
 * some providers accept them, others report an error.
 */
export function chatReasoning(
  reasoning: Json | undefined,
): Readonly<Record<string, Json | undefined>> {
  if (!isJsonObject(reasoning)) return { reasoning };
  const { effort, ...rest } = reasoning;
  return Object.keys(rest).length === 0 ? { reasoning_effort: effort } : { reasoning };
}

/** Translates text settings to `response_format` and `verbosity`; unknown ones are sent unchanged as `text`. */
export function chatText(text: Json | undefined): Readonly<Record<string, Json | undefined>> {
  if (!isJsonObject(text)) return { text };
  const { format, verbosity, ...rest } = text;
  const unknown = Object.keys(rest).length === 0 ? undefined : rest;
  return { response_format: responseFormat(format), verbosity, text: unknown };
}

/**
 * Translates a text format: `{type: json_schema, name, schema, …}` becomes `{type, json_schema: {name, schema, …}}`.
 * Plain text is the default and is not sent.
 */
function responseFormat(format: Json | undefined): Json | undefined {
  if (!isJsonObject(format)) return format;
  if (format["type"] === "text") return undefined;
  if (format["type"] !== "json_schema" || "json_schema" in format) return format;
  const { type, ...rest } = format;
  return { type, json_schema: rest };
}

/**
 * Makes the body of a Responses API request from a prompt (https://developers.openai.com/api/reference, "Create a model
 * response"). OpenAI's own API has no `stop`, so the text is cut afterwards. It stores prompts and answers for 30 days
 * by default; `store: false` asks it not to.
 */
export function responsesRequest(spec: ModelSpec): (asked: ModelPrompt) => JsonObject {
  const settings = settingsFor(spec);
  const { provider, name } = spec;
  const { instructions, temperature, top_p, max_output_tokens } = settings;
  const { tools, tool_choice, parallel_tool_calls, max_tool_calls } = settings;
  const { reasoning, text, truncation, service_tier } = settings;
  const { presence_penalty, frequency_penalty } = settings;
  const stop = provider.passthrough ? stopsToSend(provider, settings.stop) : undefined;
  const include = tools !== undefined && !provider.passthrough ? thoughtsAsked(reasoning) : [];
  const fields = {
    ...written({ instructions, temperature, top_p, max_output_tokens, stop }),
    ...written({ tools, tool_choice, parallel_tool_calls, max_tool_calls }),
    ...written({ reasoning, text, truncation, service_tier, presence_penalty, frequency_penalty }),
    ...(provider.passthrough ? passthroughFields(settings) : { store: false }),
    ...(include.length > 0 && { include }),
  };
  return ({ prompt, messages, instructions: own }) => ({
    model: name,
    input: messages ? responsesInput(messages) : prompt,
    ...fields,
    ...(own !== undefined && { instructions: own }),
  });
}

/**
 * Asks for encrypted thoughts if the manifest has `reasoning`. If a provider does not store thoughts, they must be sent
 * back to it. Models that don't reason refuse the request for them (https://github.com/pydantic/pydantic-ai/pull/2867).
 */
function thoughtsAsked(reasoning: Json | undefined): readonly string[] {
  return isJsonObject(reasoning) ? ["reasoning.encrypted_content"] : [];
}
