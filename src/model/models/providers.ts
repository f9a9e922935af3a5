import { ownValue } from "../own-value.ts";
import type { Price } from "./prices.ts";
import { isJsonObject, type Json } from "../json.ts";
import type { Generation } from "../definition/candidate-spec.ts";

/** The API that a provider accepts. */
export interface ProviderApi {
  readonly api: "responses" | "chat";
  /** OpenAI itself gets only the fields that it documents; others get the passthrough fields too. */
  readonly passthrough: boolean;
}

/** A provider of models. */
export interface Provider extends ProviderApi {
  readonly id: string;
  readonly base_url: string;
  /** The environment variable with the key; undefined: none is needed. */
  readonly api_key_env: string | undefined;
  /** A built-in provider's key goes to its own host only. */
  readonly builtin: boolean;
  /** US dollars per million tokens, by model name: the manifest's prices, then this version's table. */
  readonly prices: Readonly<Record<string, Price>>;
  /** Sent with every request, in addition to the API's own headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A provider that every suite can use without declaring it. */
export interface BuiltinProvider {
  /** undefined: each customer has an address of their own, which the manifest must give. */
  readonly base_url: string | undefined;
  readonly api: Provider["api"];
  readonly api_key_env: string | undefined;
  readonly passthrough: boolean;
  /** Hosts that may receive the key: these and their subdomains. Without a key, any host. */
  readonly hosts: readonly string[];
}

/**
 * The built-in providers and their OpenAI-compatible APIs, as their documentation had it in November 2026:
 * - openai: developers.openai.com/api; only the Responses API gets new features. With `eu.` or `us.` before
 *   the host, data stays in that region.
 * - azure: the v1 API, which needs no `api-version` (learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle).
 * - anthropic: platform.claude.com/docs/en/cli-sdks-libraries/libraries/openai-sdk. Ignores unknown fields.
 * - google: ai.google.dev/gemini-api/docs/openai.
 * - mistral, groq, together, openrouter: their API references.
 * - ollama: docs.ollama.com/api/openai-compatibility. A local server, which needs no key.
 * - mka1: docs.mka1.com/docs/authentication. Its Chat Completions are deprecated.
 */
export const builtinProviders: Readonly<Record<string, BuiltinProvider>> = {
  openai: {
    base_url: "https://api.openai.com/v1",
    api: "responses",
    api_key_env: "OPENAI_API_KEY",
    passthrough: false,
    hosts: ["api.openai.com"],
  },
  azure: {
    base_url: undefined,
    api: "responses",
    api_key_env: "AZURE_OPENAI_API_KEY",
    passthrough: false,
    hosts: [
      "openai.azure.com",
      "services.ai.azure.com",
      "cognitiveservices.azure.com",
      "openai.azure.us",
      "openai.azure.cn",
    ],
  },
  anthropic: {
    base_url: "https://api.anthropic.com/v1",
    api: "chat",
    api_key_env: "ANTHROPIC_API_KEY",
    passthrough: true,
    hosts: ["api.anthropic.com"],
  },
  google: {
    base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
    api: "chat",
    api_key_env: "GEMINI_API_KEY",
    passthrough: true,
    hosts: ["generativelanguage.googleapis.com"],
  },
  mistral: {
    base_url: "https://api.mistral.ai/v1",
    api: "chat",
    api_key_env: "MISTRAL_API_KEY",
    passthrough: true,
    hosts: ["api.mistral.ai"],
  },
  groq: {
    base_url: "https://api.groq.com/openai/v1",
    api: "chat",
    api_key_env: "GROQ_API_KEY",
    passthrough: true,
    hosts: ["api.groq.com"],
  },
  together: {
    base_url: "https://api.together.ai/v1",
    api: "chat",
    api_key_env: "TOGETHER_API_KEY",
    passthrough: true,
    hosts: ["api.together.ai", "api.together.xyz"],
  },
  openrouter: {
    base_url: "https://openrouter.ai/api/v1",
    api: "chat",
    api_key_env: "OPENROUTER_API_KEY",
    passthrough: true,
    hosts: ["openrouter.ai"],
  },
  ollama: {
    base_url: "http://127.0.0.1:11434/v1",
    api: "chat",
    api_key_env: undefined,
    passthrough: true,
    hosts: [],
  },
  mka1: {
    base_url: "https://apigw.mka1.com/api/v1/llm",
    api: "responses",
    api_key_env: "MKA1_API_KEY",
    passthrough: true,
    hosts: ["apigw.mka1.com"],
  },
};

/** Variable with an Azure resource's address, if the manifest does not give it. */
export const azureEndpointEnv = "AZURE_OPENAI_ENDPOINT";

/** The built-in provider with this name; a name such as `constructor` has none. */
export function builtinProvider(id: string): BuiltinProvider | undefined {
  return ownValue(builtinProviders, id);
}

/** The built-in provider whose key is in this environment variable. */
export function ownerOfKey(name: string): string | undefined {
  return Object.keys(builtinProviders).find((id) => builtinProviders[id]?.api_key_env === name);
}

/** True for a host of this provider: one of `hosts`, or a subdomain of one. */
export function isHostOf({ hosts }: BuiltinProvider, host: string): boolean {
  return hosts.some((own) => host === own || host.endsWith(`.${own}`));
}

/** True for hosts of OpenAI's own models, which refuse a request with an unknown field. */
export function isOpenAiHost(host: string): boolean {
  return ["openai", "azure"].some((id) => {
    const provider = builtinProvider(id);
    return provider !== undefined && isHostOf(provider, host);
  });
}

type Setting = keyof Generation;

/** Settings that compatible providers other than OpenAI accept. */
const passthroughSettings: readonly Setting[] = [
  "top_k",
  "min_p",
  "repetition_penalty",
  "do_sample",
  "extra_body",
  "chat_template_kwargs",
  "prefill_think",
  "use_cache",
];

/** Settings of the Responses API only: Chat Completions has no field for them. */
const responsesSettings: readonly Setting[] = ["max_tool_calls", "truncation"];

/**
 * Settings of Chat Completions only: OpenAI's Responses API has no field for them, but compatible ones accept them.
 * (`stop` is not here: if it can't be sent, the answer is cut afterwards.)
 */
const chatSettings: readonly Setting[] = ["presence_penalty", "frequency_penalty"];

export interface SettingNotSent {
  readonly setting: Setting;
  readonly why: "not_openai" | "not_chat" | "not_responses";
}

/** Settings without a field in this provider's API: they are not sent, and `validate` warns. */
export function settingsNotSent({ api, passthrough }: ProviderApi): readonly SettingNotSent[] {
  const because = (settings: readonly Setting[], why: SettingNotSent["why"]): SettingNotSent[] =>
    settings.map((setting) => ({ setting, why }));
  return [
    ...(passthrough ? [] : because(passthroughSettings, "not_openai")),
    ...(api === "chat" ? because(responsesSettings, "not_chat") : []),
    ...(api === "responses" && !passthrough ? because(chatSettings, "not_responses") : []),
  ];
}

/** The parts that Chat Completions accept of settings that have more parts in the Responses API. */
const chatParts = { reasoning: ["effort"], text: ["format", "verbosity"] } as const;

/** Parts of a setting without a field in this provider's API; compatible providers receive them, with a warning. */
export function partsNotSent(
  { api, passthrough }: ProviderApi,
  setting: keyof typeof chatParts,
  value: Json | undefined,
): readonly string[] {
  if (api !== "chat" || passthrough || !isJsonObject(value)) return [];
  const known: readonly string[] = chatParts[setting];
  return Object.keys(value).filter((part) => !known.includes(part));
}

/**
 * Fields that `extra_body` may not set, because they decide what is asked, of which model, and how the answer arrives.
 * They are removed, with a warning. *Not* blocked: a provider's own field with the same meaning. (OpenRouter asks its
 * `models` instead of the model; an `extra_body` within it is a field of Gemini's compatible API.)
 */
export const unsafeBodyFields: readonly string[] = [
  "api_key",
  "authorization",
  "background",
  "base_url",
  "conversation",
  "extra_headers",
  "extra_query",
  "headers",
  "input",
  "messages",
  "model",
  "models",
  "n",
  "previous_response_id",
  "prompt",
  "stream",
  "stream_options",
];
