import { describe, expect, it } from "vitest";
import { readChatAnswer } from "../../../src/candidate/provider/answer-chat.ts";
import { readResponsesAnswer } from "../../../src/candidate/provider/answer-responses.ts";
import type { JsonObject } from "../../../src/model/json.ts";

/** The example of OpenAI's reference, "The response object", shortened where it repeats the request. */
const response: JsonObject = {
  id: "resp_67ccd3a9da748190baa7f1570fe91ac604becb25c45c1d41",
  object: "response",
  created_at: 1741476777,
  status: "completed",
  error: null,
  incomplete_details: null,
  model: "gpt-4o-2024-08-06",
  output: [
    {
      type: "message",
      id: "msg_67ccd3acc8d48190a77525dc6de64b4104becb25c45c1d41",
      status: "completed",
      role: "assistant",
      content: [
        { type: "output_text", text: "The image depicts a scenic landscape.", annotations: [] },
      ],
    },
  ],
  usage: {
    input_tokens: 328,
    input_tokens_details: { cached_tokens: 100 },
    output_tokens: 52,
    output_tokens_details: { reasoning_tokens: 12 },
    total_tokens: 380,
  },
};
const said = (content: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  type: "message",
  id: "msg_1",
  status: "completed",
  role: "assistant",
  content,
  ...more,
});
const text = (words: string): JsonObject => ({ type: "output_text", text: words, annotations: [] });

const thought: JsonObject = {
  type: "reasoning",
  id: "rs_1",
  summary: [],
  encrypted_content: "gAAAA",
};

/** The example of OpenAI's reference, "The chat completion object". */
const completion: JsonObject = {
  id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
  object: "chat.completion",
  created: 1741570283,
  model: "gpt-4o-2024-08-06",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "The image shows a wooden boardwalk path.",
        refusal: null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: {
    prompt_tokens: 1117,
    completion_tokens: 46,
    total_tokens: 1163,
    prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 0 },
  },
  service_tier: "default",
};
const message = (told: JsonObject, finish_reason = "stop"): JsonObject => ({
  ...completion,
  choices: [{ index: 0, message: { role: "assistant", content: null, ...told }, finish_reason }],
});

describe("an answer of the Responses API", () => {
  it("keeps encrypted thoughts for the next request, and tells none", () => {
    const call = { type: "function_call", call_id: "c1", name: "look", arguments: "{}" };
    const answer = readResponsesAnswer({ ...response, output: [thought, call] });
    expect(answer).toMatchObject({ kind: "said", thoughts: [thought] });
    expect("transcript" in answer && answer.transcript.map(({ type }) => type)).toEqual([
      "tool_call",
    ]);
  });

  it("is read whole", () => {
    expect(readResponsesAnswer(response)).toEqual({
      kind: "said",
      text: "The image depicts a scenic landscape.",
      cutOff: undefined,
      transcript: [],
      responseId: response["id"],
      tokens: { input_tokens: 328, output_tokens: 52, cached_tokens: 100, reasoning_tokens: 12 },
    });
  });

  it("tells thoughts, comments and calls in the transcript, and none of them as text", () => {
    const call = {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "look",
      arguments: '{"a":1}',
    };
    const search = { type: "web_search_call", id: "ws_1", status: "completed" };
    const output = [
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "First, I" }],
        encrypted_content: "x",
      },
      {
        type: "reasoning",
        id: "rs_2",
        summary: [],
        content: [{ type: "reasoning_text", text: "Open" }],
      },
      { type: "reasoning", id: "rs_3", summary: [] },
      said([text("Let me see.")], { phase: "commentary" }),
      search,
      call,
      said([text("One"), text(" two")], { phase: "final_answer" }),
    ];
    expect(readResponsesAnswer({ ...response, output })).toMatchObject({
      text: "One two",
      transcript: [
        { type: "reasoning", text: "First, I" },
        { type: "reasoning", text: "Open" },
        { type: "commentary", text: "Let me see." },
        search,
        { type: "tool_call", id: "call_1", name: "look", arguments: '{"a":1}' },
      ],
    });
  });

  it("tells calls of custom tools as calls", () => {
    const output = [{ type: "custom_tool_call", call_id: "c1", name: "calc", input: "1+1" }];
    expect(readResponsesAnswer({ ...response, output })).toMatchObject({
      transcript: [{ type: "tool_call", id: "c1", name: "calc", arguments: "1+1" }],
    });
  });

  it("may be a refusal", () => {
    const output = [said([{ type: "refusal", refusal: "I can't help with that." }])];
    expect(readResponsesAnswer({ ...response, output })).toMatchObject({
      kind: "refused",
      type: "refusal",
      message: "I can't help with that.",
      tokens: { input_tokens: 328 },
    });
  });

  it("with more thoughts than a call takes arguments is read", () => {
    const summary = Array.from({ length: 200_000 }, () => ({ type: "summary_text", text: "…" }));
    const output = [{ type: "reasoning", summary }, said([text("42")])];
    const read = readResponsesAnswer({ ...response, output });
    expect(read.kind === "said" && read.transcript.length).toBeGreaterThanOrEqual(200_000);
  });

  it.each([
    ["max_output_tokens", "Half a", { kind: "said", text: "Half a", cutOff: "max_output_tokens" }],
    ["content_filter", "Half a", { kind: "said", text: "Half a", cutOff: "content_filter" }],
    ["content_filter", "", { kind: "refused", type: "content_filter" }],
  ])("may be cut off by %s after '%s'", (reason, words, expected) => {
    const cut = { status: "incomplete", incomplete_details: { reason } };
    const output = [said([text(words)], { status: "incomplete" })];
    expect(readResponsesAnswer({ ...response, ...cut, output })).toMatchObject(expected);
  });

  it.each<[string, JsonObject]>([
    ["no output", { id: "resp_1", status: "completed" }],
    ["not begun", { ...response, status: "queued" }],
  ])("that is %s is none", (_, answer) => {
    expect(readResponsesAnswer(answer).kind).toBe("malformed");
  });

  it("may come without usage, or with one that can't be", () => {
    expect(readResponsesAnswer({ ...response, usage: null })).toMatchObject({ tokens: null });
    const usage = { input_tokens: -1, output_tokens: 1.5 };
    expect(readResponsesAnswer({ ...response, usage })).toMatchObject({ tokens: null });
  });
});

describe("an answer of Chat Completions", () => {
  it("is read whole", () => {
    expect(readChatAnswer(completion)).toEqual({
      kind: "said",
      text: "The image shows a wooden boardwalk path.",
      cutOff: undefined,
      transcript: [],
      responseId: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
      tokens: { input_tokens: 1117, output_tokens: 46, cached_tokens: 1024, reasoning_tokens: 20 },
    });
  });

  it("tells calls and thoughts in the transcript", () => {
    const tool_calls = [
      { id: "call_abc123", type: "function", function: { name: "get_weather", arguments: "{}" } },
    ];
    expect(
      readChatAnswer(message({ tool_calls, reasoning_content: "Hm." }, "tool_calls")),
    ).toMatchObject({
      kind: "said",
      text: "",
      cutOff: undefined,
      transcript: [
        { type: "reasoning", text: "Hm." },
        { type: "tool_call", id: "call_abc123", name: "get_weather", arguments: "{}" },
      ],
    });
    expect(readChatAnswer(message({ content: "x", reasoning: "Hm." }))).toMatchObject({
      transcript: [{ type: "reasoning", text: "Hm." }],
    });
  });

  it("may come in parts, the thoughts among them", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
      { type: "text", text: "One" },
      { type: "text", text: " two" },
    ];
    expect(readChatAnswer(message({ content }))).toMatchObject({
      text: "One two",
      transcript: [{ type: "reasoning", text: "Hm." }],
    });
  });

  it.each([
    [
      "a refusal",
      message({ refusal: "No." }),
      { kind: "refused", type: "refusal", message: "No." },
    ],
    [
      "cut off by the limit",
      message({ content: "Half" }, "length"),
      { text: "Half", cutOff: "max_output_tokens" },
    ],
    [
      "cut off by a filter",
      message({ content: "Half" }, "content_filter"),
      { text: "Half", cutOff: "content_filter" },
    ],
    [
      "held back by a filter",
      message({}, "content_filter"),
      { kind: "refused", type: "content_filter" },
    ],
    ["no choices", { ...completion, choices: [] }, { kind: "malformed" }],
    ["of another kind", { hello: "world" }, { kind: "malformed" }],
  ])("may be %s", (_, answer, expected) => {
    expect(readChatAnswer(answer)).toMatchObject(expected);
  });

  it("tells calls of custom tools, and those of before there were tools, as calls", () => {
    const custom = { id: "c1", type: "custom", custom: { name: "calc", input: "1+1" } };
    const before = { name: "look", arguments: "{}" };
    expect(readChatAnswer(message({ tool_calls: [custom], function_call: before }))).toMatchObject({
      transcript: [
        { type: "tool_call", id: "c1", name: "calc", arguments: "1+1" },
        { type: "tool_call", id: null, name: "look", arguments: "{}" },
      ],
    });
  });

  it.each(["error", "insufficient_system_resource", "abort"])(
    "that ends with %s is half an answer of a provider in trouble",
    (reason) => {
      expect(readChatAnswer(message({ content: "Half a" }, reason)).kind).toBe("malformed");
    },
  );

  it.each(["content_filter", "SAFETY", "content_filter: RECITATION", "PROHIBITED_CONTENT"])(
    "that ends with %s was held back by a filter",
    (reason) => {
      expect(readChatAnswer(message({}, reason))).toMatchObject({
        kind: "refused",
        type: "content_filter",
        responseId: completion["id"],
      });
      expect(readChatAnswer(message({ content: "Half" }, reason))).toMatchObject({
        kind: "said",
        cutOff: "content_filter",
      });
    },
  );

  it("that ends where the model's context ends is cut off", () => {
    expect(readChatAnswer(message({ content: "Half" }, "model_length"))).toMatchObject({
      cutOff: "model_length",
    });
  });

  it("may refuse in a part of it", () => {
    const content = [{ type: "refusal", refusal: "I won't." }];
    expect(readChatAnswer(message({ content }))).toMatchObject({
      kind: "refused",
      type: "refusal",
      message: "I won't.",
    });
  });

  it("counts what is in the total alone as thoughts", () => {
    const usage = { prompt_tokens: 5, total_tokens: 108 };
    expect(readChatAnswer({ ...completion, usage })).toMatchObject({
      tokens: { input_tokens: 5, output_tokens: 103, reasoning_tokens: 103 },
    });
  });

  it("counts thoughts that a provider has in the total alone, as they are paid for", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 };
    expect(readChatAnswer({ ...completion, usage })).toMatchObject({
      tokens: { input_tokens: 10, output_tokens: 105 },
    });
    expect(readChatAnswer({ ...completion, usage: { prompt_tokens: 10 } })).toMatchObject({
      tokens: null,
    });
  });
});
