import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { ModelRef } from "../../model/definition/suite.ts";
import { chatMessages } from "./grader-messages.ts";
import { chatReasoning, chatText, chatToolChoice, chatTools, tokenLimit } from "./request.ts";
import { written } from "./settings.ts";

/** The body of a request, or the reason why this API can't express the request. */
export type Body = { readonly body: JsonObject } | { readonly refused: string };

/**
 * Translates a grader's request from the Responses API to Chat Completions, for providers without the former. Fields
 * without an equivalent are refused by name, unless their value asks for the default behaviour.
 */
export function chatBody({ model, provider, name }: ModelRef, request: JsonObject): Body {
  const missing = fieldsWithoutChat.find((field) => asksForMore(request[field]));
  if (missing !== undefined) {
    return {
      refused: `'${missing}' is of the Responses API, and ${provider.id} is asked through Chat Completions (${model}): leave it out, or ask a model of a provider whose 'api' is responses`,
    };
  }
  const messages = chatMessages(request, provider);
  if ("refused" in messages) return messages;
  const { temperature, top_p, parallel_tool_calls, service_tier, max_output_tokens } = request;
  const { stop, presence_penalty, frequency_penalty, seed } = request;
  return {
    body: {
      model: name,
      messages: messages.messages,
      ...written({ temperature, top_p, ...tokenLimit(provider, max_output_tokens) }),
      ...written({ tools: chatTools(request["tools"]), parallel_tool_calls, service_tier }),
      ...written({ tool_choice: chatToolChoice(request["tool_choice"]), ...logProbs(request) }),
      ...written({ ...chatReasoning(request["reasoning"]), ...chatText(request["text"]) }),
      ...written({ stop, presence_penalty, frequency_penalty, seed }),
      ...(provider.passthrough ? ownFields(request) : auditFields(request)),
    },
  };
}

const fieldsWithoutChat = ["truncation", "include", "max_tool_calls", "previous_response_id"];

/**
 * True if a field's value asks for more than the default. Chat Completions' default behaviour equals `truncation:
 * disabled`, no `include` and null.
 */
function asksForMore(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "disabled") return false;
  return !(Array.isArray(value) && value.length === 0);
}

function logProbs({ top_logprobs }: JsonObject): Readonly<Record<string, Json | undefined>> {
  return top_logprobs === undefined || top_logprobs === null
    ? {}
    : { logprobs: true, top_logprobs };
}

/**
 * Fields that compatible servers accept in addition to OpenAI's. Metadata is not sent: it is for audits, and the sample
 * keeps it.
 */
function ownFields({
  top_k,
  min_p,
  repetition_penalty,
  do_sample,
  chat_template_kwargs,
}: JsonObject): JsonObject {
  return written({ top_k, min_p, repetition_penalty, do_sample, chat_template_kwargs });
}

/** Fields for audits. OpenAI stores requests with their metadata; other servers refuse these fields. */
function auditFields(request: JsonObject): JsonObject {
  const { metadata, user, safety_identifier } = request;
  const { prompt_cache_key, prompt_cache_retention } = request;
  const stored = written({ store: true, metadata, user, safety_identifier });
  return { ...stored, ...written({ prompt_cache_key, prompt_cache_retention }) };
}

/**
 * Translates an answer of Chat Completions to the form of the Responses API
 * (https://developers.openai.com/api/reference, "The response object"), so that graders read one form only.
 */
export function responseOfChat(
  answer: JsonObject,
  read: {
    readonly text: string;
    readonly refusal: string | undefined;
    readonly cutOff: string | undefined;
  },
): JsonObject {
  const { text, refusal, cutOff } = read;
  const status = cutOff === undefined ? "completed" : "incomplete";
  const id = answer["id"] ?? null;
  const part =
    refusal === undefined
      ? { type: "output_text", text, annotations: [], ...logProbsOf(answer) }
      : { type: "refusal", refusal };
  const calls = callsOf(answer);
  const isSilent = text === "" && refusal === undefined && calls.length > 0;
  const message = { type: "message", id, status, role: "assistant", content: [part] };
  return {
    id,
    object: "response",
    created_at: answer["created"] ?? null,
    status,
    error: null,
    incomplete_details: cutOff === undefined ? null : { reason: cutOff },
    model: answer["model"] ?? null,
    output: [...(isSilent ? [] : [message]), ...calls],
  };
}

function choiceOf(answer: JsonObject): JsonObject {
  const { choices } = answer;
  const first = Array.isArray(choices) ? choices[0] : undefined;
  return isJsonObject(first) ? first : {};
}

function logProbsOf(answer: JsonObject): JsonObject {
  const { logprobs } = choiceOf(answer);
  return isJsonObject(logprobs) && logprobs["content"] !== undefined
    ? { logprobs: logprobs["content"] }
    : {};
}

function callsOf(answer: JsonObject): readonly JsonObject[] {
  const { message } = choiceOf(answer);
  const calls = isJsonObject(message) ? message["tool_calls"] : undefined;
  if (!Array.isArray(calls)) return [];
  return calls.filter(isJsonObject).flatMap(({ id = null, function: called }) => {
    if (!isJsonObject(called)) return [];
    const { name = null, arguments: given = null } = called;
    return [
      { type: "function_call", id, call_id: id, name, arguments: given, status: "completed" },
    ];
  });
}
