/** Normal answers of the loopback provider, in the form of both APIs. */

export interface Told {
  /** Unique among the requests of a server. */
  readonly id: number;
  readonly model: string;
  readonly prompt: string;
  /** Texts to embed. */
  readonly inputs?: readonly string[];
}

interface ToolCall {
  /** Default: a unique one. */
  readonly id?: string;
  readonly name: string;
  /** A text is sent unchanged: models also write invalid JSON. */
  readonly arguments: object | string;
}

function argumentsOf({ arguments: given }: ToolCall): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}

/** Parts of an answer besides its text. */
export interface AnswerParts {
  readonly text?: string;
  readonly refusal?: string;
  /** Cut off by the token limit. */
  readonly incomplete?: boolean;
  readonly toolCalls?: readonly ToolCall[];
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
}

export type Api = "responses" | "chat" | "embeddings";

/** The JSON of an answer. Tokens are counted as words, so that a test can predict them. */
export function answerBody(api: Api, told: Told, parts: AnswerParts): object {
  switch (api) {
    case "responses":
      return responseBody(told, parts);
    case "chat":
      return completionBody(told, parts);
    case "embeddings":
      return embeddingsBody(told);
  }
}

const dimensions = 32;

/** A vector a text: its words, counted by a small hash. Equal texts have equal vectors, and unlike ones mostly don't. */
function embeddingsBody({ model, prompt, inputs = [prompt] }: Told): object {
  const tokens = inputs.reduce((sum, text) => sum + words(text), 0);
  return {
    object: "list",
    data: inputs.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function vectorOf(text: string): readonly number[] {
  const vector = Array.from({ length: dimensions }, () => 0.125);
  for (const word of text.toLowerCase().split(/\W+/).filter(Boolean)) {
    const place = Buffer.from(word).reduce((sum, byte) => (sum * 31 + byte) % 997, 7);
    vector[place % dimensions] = (vector[place % dimensions] ?? 0) + 1;
  }
  return vector;
}

/** The JSON of an error, as both APIs have it. */
export function errorBody(error: {
  readonly message: string;
  readonly type: string;
  readonly code?: string;
}): object {
  return { error: { param: null, code: null, ...error } };
}

function responseBody({ id, model, prompt }: Told, parts: AnswerParts): object {
  const usage = count(prompt, parts);
  const content =
    parts.refusal === undefined
      ? { type: "output_text", text: parts.text ?? "", annotations: [] }
      : { type: "refusal", refusal: parts.refusal };
  const calls = (parts.toolCalls ?? []).map((call, i) => ({
    type: "function_call",
    id: `fc_${id}_${i}`,
    call_id: call.id ?? `call_${id}_${i}`,
    status: "completed",
    name: call.name,
    arguments: argumentsOf(call),
  }));
  const hasMessage = calls.length === 0 || parts.text !== undefined || parts.refusal !== undefined;
  const message = {
    type: "message",
    id: `msg_${id}`,
    status: parts.incomplete === true ? "incomplete" : "completed",
    role: "assistant",
    content: [content],
  };
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_750_000_000,
    status: parts.incomplete === true ? "incomplete" : "completed",
    incomplete_details: parts.incomplete === true ? { reason: "max_output_tokens" } : null,
    error: null,
    model,
    output: [...calls, ...(hasMessage ? [message] : [])],
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  };
}

function completionBody({ id, model, prompt }: Told, parts: AnswerParts): object {
  const usage = count(prompt, parts);
  const calls = (parts.toolCalls ?? []).map((call, i) => ({
    id: call.id ?? `call_${id}_${i}`,
    type: "function",
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const hasText = parts.refusal === undefined && (calls.length === 0 || parts.text !== undefined);
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 1_750_000_000,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: hasText ? (parts.text ?? "") : null,
          refusal: parts.refusal ?? null,
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finishReason(parts),
      },
    ],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    },
  };
}

function finishReason({ incomplete, toolCalls }: AnswerParts): string {
  if (incomplete === true) return "length";
  return toolCalls === undefined || toolCalls.length === 0 ? "stop" : "tool_calls";
}

function count(
  prompt: string,
  parts: AnswerParts,
): { input: number; output: number; cached: number; reasoning: number } {
  return {
    input: parts.inputTokens ?? words(prompt),
    output: parts.outputTokens ?? words(parts.text ?? parts.refusal ?? ""),
    cached: parts.cachedTokens ?? 0,
    reasoning: parts.reasoningTokens ?? 0,
  };
}

function words(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
