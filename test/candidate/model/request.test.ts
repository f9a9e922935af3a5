import { describe, expect, it } from "vitest";
import { chatRequest, responsesRequest } from "../../../src/candidate/provider/request.ts";
import type { Provider } from "../../../src/model/models/providers.ts";
import type { Generation } from "../../../src/model/definition/candidate-spec.ts";
import { modelSpec, openai } from "./spec.ts";

const responses = (generation: Partial<Generation>, provider: Partial<Provider> = {}) =>
  JSON.stringify(
    responsesRequest(modelSpec({ provider: { api: "responses", ...provider }, generation }))({
      prompt: "Hi",
    }),
  );
const chat = (generation: Partial<Generation>, provider: Partial<Provider> = {}) =>
  JSON.stringify(chatRequest(modelSpec({ provider, generation }))({ prompt: "Hi" }));
/** What is in a body beside model and prompt. */
const rest = (body: string): unknown => {
  const { model: _model, input: _input, messages: _messages, ...more } = JSON.parse(body);
  return more;
};

const schema = { type: "object", properties: { a: { type: "string" } } };
const tool = { type: "function", name: "look", parameters: schema, strict: true };
const everything: Partial<Generation> = {
  instructions: "Be brief.",
  temperature: 0,
  top_p: 0.5,
  max_output_tokens: 64,
  stop: ["\n\n", "END"],
  tools: [tool, { type: "web_search" }],
  tool_choice: { type: "function", name: "look" },
  parallel_tool_calls: false,
  max_tool_calls: 3,
  reasoning: { effort: "low" },
  text: { format: { type: "json_schema", name: "a", schema, strict: true }, verbosity: "low" },
  truncation: "auto",
  service_tier: "flex",
  presence_penalty: 0.1,
  frequency_penalty: 0.2,
  top_k: 40,
  min_p: 0.05,
  repetition_penalty: 1.1,
  do_sample: true,
  chat_template_kwargs: { enable_thinking: false },
  prefill_think: "<think>",
  use_cache: true,
  extra_body: {
    seed: 7,
    temperature: 1,
    model: "other",
    Messages: [],
    stream: true,
    n: 5,
    api_key: "k",
  },
};

describe("a request to the Responses API", () => {
  it("holds the model and the prompt, and asks OpenAI to keep neither prompt nor answer", () => {
    expect(responses({}, openai)).toBe('{"model":"m-1","input":"Hi","store":false}');
    expect(responses({})).toBe('{"model":"m-1","input":"Hi"}');
  });

  it("gives OpenAI the fields that it documents, and no others", () => {
    expect(rest(responses(everything, openai))).toEqual({
      instructions: "Be brief.",
      temperature: 0,
      top_p: 0.5,
      max_output_tokens: 64,
      tools: [tool, { type: "web_search" }],
      tool_choice: { type: "function", name: "look" },
      parallel_tool_calls: false,
      max_tool_calls: 3,
      reasoning: { effort: "low" },
      text: everything.text,
      truncation: "auto",
      service_tier: "flex",
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });

  it("asks for encrypted thoughts only where tools go with reasoning: other models refuse to be asked", () => {
    const both = { tools: [tool], reasoning: { effort: "low" } };
    const asked = [both, { tools: [tool] }, { reasoning: both.reasoning }].map((generation) =>
      responses(generation, openai).includes("encrypted_content"),
    );
    expect(asked).toEqual([true, false, false]);
  });

  it("gives others their own fields too, and extra_body without what it must not change", () => {
    const { extra_body: _extra, ...settings } = everything;
    expect(rest(responses(everything))).toEqual({ ...settings, temperature: 1, seed: 7 });
  });
});

describe("a request to Chat Completions", () => {
  it("holds the model, the prompt, and the instructions before it", () => {
    expect(chat({})).toBe('{"model":"m-1","messages":[{"role":"user","content":"Hi"}]}');
    expect(chat({ instructions: "Be brief." })).toBe(
      '{"model":"m-1","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}',
    );
  });

  it("gives OpenAI the fields that it documents, in the words of this API", () => {
    expect(rest(chat(everything, openai))).toEqual({
      temperature: 0,
      top_p: 0.5,
      max_completion_tokens: 64,
      stop: ["\n\n", "END"],
      tools: [
        { type: "function", function: { name: "look", parameters: schema, strict: true } },
        { type: "web_search" },
      ],
      tool_choice: { type: "function", function: { name: "look" } },
      parallel_tool_calls: false,
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "a", schema, strict: true } },
      verbosity: "low",
      service_tier: "flex",
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      store: false,
    });
  });

  it("gives OpenAI no part of a setting that it has no field for", () => {
    const settings = { reasoning: { effort: "low", summary: "auto" }, text: { other: 1 } };
    expect(rest(chat(settings, openai))).toEqual({ reasoning_effort: "low", store: false });
    expect(rest(chat(settings))).toEqual(settings);
  });

  it("has custom tools, and choices among tools, in its own form", () => {
    const grammar = { syntax: "lark", definition: "start: /a/" };
    const custom = { type: "custom", name: "calc", format: { type: "grammar", ...grammar } };
    const among = {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "look" }],
    };
    const sent = { type: "custom", custom: { name: "calc", format: { type: "grammar", grammar } } };
    expect(rest(chat({ tools: [custom, sent], tool_choice: among }))).toEqual({
      tools: [sent, sent],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "look" } }] },
      },
    });
  });

  it("gives others max_tokens and their own fields", () => {
    expect(rest(chat(everything))).toMatchObject({
      max_tokens: 64,
      temperature: 1,
      top_k: 40,
      min_p: 0.05,
      repetition_penalty: 1.1,
      do_sample: true,
      chat_template_kwargs: { enable_thinking: false },
      prefill_think: "<think>",
      use_cache: true,
      seed: 7,
    });
    for (const field of ["max_completion_tokens", "stream", "n", "api_key", "truncation"]) {
      expect(rest(chat(everything))).not.toHaveProperty(field);
    }
    expect(JSON.parse(chat(everything))).toMatchObject({ model: "m-1", messages: [{}, {}] });
  });

  it.each<[string, Partial<Generation>, unknown]>([
    ["plain text", { text: { format: { type: "text" } } }, {}],
    [
      "a JSON object",
      { text: { format: { type: "json_object" } } },
      { response_format: { type: "json_object" } },
    ],
    [
      "a format that is Chat's already",
      { text: { format: { type: "json_schema", json_schema: { name: "a", schema } } } },
      { response_format: { type: "json_schema", json_schema: { name: "a", schema } } },
    ],
    [
      "a tool that is Chat's already",
      { tools: [{ type: "function", function: { name: "look" } }], tool_choice: "required" },
      { tools: [{ type: "function", function: { name: "look" } }], tool_choice: "required" },
    ],
    [
      "more of reasoning than the effort, for whoever knows it",
      { reasoning: { effort: "low", max_tokens: 5 } },
      { reasoning: { effort: "low", max_tokens: 5 } },
    ],
    [
      "the first four stop sequences",
      { stop: ["1", "", "2", "3", "4", "5"] },
      { stop: ["1", "2", "3", "4"] },
    ],
    ["no stop sequence", { stop: [] }, {}],
  ])("translates %s", (_, generation, expected) => {
    expect(rest(chat(generation))).toEqual(expected);
  });

  it("sends Anthropic no stop sequence of white space, which it refuses", () => {
    expect(rest(chat({ stop: ["\n\n", "END"] }, { id: "anthropic" }))).toEqual({ stop: ["END"] });
    expect(rest(chat({ stop: ["\n\n"] }, { id: "anthropic" }))).toEqual({});
  });
});
