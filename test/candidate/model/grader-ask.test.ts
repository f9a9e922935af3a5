import { describe, expect, it } from "vitest";
import { createGraderAsk } from "../../../src/candidate/provider/grader-ask.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { ModelAsk, ModelReply } from "../../../src/model/ports/bridge.ts";
import type { ModelRef } from "../../../src/model/definition/suite.ts";
import type { Provider } from "../../../src/model/models/providers.ts";
import {
  always,
  contentPolicy,
  contextOverflow,
  first,
  good,
  quotaExhausted,
  serverError,
  tooMany,
  unauthorized,
  unknownModel,
  type Day,
} from "../../support/provider/days.ts";
import { startProvider, type Provider as Loopback } from "../../support/provider/server.ts";
import { tools } from "../tools.ts";
import { modelSpec } from "./spec.ts";

const environment = { LOCAL_KEY: "sk-local-1" };
const price = { input: 2, cached_input: 2, output: 8 };

function modelAt(server: Loopback, more: Partial<Provider> = {}): ModelRef {
  const prices = { "m-1": price };
  const { provider, name } = modelSpec({ provider: { base_url: server.url, prices, ...more } });
  return { model: `local:${name}`, name, provider };
}

function ask(
  model: ModelRef,
  request: JsonObject,
  more: Partial<ModelAsk> = {},
): Promise<ModelReply> {
  const { signal } = new AbortController();
  const sender = createGraderAsk({ ...tools, environment });
  return sender.ask({ model, helper: "responses_create", request, signal, ...more });
}

const judgeRequest = {
  input: "Is 4 right? Answer yes",
  instructions: "You are strict.",
  temperature: 0,
  max_output_tokens: 50,
  text: { format: { type: "json_object" } },
  metadata: { judge: "reference_binary" },
};

describe.each(["responses", "chat"] as const)("a grader's request through the %s API", (api) => {
  it("is answered in the form of the Responses API", async () => {
    const parts = { inputTokens: 1000, outputTokens: 200, cachedTokens: 400, reasoningTokens: 50 };
    await using server = await startProvider({ script: always(good("yes", parts)) });
    const reply = await ask(modelAt(server, { api }), judgeRequest);
    expect(reply).toEqual({
      kind: "answered",
      usage: {
        input_tokens: 1000,
        output_tokens: 200,
        cached_tokens: 400,
        reasoning_tokens: 50,
        usd: expect.closeTo(0.0036, 9),
      },
      response: expect.objectContaining({
        id: expect.stringMatching(/^(?:resp_|chatcmpl-)/),
        object: "response",
        status: "completed",
        model: "m-1",
        output_text: "yes",
        output: [
          expect.objectContaining({
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: "yes", annotations: [] }],
          }),
        ],
        usage: {
          input_tokens: 1000,
          input_tokens_details: { cached_tokens: 400 },
          output_tokens: 200,
          output_tokens_details: { reasoning_tokens: 50 },
          total_tokens: 1200,
        },
      }),
    });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: "Bearer sk-local-1" });
  });

  it("has the tool calls, the refusal and the cut that the answer has", async () => {
    const days: readonly Day[] = [
      { kind: "answer", toolCalls: [{ name: "look_up", arguments: { q: 1 } }] },
      { kind: "answer", refusal: "I won't." },
      good("half", { incomplete: true }),
    ];
    await using server = await startProvider({ script: ({ index }) => days[index] });
    const model = modelAt(server, { api });
    const responses: JsonObject[] = [];
    for (const input of ["a", "b", "c"]) {
      const reply = await ask(model, { input });
      if (reply.kind === "answered") responses.push(reply.response);
    }
    expect(responses).toMatchObject([
      {
        output_text: "",
        output: [{ type: "function_call", name: "look_up", arguments: '{"q":1}' }],
      },
      { output_text: "", output: [{ content: [{ type: "refusal", refusal: "I won't." }] }] },
      {
        output_text: "half",
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
      },
    ]);
  });

  it.each<[string, Day, Partial<ModelReply>]>([
    ["a wrong key", unauthorized("sk-local-1"), { kind: "halted", type: "unauthorized" }],
    ["no quota", quotaExhausted(), { kind: "halted", type: "quota_exhausted" }],
    ["no such model", unknownModel("m-1"), { kind: "halted", type: "unknown_model" }],
    ["a policy", contentPolicy(), { kind: "unavailable", type: "content_policy" }],
    ["too long a text", contextOverflow(), { kind: "refused" }],
    [
      "a setting",
      {
        kind: "status",
        status: 400,
        body: {
          error: {
            message: "Unsupported parameter: 'temperature'",
            param: "temperature",
            code: "unsupported_parameter",
          },
        },
      },
      { kind: "refused" },
    ],
    [
      "a bad form",
      { kind: "status", status: 400, body: { error: { message: "bad schema" } } },
      { kind: "refused" },
    ],
  ])("that meets %s ends so", async (_, day, end) => {
    await using server = await startProvider({ script: always(day) });
    const reply = await ask(modelAt(server, { api }), { input: "x" });
    expect(reply).toMatchObject(end);
    expect(server.count()).toBe(1);
    expect(JSON.stringify(reply)).not.toContain("sk-local-1");
  });

  it("is sent again on a bad day", async () => {
    const days = first(
      serverError(500, { "retry-after-ms": "1" }),
      tooMany({ "retry-after-ms": "1" }),
    );
    await using server = await startProvider({ script: days });
    expect(await ask(modelAt(server, { api }), { input: "say yes" })).toMatchObject({
      kind: "answered",
      response: { output_text: "yes" },
    });
    expect(server.count()).toBe(3);
  });
});

describe("what is sent", () => {
  it("to a Responses API is the request, whole and stored", async () => {
    await using server = await startProvider();
    await ask(modelAt(server, { api: "responses" }), judgeRequest);
    const forced = { stream: false, store: true, background: false };
    expect(server.requests[0]?.body).toEqual({ model: "m-1", ...judgeRequest, ...forced });
  });

  it("to Chat Completions is its translation", async () => {
    await using server = await startProvider();
    const input = [
      { role: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: "data:image/png;base64,AA", detail: "low" },
        ],
      },
      { type: "function_call", call_id: "c1", name: "look_up", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "a cat" },
    ];
    const request = { ...judgeRequest, input, reasoning: { effort: "low" }, top_logprobs: 2 };
    await ask(modelAt(server, { api: "chat" }), request);
    expect(server.requests[0]?.body).toEqual({
      model: "m-1",
      messages: [
        { role: "system", content: "You are strict." },
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA", detail: "low" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "look_up", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "a cat" },
      ],
      temperature: 0,
      max_tokens: 50,
      response_format: { type: "json_object" },
      reasoning_effort: "low",
      logprobs: true,
      top_logprobs: 2,
    });
  });

  it("to OpenAI's Chat Completions is stored under its metadata", async () => {
    await using server = await startProvider();
    await ask(modelAt(server, { api: "chat", passthrough: false }), judgeRequest);
    const { metadata } = judgeRequest;
    expect(server.requests[0]?.body).toMatchObject({
      store: true,
      metadata,
      max_completion_tokens: 50,
    });
  });

  it.each<[JsonObject, string]>([
    [{ truncation: "auto" }, "'truncation' is of the Responses API"],
    [{ previous_response_id: "resp_1" }, "'previous_response_id' is of the Responses API"],
    [{ input: [{ type: "reasoning", id: "rs_1" }] }, 'no word for input[0], {"type":"reasoning"'],
    [{ input: [{ content: [{ type: "input_video" }] }] }, 'no word for input[0], {"content"'],
  ])("to Chat Completions is not what they have no word for: %o", async (more, words) => {
    await using server = await startProvider();
    const reply = await ask(modelAt(server, { api: "chat" }), { input: "x", ...more });
    expect(reply).toEqual({ kind: "refused", message: expect.stringContaining(words) });
    expect(server.count()).toBe(0);
  });
});

describe("embeddings", () => {
  const helper = "embeddings_create" as const;

  it("come in their own form, with their usage", async () => {
    await using server = await startProvider();
    const request = { input: ["the cat", "the cat", "a dog"] };
    const reply = await ask(modelAt(server), request, { helper });
    expect(reply).toMatchObject({
      kind: "answered",
      usage: { input_tokens: 6, output_tokens: 0, usd: 0.000_012 },
    });
    expect(server.requests[0]).toMatchObject({
      path: "/v1/embeddings",
      body: { model: "m-1", ...request },
    });
    const data = reply.kind === "answered" ? reply.response["data"] : [];
    const vectors = Array.isArray(data)
      ? data.map((each) => JSON.stringify(each["embedding"]))
      : [];
    expect(vectors[0]).toBe(vectors[1]);
    expect(vectors[0]).not.toBe(vectors[2]);
  });

  it("that are none are asked for again, and then there is no answer", async () => {
    const day: Day = { kind: "status", status: 200, body: { object: "list", data: [] } };
    await using server = await startProvider({ script: always(day) });
    const reply = await ask(modelAt(server), { input: "x" }, { helper });
    expect(reply).toMatchObject({ kind: "unavailable", type: "bad_response" });
    expect(server.count()).toBe(3);
  });
});
