import { describe, expect, it } from "vitest";
import { builtinProviders } from "../../../src/model/models/providers.ts";
import type { Json } from "../../../src/model/json.ts";
import { brief, imagine, problemsOf, shortForm, suiteOf } from "../resolve-text.ts";

const azure = { azure: { base_url: "https://acme.openai.azure.com/openai/v1" } };

async function providerOf(model: string, providers: Json = {}, environment = {}) {
  const tools = { ...imagine(), environment };
  const { suite, warnings } = await suiteOf(
    shortForm({ candidates: { a: model }, providers }),
    tools,
  );
  const [candidate] = suite.candidates;
  if (candidate?.kind !== "model") throw new Error("no model");
  return { ...candidate.provider, warnings: brief(warnings) };
}

async function refusals(providers: Json, model = "own:m", environment = {}) {
  const tools = { ...imagine(), environment };
  return problemsOf(shortForm({ candidates: { a: model }, providers }), tools);
}

describe("built-in providers", () => {
  it.each(Object.keys(builtinProviders).filter((id) => id !== "azure"))(
    "%s needs no declaration",
    async (id) => {
      const builtin = builtinProviders[id];
      expect(await providerOf(`${id}:m`)).toMatchObject({
        id,
        base_url: builtin?.base_url,
        api: builtin?.api,
        api_key_env: builtin?.api_key_env,
        builtin: true,
        warnings: [],
      });
    },
  );

  it.each([
    ["https://acme.openai.azure.com/", "https://acme.openai.azure.com/openai/v1"],
    ["https://acme.openai.azure.com/openai/v1/", "https://acme.openai.azure.com/openai/v1"],
    ["https://acme.openai.azure.com/openai", "https://acme.openai.azure.com/openai/v1"],
    [
      "https://acme.openai.azure.com/openai/v1/responses",
      "https://acme.openai.azure.com/openai/v1",
    ],
  ])("azure's address may come from the environment: %s", async (endpoint, base) => {
    const environment = { AZURE_OPENAI_ENDPOINT: endpoint };
    expect(await providerOf("azure:m", {}, environment)).toMatchObject({ base_url: base });
    const declared = await providerOf("azure:m", azure, environment);
    expect(declared.base_url).toBe(azure.azure.base_url);
  });

  it.each([
    ["nowhere", {}, "azure_resource_missing candidates.a"],
    ["an empty variable", { AZURE_OPENAI_ENDPOINT: "" }, "azure_resource_missing candidates.a"],
    ["no address", { AZURE_OPENAI_ENDPOINT: "acme" }, "azure_resource_missing candidates.a"],
    [
      "someone else's host",
      { AZURE_OPENAI_ENDPOINT: "https://evil.example.com" },
      "provider_address_fixed candidates.a.base_url",
    ],
  ])("azure's address from %s is refused", async (_, environment, expected) => {
    expect(brief(await refusals({}, "azure:m", environment))).toEqual([expected]);
  });

  it.each([
    ["prices", { openai: { prices: { m: { input: 1, output: 2 } } } }, "openai:m"],
    ["the other API", { openai: { api: "chat" } }, "openai:m"],
    ["a variable of one's own", { openai: { api_key_env: "EVALS_KEY" } }, "openai:m"],
    ["a region", { openai: { base_url: "https://eu.api.openai.com/v1" } }, "openai:m"],
    ["another machine, without a key", { ollama: { base_url: "http://gpu:11434/v1" } }, "ollama:m"],
    ["headers", { openrouter: { headers: { "X-Title": "evals" } } }, "openrouter:m"],
  ])("may be given %s", async (_, providers, model) => {
    expect(await providerOf(model, providers)).toMatchObject({ builtin: true, warnings: [] });
  });

  it("keep their key to themselves", async () => {
    expect(
      brief(await refusals({ openai: { base_url: "https://proxy.example.com/v1" } }, "openai:m")),
    ).toEqual(["provider_address_fixed providers.openai.base_url"]);
    expect(
      brief(await refusals({ openai: { base_url: "http://api.openai.com/v1" } }, "openai:m")),
    ).toContain("provider_address_fixed providers.openai.base_url");
    expect(
      brief(
        await refusals({ openai: { base_url: "https://api.openai.com.evil.com/v1" } }, "openai:m"),
      ),
    ).toEqual(["provider_address_fixed providers.openai.base_url"]);
  });

  it("have a price table that the manifest goes before", async () => {
    const providers = { openai: { prices: { "gpt-4.1": { input: 9, output: 10 } } } };
    const { prices } = await providerOf("openai:gpt-4.1", providers);
    expect(prices["gpt-4.1"]).toEqual({ input: 9, cached_input: 9, output: 10 });
    expect(prices["gpt-4.1-mini"]).toEqual({ input: 0.4, cached_input: 0.1, output: 1.6 });
  });
});

describe("declared providers", () => {
  it("get the defaults of a compatible API", async () => {
    const own = await providerOf("own:m", { own: { base_url: "http://127.0.0.1:8000/v1//" } });
    expect(own).toEqual({
      id: "own",
      base_url: "http://127.0.0.1:8000/v1",
      api: "chat",
      api_key_env: undefined,
      builtin: false,
      passthrough: true,
      prices: {},
      warnings: [],
    });
  });

  it("that are OpenAI by another name are sent only what OpenAI takes", async () => {
    const providers = {
      own: { base_url: "https://api.openai.com/v1", api_key_env: "OPENAI_API_KEY" },
    };
    expect(await providerOf("own:m", providers)).toMatchObject({ passthrough: false });
  });

  it.each([
    ["no address", {}, "key_missing providers.own"],
    ["no address at all", { base_url: "acme" }, "url_malformed providers.own.base_url"],
    ["a file", { base_url: "file:///etc/passwd" }, "url_scheme providers.own.base_url"],
    ["a password", { base_url: "https://a:b@x.com" }, "url_credentials providers.own.base_url"],
    ["a query", { base_url: "https://x.com/v1?k=1" }, "url_extra providers.own.base_url"],
    ["a fragment", { base_url: "https://x.com/v1#k" }, "url_extra providers.own.base_url"],
    [
      "the endpoint",
      { base_url: "https://x.com/v1/chat/completions" },
      "url_extra providers.own.base_url",
    ],
    [
      "an unknown api",
      { base_url: "https://x.com", api: "chatt" },
      "value_unknown providers.own.api",
    ],
    [
      "a key instead of its variable",
      { base_url: "https://x.com", api_key_env: "sk-123" },
      "value_characters providers.own.api_key_env",
    ],
    [
      "a secret in a header",
      { base_url: "https://x.com", headers: { Authorization: "Bearer x" } },
      "header_reserved providers.own.headers.Authorization",
    ],
    [
      "a header of the connection",
      { base_url: "https://x.com", headers: { Host: "y" } },
      "header_reserved providers.own.headers.Host",
    ],
    [
      "a header of two lines",
      { base_url: "https://x.com", headers: { "x-a": "b\r\nc: d" } },
      "value_characters providers.own.headers.x-a",
    ],
    [
      "a header that can't be sent",
      { base_url: "https://x.com", headers: { "x-a": "Zürich ✓" } },
      "value_characters providers.own.headers.x-a",
    ],
    [
      "a header that is a number",
      { base_url: "https://x.com", headers: { "x-a": 1 } },
      "value_type providers.own.headers.x-a",
    ],
    [
      "half a price",
      { base_url: "https://x.com", prices: { m: { input: 1 } } },
      "key_missing providers.own.prices.m",
    ],
    [
      "a price below zero",
      { base_url: "https://x.com", prices: { m: { input: -1, output: 1 } } },
      "value_range providers.own.prices.m.input",
    ],
    [
      "a built-in provider's key",
      { base_url: "https://x.com", api_key_env: "OPENAI_API_KEY" },
      "key_of_builtin providers.own.api_key_env",
    ],
    [
      "a built-in provider's key in clear text",
      { base_url: "http://api.openai.com/v1", api_key_env: "OPENAI_API_KEY" },
      "key_of_builtin providers.own.api_key_env",
    ],
    [
      "the runner's token",
      { base_url: "https://x.com", api_key_env: "GITHUB_TOKEN" },
      "key_of_runner providers.own.api_key_env",
    ],
    [
      "a token of the runner's services",
      { base_url: "https://models.github.ai/x", api_key_env: "ACTIONS_RUNTIME_TOKEN" },
      "key_of_runner providers.own.api_key_env",
    ],
    ["a misspelt key", { baseurl: "https://x.com" }, "key_unknown providers.own.baseurl"],
  ])("with %s are refused", async (_, own, expected) => {
    expect(brief(await refusals({ own }))).toEqual([expected]);
  });

  it("are checked though no model uses them", async () => {
    const text = shortForm({ providers: { own: { base_url: "acme" } } });
    expect(brief(await problemsOf(text))).toContain("url_malformed providers.own.base_url");
  });

  it("may be GitHub Models with the workflow's own token", async () => {
    const own = { base_url: "https://models.github.ai/inference", api_key_env: "GITHUB_TOKEN" };
    expect((await providerOf("own:m", { own })).warnings).toEqual([]);
  });

  it("that no model is of are named", async () => {
    const providers = { own: { base_url: "https://x.com" }, groq: { api: "responses" } };
    const { warnings } = await suiteOf(shortForm({ candidates: { a: "groq:m" }, providers }));
    expect(brief(warnings)).toEqual(["provider_unused providers.own"]);
  });

  it.each([
    ["http://models.example.com/v1", ["url_not_encrypted providers.own.base_url"]],
    ["http://8.8.8.8/v1", ["url_not_encrypted providers.own.base_url"]],
    ["http://172.32.0.1/v1", ["url_not_encrypted providers.own.base_url"]],
    ["http://[2001:db8::1]/v1", ["url_not_encrypted providers.own.base_url"]],
    ["https://models.example.com/v1", []],
    ["http://localhost:8000/v1", []],
    ["http://127.0.0.1:8000/v1", []],
    ["http://[::1]:8000/v1", []],
    ["http://[fd00::1]/v1", []],
    ["http://10.1.2.3/v1", []],
    ["http://172.16.0.1/v1", []],
    ["http://192.168.1.2/v1", []],
    ["http://vllm:8000/v1", []],
    ["http://host.docker.internal:11434/v1", []],
  ])("%s: unencrypted only where nobody else listens", async (base, expected) => {
    expect((await providerOf("own:m", { own: { base_url: base } })).warnings).toEqual(expected);
  });
});
