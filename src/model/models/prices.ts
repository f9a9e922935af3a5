import { ownValue } from "../own-value.ts";
import type { Tokens } from "../outcomes/sample.ts";
import type { Provider } from "./providers.ts";

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly cached_input: number;
  readonly output: number;
}

/**
 * US dollars per million tokens, by provider and model: the standard tier, for prompts of the usual length (above 100,000
 * to 270,000 tokens some models cost more). If no discount for cached input is known, it has the price of input: an
 * estimate may be too high, never too low. Models of azure have the names that their deployments were given, and names
 * that end in `-latest` change their price: both are left out, as are models without a known price.
 *
 * As of 2026-11-21, from copies of these pages and public lists of them. A price that has changed since, or that the
 * table lacks, goes into the manifest's `providers.<name>.prices`.
 *
 * - openai: https://developers.openai.com/api/docs/pricing
 * - anthropic: https://platform.claude.com/docs/en/about-claude/pricing
 * - google: https://ai.google.dev/gemini-api/docs/pricing
 * - mistral: https://mistral.ai/pricing
 * - groq: https://groq.com/pricing
 * - together: https://www.together.ai/pricing
 */
const table: Readonly<Record<string, Readonly<Record<string, Price>>>> = {
  openai: {
    "gpt-5.5": price(5, 0.5, 30),
    "gpt-5.4": price(2.5, 0.25, 15),
    "gpt-5.4-mini": price(0.75, 0.075, 4.5),
    "gpt-5.4-nano": price(0.2, 0.02, 1.25),
    "gpt-5.2": price(1.75, 0.175, 14),
    "gpt-5.1": price(1.25, 0.125, 10),
    "gpt-5": price(1.25, 0.125, 10),
    "gpt-5-mini": price(0.25, 0.025, 2),
    "gpt-5-nano": price(0.05, 0.005, 0.4),
    "gpt-5-pro": price(15, 15, 120),
    "gpt-4.1": price(2, 0.5, 8),
    "gpt-4.1-mini": price(0.4, 0.1, 1.6),
    "gpt-4.1-nano": price(0.1, 0.025, 0.4),
    "gpt-4o": price(2.5, 1.25, 10),
    "gpt-4o-2024-05-13": price(5, 5, 15),
    "gpt-4o-mini": price(0.15, 0.075, 0.6),
    o3: price(2, 0.5, 8),
    "o3-mini": price(1.1, 0.55, 4.4),
    "o4-mini": price(1.1, 0.275, 4.4),
    "text-embedding-3-large": embedding(0.13),
    "text-embedding-3-small": embedding(0.02),
    "text-embedding-ada-002": embedding(0.1),
  },
  anthropic: {
    "claude-fable-5-1": price(10, 0.25, 50),
    "claude-fable-5": price(10, 1, 50),
    "claude-opus-5-5": price(4, 0.2, 20),
    "claude-opus-5": price(5, 0.5, 25),
    "claude-opus-4-8": price(5, 0.5, 25),
    "claude-opus-4-7": price(5, 0.5, 25),
    "claude-opus-4-6": price(5, 0.5, 25),
    "claude-opus-4-5": price(5, 0.5, 25),
    "claude-sonnet-5-5": price(2, 0.1, 10),
    "claude-sonnet-5": price(2, 0.2, 10),
    "claude-sonnet-4-6": price(3, 0.3, 15),
    "claude-sonnet-4-5": price(3, 0.3, 15),
    "claude-haiku-5-5": price(0.1, 0.01, 0.5),
    "claude-haiku-4-5": price(1, 0.1, 5),
  },
  google: {
    "gemini-3.5-flash": price(1.5, 1.5, 9),
    "gemini-3.1-flash-lite": price(0.25, 0.25, 1.5),
    "gemini-3-flash-preview": price(0.5, 0.5, 3),
    "gemini-3-pro-preview": price(2, 2, 12),
    "gemini-2.5-pro": price(1.25, 0.125, 10),
    "gemini-2.5-flash": price(0.3, 0.03, 2.5),
    "gemini-2.5-flash-lite": price(0.1, 0.01, 0.4),
    "gemini-embedding-001": embedding(0.15),
  },
  mistral: {
    "mistral-medium-2505": price(0.4, 0.4, 2),
    "mistral-embed": embedding(0.1),
  },
  groq: {
    "llama-3.1-8b-instant": price(0.05, 0.05, 0.08),
    "llama-3.3-70b-versatile": price(0.59, 0.59, 0.79),
    "openai/gpt-oss-120b": price(0.15, 0.15, 0.6),
  },
  together: { "openai/gpt-oss-120b": price(0.15, 0.15, 0.6) },
  // Tokens of a local model have no price.
  ollama: { "*": price(0, 0, 0) },
};

/** The known prices of a built-in provider's models, by model name; `*` stands for every other model. */
export function builtinPrices(provider: string): Readonly<Record<string, Price>> {
  return ownValue(table, provider) ?? {};
}

/**
 * Price of a model: listed under its own name, its name without a date (`gpt-4.1-2025-04-14`), or `*`; undefined if
 * unknown.
 */
export function priceOf(provider: Pick<Provider, "prices">, model: string): Price | undefined {
  const names = [model, model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, ""), "*"];
  const name = names.find((each) => Object.hasOwn(provider.prices, each));
  return name === undefined ? undefined : provider.prices[name];
}

/** Cost of tokens in US dollars. Cached tokens are part of the input, reasoning tokens of the output. */
export function costOf(
  { input, cached_input, output }: Price,
  tokens: Tokens & { readonly cached_tokens: number },
): number {
  const cached = Math.min(tokens.cached_tokens, tokens.input_tokens);
  const fresh = tokens.input_tokens - cached;
  return (fresh * input + cached * cached_input + tokens.output_tokens * output) / 1_000_000;
}

/** Embeddings have no output. */
function embedding(input: number): Price {
  return price(input, input, input);
}

function price(input: number, cachedInput: number, output: number): Price {
  return { input, cached_input: cachedInput, output };
}
