import { ownValue } from "../../model/own-value.ts";
import { type Part, placeOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import type { KEvalConfig } from "./config.ts";

/** Our providers by LiteLLM's names (docs.litellm.ai/docs/providers). */
const providers: Readonly<Record<string, string>> = {
  openai: "openai",
  azure: "azure",
  anthropic: "anthropic",
  gemini: "google",
  mistral: "mistral",
  groq: "groq",
  together_ai: "together",
  openrouter: "openrouter",
  ollama: "ollama",
  ollama_chat: "ollama",
};

/** Translates a LiteLLM model name, `provider/model`. Without a provider LiteLLM infers it from the model's name. */
export function judgeModelOf(name: string, part: Part, config: KEvalConfig): string | undefined {
  const [first = "", ...rest] = name.split("/");
  if (rest.length === 0) return bareModel(name) ?? refuse(part, config);
  if (first === "vertex_ai") return onVertex(rest.join("/"), part, config);
  const provider = ownValue(providers, first);
  return provider === undefined ? refuse(part, config) : `${provider}:${rest.join("/")}`;
}

/**
 * Translates a model on Vertex AI. Regrade does not support Vertex AI's authentication, so the model is called at its
 * maker's own API.
 */
function onVertex(name: string, part: Part, config: KEvalConfig): string | undefined {
  const bare = name.split("@")[0] ?? name;
  const model = bare.startsWith("gemini-") ? `google:${bare}` : bareModel(bare);
  if (model === undefined) return refuse(part, config);
  if (!config.tools.ownKeys?.has("run"))
    config.warn(problem("k_eval_judge_route", { model }, placeOf(part)));
  return model;
}

function bareModel(name: string): string | undefined {
  if (/^(gpt-|chatgpt-|o\d)/.test(name)) return `openai:${name}`;
  if (name.startsWith("claude-")) return `anthropic:${name}`;
  return undefined;
}

function refuse(part: Part, config: KEvalConfig): undefined {
  // If the manifest names its own models, this one is not used.
  if (config.tools.ownKeys?.has("run")) return undefined;
  const known = Object.keys(providers);
  return config.refuse(problem("k_eval_judge_unknown", { known }, placeOf(part)));
}
