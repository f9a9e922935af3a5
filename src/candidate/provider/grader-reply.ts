import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readChatAnswer } from "./answer-chat.ts";
import { readResponsesAnswer } from "./answer-responses.ts";
import type { Malformed, ModelAnswer } from "./answer.ts";
import { responseOfChat } from "./grader-chat.ts";
import type { TokenCount } from "./usage.ts";

/** A model's answer for a grader, and its usage. */
export interface Reply {
  readonly kind: "reply";
  readonly response: JsonObject;
  readonly tokens: TokenCount | null;
}

/**
 * Reads an answer of the Responses API. It stays unchanged except for `output_text`, which the API's own libraries add.
 */
export function readResponse(answer: JsonObject): Reply | Malformed {
  const read = readResponsesAnswer(answer);
  if (read.kind === "malformed") return read;
  return reply({ ...answer, output_text: textOf(read) }, read.tokens);
}

/** Reads an answer of Chat Completions, and returns it in the form of the Responses API. */
export function readChatReply(answer: JsonObject): Reply | Malformed {
  const read = readChatAnswer(answer);
  if (read.kind === "malformed") return read;
  const refusal = read.kind === "refused" ? read.message : undefined;
  const cutOff = read.kind === "said" ? read.cutOff : undefined;
  const response = responseOfChat(answer, { text: textOf(read), refusal, cutOff });
  const usage = read.tokens === null ? null : usageOf(read.tokens);
  return reply({ ...response, output_text: textOf(read), usage }, read.tokens);
}

/**
 * Reads an answer of an Embeddings API (https://developers.openai.com/api/reference, "Create embeddings"), unchanged.
 */
export function readEmbeddings(answer: JsonObject): Reply | Malformed {
  const { data, usage } = answer;
  if (!Array.isArray(data) || data.length === 0 || !data.every(isEmbedding)) {
    return { kind: "malformed", reason: "it has no 'data' with an 'embedding' in each entry" };
  }
  return reply(answer, embeddingTokens(usage));
}

function reply(response: JsonObject, tokens: TokenCount | null): Reply {
  return { kind: "reply", response, tokens };
}

/** The text of an answer; "" for a refusal, which `output` has under `refusal`. */
function textOf(read: Exclude<ModelAnswer, Malformed>): string {
  return read.kind === "said" ? read.text : "";
}

function usageOf(tokens: TokenCount): JsonObject {
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens } = tokens;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: input_tokens + output_tokens,
  };
}

/** True for a list of numbers, or for a text, which is base64 if that was requested. */
function isEmbedding(entry: Json): boolean {
  const embedding = isJsonObject(entry) ? entry["embedding"] : undefined;
  return Array.isArray(embedding) || typeof embedding === "string";
}

function embeddingTokens(usage: Json | undefined): TokenCount | null {
  const count = isJsonObject(usage) ? usage["prompt_tokens"] : undefined;
  if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 0) return null;
  return { input_tokens: count, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 };
}
