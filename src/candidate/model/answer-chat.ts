import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { textIn, type ModelAnswer } from "./answer.ts";
import { chatTokens } from "./usage.ts";

/**
 * Reads an answer of a Chat Completions API (https://developers.openai.com/api/reference, "The chat completion object"),
 * with what compatible servers add: thoughts as `reasoning_content` (DeepSeek, vLLM) or `reasoning` (OpenRouter, Groq),
 * content as a list of parts (Mistral).
 */
export function readChatAnswer(answer: JsonObject): ModelAnswer {
  const choices = answer["choices"];
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const message = isJsonObject(choice) ? choice["message"] : undefined;
  if (!isJsonObject(choice) || !isJsonObject(message)) {
    return { kind: "malformed", reason: "it has no 'choices' with a 'message'" };
  }
  const tokens = chatTokens(answer["usage"]);
  const refusal = textIn(message["refusal"]);
  if (refusal !== undefined) return { kind: "refused", type: "refusal", message: refusal, tokens };
  const { text, thoughts } = readContent(message["content"]);
  const cutOff = cutOffs.get(choice["finish_reason"] ?? null);
  if (cutOff === "content_filter" && text === "") {
    const words = "the provider's content filter held the answer back";
    return { kind: "refused", type: "content_filter", message: words, tokens };
  }
  const responseId = textIn(answer["id"]) ?? null;
  const transcript = [...thoughtsOf(message, thoughts), ...callsOf(message["tool_calls"])];
  return { kind: "said", text, cutOff, transcript, responseId, tokens };
}

/** In the words of the Responses API. */
const cutOffs: ReadonlyMap<Json, string> = new Map([
  ["length", "max_output_tokens"],
  ["content_filter", "content_filter"],
]);

interface Content {
  readonly text: string;
  readonly thoughts: readonly string[];
}

function readContent(content: Json | undefined): Content {
  if (!Array.isArray(content)) return { text: textIn(content) ?? "", thoughts: [] };
  const parts = content.filter(isJsonObject);
  const text = parts.filter((part) => part["type"] === "text").map(textOf);
  const thoughts = parts.filter((part) => part["type"] === "thinking").map(thinkingOf);
  return { text: text.join(""), thoughts };
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

function callsOf(calls: Json | undefined): readonly JsonObject[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isJsonObject).map((call) => {
    const called = call["function"];
    if (!isJsonObject(called)) return call;
    const { name = null, arguments: given = null } = called;
    return { type: "tool_call", id: call["id"] ?? null, name, arguments: given };
  });
}
