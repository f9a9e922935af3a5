import { describe, expect, it } from "vitest";
import { openCandidate } from "../../src/candidate/open.ts";
import type { Generated } from "../../src/model/models/candidate.ts";
import type { Usage } from "../../src/model/outcomes/sample.ts";
import type { Provider } from "../../src/model/models/providers.ts";
import type { Generation } from "../../src/model/definition/candidate-spec.ts";
import {
  first,
  good,
  htmlPage,
  redirect,
  serverError,
  unauthorized,
  always,
} from "../support/provider/days.ts";
import { startProvider, type Provider as Loopback } from "../support/provider/server.ts";
import { answers, ask, complaints, tools } from "./tools.ts";
import { modelSpec, openai } from "./model/spec.ts";
import type { ModelSpec } from "../../src/model/definition/candidate-kinds.ts";

const environment = { ...tools.environment, LOCAL_KEY: " sk-local-1\n" };
const given = { ...tools, environment };
const at = (
  server: Loopback,
  generation: Partial<Generation> = {},
  provider: Partial<Provider> = {},
) => modelSpec({ provider: { base_url: server.url, ...provider }, generation });
const one = async (spec: ModelSpec, prompt = "P"): Promise<Generated | undefined> =>
  (await answers(spec, [ask("c1", { prompt })], given))[0];

describe("a model", () => {
  it("prices an answer of another day by the manifest of today", async () => {
    const provider = { prices: { "m-1": { input: 1, cached_input: 1, output: 2 } } };
    const opened = await openCandidate(modelSpec({ provider }), given);
    if ("problems" in opened) throw new Error("can't be opened");
    const tokens = { input_tokens: 10, output_tokens: 3, cached_tokens: 0, reasoning_tokens: 0 };
    expect(opened.candidate.price?.({ ...tokens, usd: 99 })).toEqual({ ...tokens, usd: 0.000016 });
  });
});

describe.each(["responses", "chat"] as const)("a model behind the %s API", (api) => {
  it("is asked at its address, with its key, and answers", async () => {
    await using server = await startProvider({
      script: always(
        good("Paris", {
          inputTokens: 1000,
          outputTokens: 200,
          cachedTokens: 400,
          reasoningTokens: 50,
        }),
      ),
    });
    const prices = { "m-1": { input: 2, cached_input: 0.5, output: 8 } };
    const headers = { "X-Team": "evals" };
    const spec = at(server, { temperature: 0 }, { api, prices, headers });
    const id = expect.stringMatching(/^(?:resp_|chatcmpl-)/);
    expect(await one(spec, "Capital of France?")).toEqual({
      kind: "answered",
      outputText: "Paris",
      incomplete: false,
      transcript: null,
      responseId: id,
      usage: {
        input_tokens: 1000,
        output_tokens: 200,
        cached_tokens: 400,
        reasoning_tokens: 50,
        usd: expect.closeTo(0.003, 9),
      },
    });
    expect(server.requests).toMatchObject([
      {
        method: "POST",
        path: api === "responses" ? "/v1/responses" : "/v1/chat/completions",
        headers: {
          authorization: "Bearer sk-local-1",
          "content-type": "application/json",
          "x-team": "evals",
        },
        model: "m-1",
        prompt: "Capital of France?",
      },
    ]);
    expect(JSON.stringify(server.requests[0]?.body)).toBe(
      api === "responses"
        ? '{"model":"m-1","input":"Capital of France?","temperature":0}'
        : '{"model":"m-1","messages":[{"role":"user","content":"Capital of France?"}],"temperature":0}',
    );
  });

  it("that calls a tool has answered", async () => {
    const call = { name: "look", arguments: { at: "x" } };
    await using server = await startProvider({
      script: always({ kind: "answer", toolCalls: [call] }),
    });
    expect(await one(at(server, { max_empty_retries: 2 }, { api }))).toMatchObject({
      kind: "answered",
      outputText: "",
      transcript: [{ type: "tool_call", name: "look", arguments: '{"at":"x"}' }],
    });
    expect(server.count()).toBe(1);
  });

  it("that refuses has refused, and is paid for", async () => {
    await using server = await startProvider({
      script: always({ kind: "answer", refusal: "I can't help with that." }),
    });
    expect(await one(at(server, { max_empty_retries: 2 }, { api }))).toMatchObject({
      kind: "refused",
      type: "refusal",
      message: "I can't help with that.",
      responseId: expect.any(String),
      usage: { output_tokens: 5, usd: null },
    });
    expect(server.count()).toBe(1);
  });

  it("that is cut off by the token limit says so", async () => {
    await using server = await startProvider({
      script: always(good("Half a", { incomplete: true })),
    });
    expect(await one(at(server, {}, { api }))).toMatchObject({
      kind: "answered",
      outputText: "Half a",
      incomplete: true,
      transcript: [{ type: "incomplete", reason: "max_output_tokens" }],
    });
  });

  it("that is cut off after the stop sequence is not cut off", async () => {
    await using server = await startProvider({
      script: always(good("Paris\nQuestion: and", { incomplete: true })),
    });
    expect(await one(at(server, { stop: ["\n"] }, { api }))).toMatchObject({
      outputText: "Paris",
      incomplete: false,
      transcript: null,
    });
  });

  it("that says nothing is asked again, and all of it is counted", async () => {
    await using server = await startProvider({ script: first(good(" \n"), good("")) });
    const spec = at(server, { max_empty_retries: 2 }, { api });
    const usage = { input_tokens: 3 };
    expect(await one(spec, "word")).toMatchObject({ kind: "answered", outputText: "word", usage });
    expect(server.count()).toBe(3);
  });

  it("that says nothing is not asked again when nothing more may be spent", async () => {
    await using server = await startProvider({ script: always(good("")) });
    const opened = await openCandidate(at(server, { max_empty_retries: 9 }, { api }), given);
    if ("problems" in opened) throw new Error("it can't be opened");
    const told: (number | undefined)[] = [];
    const pay = async (usage: Usage | null): Promise<boolean> => told.push(usage?.input_tokens) < 2;
    const { signal } = new AbortController();
    const end = await opened.candidate.generate(ask("c1", { prompt: "word" }), signal, pay);
    expect(end).toMatchObject({
      kind: "unavailable",
      type: "cancelled",
      usage: { input_tokens: 2 },
    });
    expect([told, server.count()]).toEqual([[1, 1], 2]);
  });

  it("that begins with a stop sequence has failed, and says why", async () => {
    await using server = await startProvider({ script: always(good("\nParis")) });
    expect(await one(at(server, { stop: ["\n"] }, { api }))).toMatchObject({
      kind: "failed",
      type: "empty_answer",
      message: "the answer begins with a stop sequence: see 'stop'",
    });
  });

  it("that says nothing to the end has failed", async () => {
    await using server = await startProvider({ script: always(good("", { incomplete: true })) });
    expect(await one(at(server, { max_empty_retries: 1 }, { api }))).toMatchObject({
      kind: "failed",
      type: "empty_answer",
      message: expect.stringMatching(/token limit .* 2 times: raise max_output_tokens/),
      usage: { output_tokens: 0 },
      incomplete: true,
      transcript: [{ type: "incomplete", reason: "max_output_tokens" }],
      responseId: expect.any(String),
    });
    expect(server.count()).toBe(2);
  });

  it.each([
    ["HTML with status 200", htmlPage(), "unavailable", "bad_response"],
    ["half a JSON", { kind: "half_json" } as const, "unavailable", "bad_response"],
    ["a 500", serverError(), "unavailable", "server_error"],
    ["a reset in the middle", { kind: "reset" } as const, "unavailable", "connection_reset"],
    ["20 MB", { kind: "huge", bytes: 20_000_000 } as const, "unavailable", "response_too_large"],
    ["silence", { kind: "silence" } as const, "unavailable", "timeout"],
    ["a wrong key", unauthorized("sk-local-1"), "halted", "unauthorized"],
  ])(
    "on a day of %s is told so, and retried no more than it may",
    async (_, day, ...[kind, type]) => {
      await using server = await startProvider({ script: always(day) });
      const spec = at(server, { timeout_seconds: type === "timeout" ? 0.3 : 20 }, { api });
      const generated = await one(spec);
      expect(generated).toMatchObject({ kind, type });
      expect(JSON.stringify(generated)).not.toContain("sk-local-1");
      expect(server.count()).toBe(1);
    },
  );

  it("that a gateway's page stood in for is asked again", async () => {
    await using server = await startProvider({ script: first(htmlPage()) });
    expect(await one(at(server, { max_retries: 1 }, { api }), "word")).toMatchObject({
      kind: "answered",
      outputText: "word",
    });
  });

  it("that redirects elsewhere takes no key there", async () => {
    await using other = await startProvider();
    await using server = await startProvider({ script: always(redirect(other.url)) });
    expect(await one(at(server, { max_retries: 2 }, { api }))).toMatchObject({
      kind: "unavailable",
      type: "redirected",
    });
    expect([server.count(), other.count()]).toEqual([1, 0]);
  });
});

describe("the key of a model", () => {
  it("that is missing, as in a pull request from a fork, is told before the first sample", async () => {
    expect(await complaints(modelSpec())).toEqual([
      "model_key_missing evals/suite.yaml candidates.main",
    ]);
    const odd = { ...given, environment: { LOCAL_KEY: "two words" } };
    expect(await complaints(modelSpec(), odd)).toEqual([
      "model_key_malformed evals/suite.yaml candidates.main",
    ]);
  });

  it("is not needed where the provider names none", async () => {
    await using server = await startProvider();
    const spec = at(server, {}, { api_key_env: undefined });
    expect((await answers(spec, [ask("c1")]))[0]).toMatchObject({ kind: "answered" });
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it("goes to Azure in Azure's own header", async () => {
    await using server = await startProvider();
    await one(at(server, {}, { ...openai, id: "azure" }));
    expect(server.requests[0]?.headers).toMatchObject({ "api-key": "sk-local-1" });
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it("is in no hash and no cache key; what the answer depends on is", async () => {
    const opened = await openCandidate(modelSpec({ generation: { temperature: 0.5 } }), given);
    if ("problems" in opened) throw new Error("can't be opened");
    const key = JSON.stringify(opened.candidate.cacheKey?.(ask("c1", { prompt: "Hi", repeat: 2 })));
    const hash = JSON.stringify(opened.hash);
    for (const text of [hash, key]) {
      expect(text).not.toContain("sk-local-1");
      for (const part of ['"m-1"', '"local"', "http://127.0.0.1:1/v1", '"temperature":0.5']) {
        expect(text).toContain(part);
      }
    }
    expect(key).toContain('"prompt":"Hi","repeat":2');
    expect(key).not.toContain("timeout_seconds");
  });
});

it("a run that is stopped does not wait for its model", async () => {
  await using server = await startProvider({ script: always({ kind: "silence" }) });
  const opened = await openCandidate(at(server, { max_retries: 5, max_empty_retries: 5 }), given);
  if ("problems" in opened) throw new Error("can't be opened");
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  expect(await opened.candidate.generate(ask("c1"), stop.signal)).toMatchObject({
    kind: "unavailable",
    type: "cancelled",
  });
});
