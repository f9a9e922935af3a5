import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { filteredWords, textIn, type ModelAnswer, type SaidAnswer } from "./answer.ts";
import { responsesTokens } from "./usage.ts";

/**
 * Reads an answer of the Responses API (https://developers.openai.com/api/reference, "The response object"). The text
 * is that of the messages; comments that a model makes while it works (`phase: commentary`) are not part of its answer.
 */
export function readResponsesAnswer(answer: JsonObject): ModelAnswer {
  const { output, status } = answer;
  if (!Array.isArray(output)) return { kind: "malformed", reason: "it has no 'output' list" };
  if (status !== undefined && status !== "completed" && status !== "incomplete") {
    return { kind: "malformed", reason: `its status is ${JSON.stringify(status)}` };
  }
  const { text, refusal, transcript } = readOutput(output);
  const tokens = responsesTokens(answer["usage"]);
  const responseId = textIn(answer["id"]) ?? null;
  const rest = { transcript, responseId, tokens };
  if (refusal !== "") return { kind: "refused", type: "refusal", message: refusal, ...rest };
  const cutOff = status === "incomplete" ? reasonOf(answer["incomplete_details"]) : undefined;
  return cutOff === "content_filter" && text === ""
    ? { kind: "refused", type: "content_filter", message: filteredWords, ...rest }
    : { kind: "said", text, cutOff, ...rest, ...encryptedThoughts(output) };
}

/**
 * Encrypted reasoning items, unchanged. The provider does not store them, and must get them back in full
 * (https://developers.openai.com/api/docs/guides/reasoning, "Encrypted reasoning items").
 */
function encryptedThoughts(items: readonly Json[]): Pick<SaidAnswer, "thoughts"> {
  const thoughts = items.filter(isJsonObject).filter(isEncryptedThought);
  return thoughts.length === 0 ? {} : { thoughts };
}

function isEncryptedThought({ type, encrypted_content: content }: JsonObject): boolean {
  return type === "reasoning" && typeof content === "string" && content !== "";
}

function reasonOf(details: Json | undefined): string {
  return (isJsonObject(details) ? textIn(details["reason"]) : undefined) ?? "unknown";
}

function readOutput(items: readonly Json[]): {
  readonly text: string;
  readonly refusal: string;
  readonly transcript: readonly JsonObject[];
} {
  let text = "";
  let refusal = "";
  const transcript: JsonObject[] = [];
  for (const item of items) {
    if (!isJsonObject(item)) continue;
    if (item["type"] === "message" && item["phase"] !== "commentary") {
      text += wordsOf(item, "output_text");
      refusal += wordsOf(item, "refusal");
    } else for (const entry of entriesOf(item)) transcript.push(entry);
  }
  return { text, refusal, transcript };
}

/** Text of a message: an `output_text` part has it under `text`, a `refusal` part under `refusal`. */
function wordsOf({ content }: JsonObject, type: "output_text" | "refusal"): string {
  if (!Array.isArray(content)) return "";
  let words = "";
  for (const part of content) {
    if (isJsonObject(part) && part["type"] === type)
      words += textIn(part[type === "refusal" ? "refusal" : "text"]) ?? "";
  }
  return words;
}

/** Transcript entries of an item that is not the answer. Calls of the provider's own tools stay unchanged. */
function entriesOf(item: JsonObject): readonly JsonObject[] {
  const { type, call_id = null, name = null } = item;
  if (type === "reasoning") return thoughtsOf(item);
  if (type === "function_call" || type === "custom_tool_call") {
    const given = item[type === "function_call" ? "arguments" : "input"] ?? null;
    const custom = type === "custom_tool_call" ? { custom: true } : {};
    return [{ type: "tool_call", id: call_id, name, arguments: given, ...custom }];
  }
  return type === "message" ? [{ type: "commentary", text: wordsOf(item, "output_text") }] : [item];
}

/**
 * Visible thoughts: the summary if one was requested, else the thoughts themselves, which open models return. Encrypted
 * thoughts are not included.
 */
function thoughtsOf({ summary, content }: JsonObject): readonly JsonObject[] {
  const told = [summary, content].map((each) =>
    (Array.isArray(each) ? each : []).flatMap((part) => {
      const text = isJsonObject(part) ? textIn(part["text"]) : undefined;
      return text === undefined ? [] : [{ type: "reasoning", text }];
    }),
  );
  return told.find((texts) => texts.length > 0) ?? [];
}
