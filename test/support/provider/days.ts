import type { AnswerParts } from "./answers.ts";

/** Behaviour of a provider for one request. */
export type Day =
  /** An answer, after `delayMs` if there is one. */
  | ({ readonly kind: "answer"; readonly delayMs?: number } & AnswerParts)
  /** Any status with any body: a text unchanged, an object as JSON. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | object;
    }
  /** The connection is reset when half of an answer has been sent. */
  | { readonly kind: "reset" }
  /** The connection is reset before the first byte. */
  | { readonly kind: "hang_up" }
  /** Status 200, and an answer whose JSON is cut off. */
  | { readonly kind: "half_json" }
  /** An answer with a text of this number of bytes. */
  | { readonly kind: "huge"; readonly bytes: number }
  /** Nothing at all, until the client leaves. */
  | { readonly kind: "silence" }
  /** The head and half of an answer, then nothing more. */
  | { readonly kind: "stall" };

/** A good answer. */
export function good(text: string, parts: Omit<AnswerParts, "text"> = {}): Day {
  return { kind: "answer", text, ...parts };
}

/** 429, with headers that name a time. */
export function tooMany(headers: Readonly<Record<string, string>> = {}): Day {
  const error = {
    message: "Rate limit reached for requests",
    type: "requests",
    code: "rate_limit_exceeded",
  };
  return { kind: "status", status: 429, headers, body: { error } };
}

/** 429 that no waiting mends. */
export function quotaExhausted(): Day {
  const error = {
    message: "You exceeded your current quota, please check your plan and billing details.",
    type: "insufficient_quota",
    code: "insufficient_quota",
  };
  return { kind: "status", status: 429, body: { error } };
}

/** 429 that no waiting mends either: this request alone is more than a minute's quota, others are not. */
export function tooLargeForQuota(): Day {
  const error = {
    message:
      "Request too large for test-model in organization org-1 on tokens per min (TPM): Limit 30000, Requested 42305. The input or output tokens must be reduced in order to run successfully.",
    type: "tokens",
    code: "rate_limit_exceeded",
  };
  return { kind: "status", status: 429, body: { error } };
}

/** A 5xx; 529 is "overloaded" at some providers. A `retry-after-ms` keeps tests short. */
export function serverError(status = 500, headers: Readonly<Record<string, string>> = {}): Day {
  const error = { message: "The server had an error", type: "server_error", code: null };
  return { kind: "status", status, headers, body: { error } };
}

/** 401. The key is in the message, as OpenAI has it in part, and some gateways whole. */
export function unauthorized(key: string): Day {
  const error = {
    message: `Incorrect API key provided: ${key}.`,
    type: "invalid_request_error",
    code: "invalid_api_key",
  };
  return { kind: "status", status: 401, body: { error } };
}

/** 403. */
export function forbidden(): Day {
  const error = {
    message: "Your project does not have access to this model.",
    type: "invalid_request_error",
    code: "model_not_available",
  };
  return { kind: "status", status: 403, body: { error } };
}

/** 404: there is no such model. */
export function unknownModel(model: string): Day {
  const error = {
    message: `The model '${model}' does not exist or you do not have access to it.`,
    type: "invalid_request_error",
    code: "model_not_found",
  };
  return { kind: "status", status: 404, body: { error } };
}

/** 400: the prompt is longer than the model's context. */
export function contextOverflow(): Day {
  const error = {
    message: "This model's maximum context length is 8192 tokens.",
    type: "invalid_request_error",
    code: "context_length_exceeded",
  };
  return { kind: "status", status: 400, body: { error } };
}

/** 400: the content filter in front of the model. */
export function contentPolicy(): Day {
  const error = {
    message: "The response was filtered due to the prompt triggering the content policy.",
    type: "invalid_request_error",
    code: "content_filter",
  };
  return { kind: "status", status: 400, body: { error } };
}

/** An HTML page instead of JSON: proxies and captive portals send it with status 200. */
export function htmlPage(): Day {
  const headers = { "content-type": "text/html" };
  const body = "<!doctype html><title>Welcome</title><p>Please log in to the network.</p>";
  return { kind: "status", status: 200, headers, body };
}

/** A redirect to another place. */
export function redirect(location: string, status = 307): Day {
  return { kind: "status", status, headers: { location } };
}

/** The first requests of each prompt have these days, the ones after them a good one. */
export function first(
  ...days: readonly Day[]
): (seen: { readonly attempt: number }) => Day | undefined {
  return ({ attempt }) => days[attempt];
}

/** Every request has this day. */
export function always(day: Day): () => Day {
  return () => day;
}
