import { describe, expect, it } from "vitest";
import { readChatAnswer } from "../../../src/candidate/provider/answer-chat.ts";
import { readResponsesAnswer } from "../../../src/candidate/provider/answer-responses.ts";
import { classify, type SentRequest } from "../../../src/candidate/provider/classify.ts";
import { readEnd } from "../../../src/candidate/provider/true-status.ts";
import type { HttpEnd } from "../../../src/model/ports/http.ts";

const asked: SentRequest = {
  places: {
    model: "the model of candidates.main",
    settings: "'generation' or the settings of candidates.main",
  },
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  model: "gpt-x",
  keyVariable: "OPENAI_API_KEY",
  key: "sk-secret-1",
  tooLong: () => undefined,
};
const response = (status: number, body: unknown, headers = {}): HttpEnd => ({
  kind: "response",
  status,
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const error = (message: string, more: object = {}) => ({
  error: { message, type: "e", param: null, code: null, ...more },
});
const tooLargeForQuota =
  "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 42305. The input or output tokens must be reduced in order to run successfully.";
const found = (end: HttpEnd, about: Partial<SentRequest> = {}) =>
  classify(end, { ...asked, ...about });

describe("an answer that is none", () => {
  it.each<[string, number, unknown, string]>([
    [
      "a wrong key at OpenAI",
      401,
      error("Incorrect API key provided: sk-****.", { code: "invalid_api_key" }),
      "halted unauthorized",
    ],
    [
      "a wrong key at Google",
      400,
      [
        {
          error: {
            code: 400,
            message: "API key not valid.",
            status: "INVALID_ARGUMENT",
            details: [{ reason: "API_KEY_INVALID" }],
          },
        },
      ],
      "halted unauthorized",
    ],
    [
      "no quota at OpenAI",
      429,
      error("You exceeded your current quota", {
        type: "insufficient_quota",
        code: "insufficient_quota",
      }),
      "halted quota_exhausted",
    ],
    [
      "no credit at Anthropic",
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "Your credit balance is too low to access the Anthropic API.",
        },
      },
      "halted quota_exhausted",
    ],
    [
      "the month's limit at Anthropic",
      400,
      error(
        "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
      ),
      "halted quota_exhausted",
    ],
    [
      "OpenAI's quota through a proxy that leaves the code out",
      429,
      error("You exceeded your current quota, please check your plan and billing details."),
      "halted quota_exhausted",
    ],
    [
      "a minute's quota at Google",
      429,
      [
        {
          error: {
            code: 429,
            message: "You exceeded your current quota, please check your plan and billing details.",
            status: "RESOURCE_EXHAUSTED",
          },
        },
      ],
      "unavailable rate_limited",
    ],
    [
      "a model that Groq has no more",
      400,
      error("The model `m` has been decommissioned", { code: "model_decommissioned" }),
      "halted unknown_model",
    ],
    [
      "a model that Together has for others",
      400,
      error("Unable to access non-serverless model m.", { code: "model_not_available" }),
      "halted unknown_model",
    ],
    [
      "a place that Google does not serve",
      400,
      [
        {
          error: {
            code: 400,
            message: "User location is not supported for the API use.",
            status: "FAILED_PRECONDITION",
          },
        },
      ],
      "halted forbidden",
    ],
    [
      "a prompt that xAI does not answer",
      403,
      {
        code: "The caller does not have permission to execute the specified operation",
        error: "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
      },
      "failed content_policy",
    ],
    [
      "a prompt that is too long for Together",
      422,
      error("`inputs` tokens + `max_new_tokens` must be <= 8193"),
      "failed context_overflow",
    ],
    [
      "no credit at OpenRouter",
      402,
      { error: { code: 402, message: "Insufficient credits" } },
      "halted quota_exhausted",
    ],
    [
      "no more for today at Google",
      429,
      [
        {
          error: {
            code: 429,
            status: "RESOURCE_EXHAUSTED",
            message: "You exceeded your current quota",
            details: [
              { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] },
            ],
          },
        },
      ],
      "halted quota_exhausted",
    ],
    [
      "too many a minute at Google",
      429,
      [
        {
          error: {
            code: 429,
            status: "RESOURCE_EXHAUSTED",
            message: "You exceeded your current quota",
            details: [{ violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }] }],
          },
        },
      ],
      "unavailable rate_limited",
    ],
    [
      "an unknown model at OpenAI",
      404,
      error("The model 'gpt-x' does not exist or you do not have access to it.", {
        code: "model_not_found",
      }),
      "halted unknown_model",
    ],
    [
      "an unknown model at OpenRouter",
      400,
      { error: { code: 400, message: "gpt-x is not a valid model ID" } },
      "halted unknown_model",
    ],
    [
      "an unknown model at Mistral",
      400,
      { object: "error", message: "Invalid model: gpt-x", type: "invalid_model", code: "1500" },
      "halted unknown_model",
    ],
    [
      "an unknown model at Ollama",
      404,
      { error: 'model "gpt-x" not found, try pulling it first' },
      "halted unknown_model",
    ],
    [
      "a model that the project may not use",
      403,
      error("Project has no access to model", { code: "model_not_found" }),
      "halted unknown_model",
    ],
    [
      "a page where the API should be",
      404,
      "<html><body>Not Found</body></html>",
      "halted unknown_model",
    ],
    [
      "a forbidden country",
      403,
      error("Country, region, or territory not supported"),
      "halted forbidden",
    ],
    [
      "a setting that the model does not know",
      400,
      error("Unsupported value: 'temperature' does not support 0 with this model.", {
        param: "temperature",
        code: "unsupported_value",
      }),
      "halted setting_refused",
    ],
    [
      "a setting that OpenAI refuses without a code",
      400,
      error("Unsupported parameter: 'temperature' is not supported with this model.", {
        param: "temperature",
      }),
      "halted setting_refused",
    ],
    [
      "a value that is out of OpenAI's range",
      400,
      error("Invalid 'max_output_tokens': integer below minimum value.", {
        param: "max_output_tokens",
        code: "integer_below_min_value",
      }),
      "halted setting_refused",
    ],
    [
      "a setting that Groq refuses",
      400,
      { error: { message: "property 'top_k' is unsupported, did you mean 'top_p'?" } },
      "halted setting_refused",
    ],
    [
      "a setting that Mistral refuses",
      422,
      {
        object: "error",
        message: { detail: [{ type: "extra_forbidden", loc: ["body", "top_k"], msg: "Extra" }] },
        type: "invalid_request_error",
      },
      "halted setting_refused",
    ],
    [
      "a setting that Google refuses",
      400,
      [
        {
          error: {
            code: 400,
            message: 'Invalid JSON payload received. Unknown name "top_k": Cannot find field.',
            status: "INVALID_ARGUMENT",
          },
        },
      ],
      "halted setting_refused",
    ],
    [
      "a token limit that no prompt would fit beside, at vLLM's",
      400,
      error(
        "'max_tokens' or 'max_completion_tokens' is too large: 50000. This model's maximum context length is 4096 tokens and your request has 12 input tokens (50000 > 4096 - 12).",
      ),
      "halted setting_refused",
    ],
    [
      "a prompt that leaves too little room for the token limit, at vLLM's",
      400,
      error(
        "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 4096 tokens and your request has 3500 input tokens (1000 > 4096 - 3500).",
      ),
      "failed context_overflow",
    ],
    [
      "a message that a provider does not take",
      400,
      error("Invalid 'messages[0].content'", { param: "messages[0].content" }),
      "unavailable rejected",
    ],
    [
      "a prompt that is too long for llama.cpp",
      400,
      error("request (9000 tokens) exceeds the available context size (4096 tokens)", {
        type: "exceed_context_size_error",
      }),
      "failed context_overflow",
    ],
    [
      "a prompt that is too long for xAI",
      400,
      {
        code: "Client specified an invalid argument",
        error:
          "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
      "failed context_overflow",
    ],
    [
      "a prompt that leaves no room at Anthropic",
      400,
      error("input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000"),
      "failed context_overflow",
    ],
    [
      "a prompt that is too long for OpenAI",
      400,
      error("This model's maximum context length is 8192 tokens.", {
        code: "context_length_exceeded",
      }),
      "failed context_overflow",
    ],
    [
      "a prompt that is too long for Anthropic",
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 210000 tokens > 200000 maximum",
        },
      },
      "failed context_overflow",
    ],
    [
      "a prompt that is too long for Google",
      400,
      [
        {
          error: {
            message:
              "The input token count (1189822) exceeds the maximum number of tokens allowed (1048576).",
            status: "INVALID_ARGUMENT",
          },
        },
      ],
      "failed context_overflow",
    ],
    [
      "a prompt that is too long for Together",
      403,
      error(
        "Input token count + max_tokens parameter must be less than the context length of the model being queried.",
      ),
      "failed context_overflow",
    ],
    [
      "a prompt that is too long for a gateway",
      413,
      "Payload Too Large",
      "failed context_overflow",
    ],
    [
      "more than a minute's tokens at Groq",
      413,
      error("Request too large for model on tokens per minute (TPM)", {
        code: "rate_limit_exceeded",
      }),
      "unavailable request_too_large_for_quota",
    ],
    [
      "more than a minute's tokens at OpenAI",
      429,
      error(tooLargeForQuota, { type: "tokens", code: "rate_limit_exceeded" }),
      "unavailable request_too_large_for_quota",
    ],
    [
      "a minute's tokens that are used up at OpenAI",
      429,
      error(
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 14567, Requested 24754. Please try again in 18.642s.",
        { type: "tokens", code: "rate_limit_exceeded" },
      ),
      "unavailable rate_limited",
    ],
    [
      "a prompt against Azure's policy",
      400,
      error("The response was filtered", {
        code: "content_filter",
        innererror: { code: "ResponsibleAIPolicyViolation" },
      }),
      "failed content_policy",
    ],
    [
      "a prompt against OpenRouter's policy",
      403,
      {
        error: {
          code: 403,
          message: "Your chosen model requires moderation and your input was flagged",
        },
      },
      "failed content_policy",
    ],
    [
      "too many requests",
      429,
      error("Rate limit reached", { code: "rate_limit_exceeded" }),
      "unavailable rate_limited",
    ],
    ["too slow", 408, "", "unavailable timeout"],
    ["a 500", 500, "oops", "unavailable server_error"],
    [
      "overloaded",
      529,
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      "unavailable server_error",
    ],
    ["a redirect", 302, "", "unavailable redirected"],
    [
      "any other refusal",
      422,
      { detail: [{ loc: ["body"], msg: "field required" }] },
      "unavailable rejected",
    ],
  ])("is %s", (_, status, ...[body, expected]) => {
    const { kind, type } = found(response(status, body));
    expect(`${kind} ${type}`).toBe(expected);
  });

  it("of a broken connection or a stopped run is nobody's fault", () => {
    const end: HttpEnd = {
      kind: "failed",
      type: "tls",
      message: "no trusted connection",
      sent: false,
    };
    expect(found(end)).toEqual({
      kind: "unavailable",
      type: "tls",
      message: "openai at api.openai.com: no trusted connection",
    });
    expect(found({ kind: "cancelled" })).toMatchObject({ kind: "unavailable", type: "cancelled" });
  });

  it.each([
    [
      401,
      error("Incorrect API key"),
      /the key in OPENAI_API_KEY \(401: Incorrect API key\): set OPENAI_API_KEY to a key/,
    ],
    [
      402,
      error("No credit"),
      /no quota left for the key in OPENAI_API_KEY \(402: No credit\): add credit .* or set OPENAI_API_KEY/,
    ],
    [403, error("Not here"), /let the key in OPENAI_API_KEY use 'gpt-x' .*\(403: Not here\)/],
    [
      404,
      error("No model"),
      /no model 'gpt-x' .* https:\/\/api\.openai\.com\/v1 \(404: No model\): correct the model of candidates\.main/,
    ],
    [
      400,
      error("No", { code: "unsupported_parameter", param: "top_p" }),
      /'gpt-x' does not take the setting 'top_p' \(400: No\): change 'generation'/,
    ],
    [
      422,
      {
        message: { detail: [{ type: "extra_forbidden", loc: ["body", "top_k"], msg: "Extra" }] },
        object: "error",
      },
      /'gpt-x' does not take the setting 'top_k' \(422: Extra\): change 'generation'/,
    ],
  ])("says with status %i what to set", (status, body, words) => {
    expect(found(response(status, body)).message).toMatch(words);
  });

  it("without a key says where a key is named", () => {
    const about = { provider: "local", keyVariable: undefined, key: undefined };
    expect(found(response(401, "no"), about).message).toBe(
      "local does not accept a request without a key (401: no): name the variable that holds its key in providers.local.api_key_env",
    );
  });

  it("never repeats the key, and no more than a line of what was said", () => {
    const long = error(`Wrong key sk-secret-1\n${"x".repeat(1000)}`);
    const { message } = found(response(401, long));
    expect(message).toContain("Wrong key *** xxx");
    expect(message).not.toContain("sk-secret-1");
    expect(message.length).toBeLessThan(600);
  });

  it("tells a redirect's target, where the key was not sent", () => {
    const { message } = found(response(307, "", { location: "https://other.example/v1" }));
    expect(message).toContain("redirects to https://other.example/v1");
  });

  it("that asks for a longer pause than a run makes stops the run", () => {
    const { kind, message } = found(response(429, error("Come back")), { tooLong: () => 7200 });
    expect(kind).toBe("halted");
    expect(message).toContain("7200 s (429: Come back)");
  });
});

const chat = (body: unknown) => readEnd(response(200, body), readChatAnswer).end;
const responses = (body: unknown) => readEnd(response(200, body), readResponsesAnswer).end;
const failed = (code: string) =>
  responses({ status: "failed", output: [], error: { code, message: "x" } });

const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

describe("an error of another status", () => {
  it("nested 20,000 deep is told all the same", () => {
    expect(found(response(500, `{"error":{"message":${deep}}}`))).toMatchObject({
      kind: "unavailable",
      type: "server_error",
    });
  });
});

describe("status 200", () => {
  it("is an answer, though an empty 'error' stands beside it", () => {
    const choices = [{ message: { content: "42" }, finish_reason: "stop" }];
    const read = readEnd(response(200, { error: "", choices }), readChatAnswer);
    expect(read.answer).toMatchObject({ kind: "said", text: "42" });
  });

  it.each([
    ["an item of a response", responses, `{"output":[{"type":"web_search_call","x":${deep}}]}`],
    [
      "arguments",
      chat,
      `{"choices":[{"message":{"tool_calls":[{"function":{"arguments":${deep}}}]}}]}`,
    ],
    ["an error", chat, `{"error":${deep}}`],
  ])("with %s nested 20,000 deep is a bad response", (_, read, body) => {
    expect(read(body)).toEqual({
      kind: "failed",
      type: "bad_response",
      sent: true,
      message: "status 200, and JSON that can't be read: it is nested more than 200 levels deep",
    });
  });

  it.each([
    ["a page", "<html>Log in</html>", /no JSON: <html>Log in/],
    ["half an answer", '{"id":"chatcmpl-1","choices":[{"mess', /no JSON/],
    ["nothing", "", /no JSON/],
    ["other JSON", { hello: "world" }, /not an answer: it has no 'choices'/],
    ["a list", [], /JSON, but no object/],
  ])("with %s is a bad response, which is worth another try", (_, body, message) => {
    expect(chat(body)).toEqual({
      kind: "failed",
      type: "bad_response",
      sent: true,
      message: expect.stringMatching(message),
    });
  });

  it("with an error in it has that error's status", () => {
    expect(chat({ error: { code: 502, message: "The model is down" } })).toMatchObject({
      status: 502,
    });
    const choices = [{ finish_reason: "error", error: { code: 429, message: "Slow down" } }];
    expect(chat({ choices })).toMatchObject({ status: 429 });
    expect(failed("server_error")).toMatchObject({ status: 500 });
    expect(failed("rate_limit_exceeded")).toMatchObject({ status: 429 });
    expect(failed("invalid_prompt")).toMatchObject({ status: 400 });
    expect(failed("insufficient_quota")).toMatchObject({ status: 402 });
  });

  it("with an answer stays what it is", () => {
    const good = response(200, { choices: [{ message: { content: "x" } }] });
    const answer = { kind: "said", text: "x" };
    expect(readEnd(good, readChatAnswer)).toMatchObject({ end: good, answer });
    const refused = response(429, "slow");
    expect(readEnd(refused, readChatAnswer)).toEqual({ end: refused });
  });
});
