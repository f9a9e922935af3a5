import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { filteredWords, textIn, type ModelAnswer } from "./answer.ts";
import { chatTokens } from "./usage.ts";

/**
 * Reads an answer of a Chat Completions API (https://developers.openai.com/api/reference, "The chat completion
 * object"), including what compatible servers add: thoughts as `reasoning_content` (DeepSeek, vLLM) or `reasoning`
 * (OpenRouter, Groq), content as a list of parts (Mistral).
 */
export function readChatAnswer(answer: JsonObject): ModelAnswer {
  const choices = answer["choices"];
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const message = isJsonObject(choice) ? choice["message"] : undefined;
  if (!isJsonObject(choice) || !isJsonObject(message)) {
    return { kind: "malformed", reason: "it has no 'choices' with a 'message'" };
  }
  const reason = textIn(choice["finish_reason"]) ?? "stop";
  if (brokenOff.includes(reason)) {
    return { kind: "malformed", reason: `its finish_reason is ${reason}` };
  }
  const { text, refusal, thoughts } = readContent(message["content"]);
  const rest = {
    transcript: [...thoughtsOf(message, thoughts), ...callsOf(message)],
    responseId: textIn(answer["id"]) ?? null,
    tokens: chatTokens(answer["usage"]),
  };
  const declined = textIn(message["refusal"]) ?? refusal;
  if (declined !== "") return { kind: "refused", type: "refusal", message: declined, ...rest };
  const cutOff = filtered.test(reason) ? "content_filter" : cutOffs.get(reason);
  return cutOff === "content_filter" && text === ""
    ? { kind: "refused", type: "content_filter", message: filteredWords, ...rest }
    : { kind: "said", text, cutOff, ...rest };
}

/** Reasons for a cut-off in the Responses API's terms, except for Mistral's `model_length`. */
const cutOffs: ReadonlyMap<string, string> = new Map([
  ["length", "max_output_tokens"],
  ["model_length", "model_length"],
]);

/**
 * OpenAI's reason for filtered content, and Gemini's reasons, which its compatible API has returned alone or appended
 * to OpenAI's.
 */
const filtered =
  /^(?:content_filter\b.*|safety|recitation|blocklist|prohibited_content|spii|language)$/i;

/** Reasons that Mistral, DeepSeek and vLLM give for an answer that they could not finish. */
const brokenOff: readonly string[] = ["error", "insufficient_system_resource", "abort"];

function readContent(content: Json | undefined): {
  readonly text: string;
  readonly refusal: string;
  readonly thoughts: readonly string[];
} {
  if (!Array.isArray(content)) return { text: textIn(content) ?? "", refusal: "", thoughts: [] };
  const parts = content.filter(isJsonObject);
  const all = (type: string, wordsOf: (part: JsonObject) => string): readonly string[] =>
    parts.filter((part) => part["type"] === type).map(wordsOf);
  const refusal = all("refusal", (part) => textIn(part["refusal"]) ?? "").join("");
  return { text: all("text", textOf).join(""), refusal, thoughts: all("thinking", thinkingOf) };
}

function textOf(part: JsonObject): string {
  return textIn(part["text"]) ?? "";
}

function thinkingOf({ thinking }: JsonObject): string {
  return Array.isArray(thinking)
    ? thinking.filter(isJsonObject).map(textOf).join("")
    : (textIn(thinking) ?? "");
}

function thoughtsOf(message: JsonObject, thoughts: readonly string[]): readonly JsonObject[] {
  const beside = textIn(message["reasoning_content"]) ?? textIn(message["reasoning"]);
  return [...(beside === undefined ? [] : [beside]), ...thoughts]
    .filter((text) => text !== "")
    .map((text) => ({ type: "reasoning", text }));
}

/** Calls of functions and of custom tools. `function_call` is the older form of `tool_calls`. */
function callsOf({ tool_calls, function_call }: JsonObject): readonly JsonObject[] {
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isJsonObject) : [];
  const before = isJsonObject(function_call) ? [{ function: function_call }] : [];
  return [...calls, ...before].map((call: JsonObject) => {
    const called = call["function"] ?? call["custom"];
    if (!isJsonObject(called)) return call;
    const { name = null, arguments: given = called["input"] ?? null } = called;
    const { id = null, extra_content } = call;
    const custom = "custom" in call ? { custom: true } : {};
    const extra = extra_content === undefined ? {} : { extra_content };
    return Object.assign({ type: "tool_call", id, name, arguments: given }, custom, extra);
  });
}
