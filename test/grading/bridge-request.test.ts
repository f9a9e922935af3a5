import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { ModelCall } from "../../src/model/ports/bridge.ts";
import { chooseModel } from "../../src/grading/bridge-models.ts";
import { checkRequest } from "../../src/grading/bridge-request.ts";
import { embedding, judge, limits, ref } from "./models.ts";

type RequestRules = Parameters<typeof checkRequest>[1];

const rules: RequestRules = {
  ...limits,
  helper: "responses_create",
  model: judge,
  responseIds: new Set(["resp_mine"]),
};

function complaint(request: JsonObject, more: Partial<RequestRules> = {}): string | undefined {
  const checked = checkRequest(request, { ...rules, ...more });
  return "refused" in checked ? checked.refused : undefined;
}

const image = (image_url: string): JsonObject => ({
  input: [{ role: "user", content: [{ type: "input_image", image_url }] }],
});

describe("a request that may be sent", () => {
  it.each<[string, JsonObject]>([
    ["a text", { input: "2+2?" }],
    [
      "all that the seeds' judge says",
      {
        model: "auto",
        input: "Grade: https://example.com/ is text",
        temperature: 0,
        text: { format: { type: "json_object" } },
        metadata: { judge: "reference_binary" },
      },
    ],
    ["messages", { input: [{ role: "user", content: [{ type: "input_text", text: "x" }] }] }],
    ["an image in the request itself", image("data:image/png;base64,AAAA")],
    ["its own response, continued", { input: "And why?", previous_response_id: "resp_mine" }],
    ["no tools", { input: "x", tools: [], tool_choice: "none" }],
  ])("%s", (_, request) => {
    expect(complaint(request)).toBeUndefined();
  });

  it("loses what the run decides, and what says nothing", () => {
    const request = { input: "x", stream: true, store: false, background: true, top_p: null };
    expect(checkRequest({ ...request, model: "auto" }, rules)).toEqual({ request: { input: "x" } });
  });

  it("may have what compatible servers take, where one is asked", () => {
    const request = { input: "x", top_k: 5, chat_template_kwargs: { enable_thinking: false } };
    expect(complaint(request, { model: ref("local:m", { passthrough: true }) })).toBeUndefined();
    expect(complaint(request)).toContain("there is no 'top_k' in a request to openai:judge-1");
  });

  it("may use tools and addresses where the manifest allows them", () => {
    const tools = { input: "x", tools: [{ type: "web_search" }] };
    expect(complaint(tools, { allow_tools: true })).toBeUndefined();
    expect(complaint(image("https://example.com/a.png"), { allow_urls: true })).toBeUndefined();
  });
});

describe("a request that is refused", () => {
  it.each<[string, JsonObject, RegExp]>([
    ["nothing to ask", {}, /'input' is missing or empty/],
    ["an empty text", { input: "" }, /'input' is missing or empty/],
    ["another type", { input: 5 }, /'input' must be a text or a list of messages/],
    ["a list of instructions", { input: "x", instructions: [] }, /'instructions' must be a text/],
    [
      "a misspelt field",
      { input: "x", temprature: 0 },
      /no 'temprature' .* did you mean 'temperature'/,
    ],
    ["messages of another API", { messages: [] }, /no 'messages' in a request/],
    ["headers", { input: "x", extra_headers: { a: "b" } }, /no 'extra_headers'/],
    [
      "tools",
      { input: "x", tools: [{ type: "mcp", server_url: "https://evil.example" }] },
      /allow_tools: true/,
    ],
    ["a forced tool", { input: "x", tool_choice: { type: "web_search" } }, /allow_tools: true/],
    [
      "items of tools",
      { input: [{ type: "mcp_approval_response", id: "x" }] },
      /belongs to a tool/,
    ],
    [
      "an image elsewhere",
      image("https://evil.example/?q=secret"),
      /input\[0\]\.content\[0\]\.image_url names something that the provider would fetch/,
    ],
    ["an image with another scheme", image("ftp://evil.example/x"), /would fetch/],
    [
      "an image as Chat Completions have it",
      {
        input: [
          {
            role: "user",
            content: [{ type: "input_image", image_url: { url: "HTTP://evil.example" } }],
          },
        ],
      },
      /image_url\.url/,
    ],
    [
      "a file elsewhere",
      {
        input: [
          { role: "user", content: [{ type: "input_file", file_url: "https://evil.example/a" }] },
        ],
      },
      /file_url/,
    ],
    [
      "a list of addresses",
      {
        input: [
          { role: "user", content: [{ type: "input_text", image_urls: ["https://a.example"] }] },
        ],
      },
      /image_urls/,
    ],
    [
      "a file of the account",
      { input: [{ role: "user", content: [{ type: "input_file", file_id: "file_1" }] }] },
      /file_id/,
    ],
    [
      "somebody else's response",
      { input: "x", previous_response_id: "resp_other" },
      /previous_response_id/,
    ],
    ["a stored item", { input: [{ type: "item_reference", id: "msg_1" }] }, /item_reference/],
    [
      "a stored conversation",
      { input: "x", conversation: "conv_1" },
      /'conversation' names something that is stored/,
    ],
    [
      "a stored prompt",
      { input: "x", prompt: { id: "pmpt_1" } },
      /'prompt' names something that is stored/,
    ],
    ["a book", { input: "x".repeat(8_000_001) }, /longer than 8000000 characters/],
  ])("for %s", (_, request, words) => {
    expect(complaint(request)).toMatch(words);
  });

  it("for what an Embeddings API does not take", () => {
    const helper = "embeddings_create";
    expect(complaint({ input: ["a", "b"], dimensions: 64 }, { helper })).toBeUndefined();
    expect(complaint({ input: "a", temperature: 0 }, { helper })).toContain("no 'temperature'");
    expect(complaint({ input: {} }, { helper })).toContain("a text or a list of texts");
  });
});

const run = { judge, embedding, candidates: [ref("openai:candidate-1")] };
const chosen = (
  asked: string | undefined,
  helper: ModelCall["helper"] = "responses_create",
  more: Partial<typeof run> = {},
): string => {
  const found = chooseModel(asked, {
    helper,
    run: { ...run, ...more },
    allowed: [ref("anthropic:allowed-1")],
  });
  return "model" in found ? found.model.model : found.refused;
};

describe("the model of a call", () => {
  it.each<[string | undefined, ModelCall["helper"], string]>([
    ["auto", "responses_create", "openai:judge-1"],
    [undefined, "responses_create", "openai:judge-1"],
    ["auto", "embeddings_create", "openai:embed-1"],
    ["openai:candidate-1", "responses_create", "openai:candidate-1"],
    ["openai:embed-1", "embeddings_create", "openai:embed-1"],
    ["anthropic:allowed-1", "responses_create", "anthropic:allowed-1"],
  ])("%s of %s is %s", (asked, helper, model) => {
    expect(chosen(asked, helper)).toBe(model);
  });

  it("is refused where the run has none, with the key to set", () => {
    const { judge: _judge, embedding: _embedding, ...none } = run;
    const bare = { ...none, judge: undefined, embedding: undefined };
    const found = [
      chooseModel("auto", { helper: "responses_create", run: bare, allowed: [] }),
      chooseModel(undefined, { helper: "embeddings_create", run: bare, allowed: [] }),
    ];
    expect(found).toEqual([
      {
        refused:
          'the run has no judge_model, which model="auto" stands for: set it in the manifest (run: { judge_model: openai:gpt-5.4-mini }), or name a model of the run',
      },
      {
        refused:
          "the run has no embedding_model, which a call without a model is for: set it in the manifest (run: { embedding_model: openai:text-embedding-3-small }), or name a model of the run",
      },
    ]);
  });

  it("is refused where the manifest does not name it", () => {
    expect(chosen("openai:gpt-9-pro")).toContain("add it to the grader's allow_models");
    expect(chosen("judge-1")).toContain("Did you mean openai:judge-1?");
    expect(chosen("openai:judge-2")).toContain("Did you mean openai:judge-1?");
  });
});
