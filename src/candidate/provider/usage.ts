import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { costOf, type Price } from "../../model/models/prices.ts";
import type { Usage } from "../../model/outcomes/sample.ts";

/** Tokens of one answer, or of several. */
export type TokenCount = Omit<Usage, "usd">;

/** Reads `usage` of the Responses API; null if it is missing or incomplete. */
export function responsesTokens(usage: Json | undefined): TokenCount | null {
  if (!isJsonObject(usage)) return null;
  return tokens({
    input: count(usage["input_tokens"]),
    output: count(usage["output_tokens"]),
    cached: detail(usage["input_tokens_details"], "cached_tokens"),
    reasoning: detail(usage["output_tokens_details"], "reasoning_tokens"),
  });
}

/**
 * Reads `usage` of Chat Completions. Some providers (Gemini, Grok) count thoughts in `total_tokens` but not in
 * `completion_tokens`; they are paid for as output, so the larger count is used.
 */
export function chatTokens(usage: Json | undefined): TokenCount | null {
  if (!isJsonObject(usage)) return null;
  const input = count(usage["prompt_tokens"]);
  const total = count(usage["total_tokens"]);
  // If all tokens were used for thoughts, Gemini omits `completion_tokens`, too.
  const said = count(usage["completion_tokens"]) ?? (total === undefined ? undefined : 0);
  const unsaid = Math.max(0, (total ?? 0) - (input ?? 0) - (said ?? 0));
  return tokens({
    input,
    output: said === undefined ? undefined : said + unsaid,
    cached: detail(usage["prompt_tokens_details"], "cached_tokens"),
    reasoning: detail(usage["completion_tokens_details"], "reasoning_tokens") ?? unsaid,
  });
}

interface Counts {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cached: number | undefined;
  readonly reasoning: number | undefined;
}

function tokens({ input, output, cached = 0, reasoning = 0 }: Counts): TokenCount | null {
  if (input === undefined || output === undefined) return null;
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: cached,
    reasoning_tokens: reasoning,
  };
}

function detail(details: Json | undefined, name: string): number | undefined {
  const known: JsonObject = isJsonObject(details) ? details : {};
  return count(known[name]);
}

function count(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Adds the tokens of two attempts at one answer. An attempt of unknown size adds nothing. */
export function addTokens(sum: TokenCount | null, more: TokenCount | null): TokenCount | null {
  if (sum === null || more === null) return sum ?? more;
  return {
    input_tokens: sum.input_tokens + more.input_tokens,
    output_tokens: sum.output_tokens + more.output_tokens,
    cached_tokens: sum.cached_tokens + more.cached_tokens,
    reasoning_tokens: sum.reasoning_tokens + more.reasoning_tokens,
  };
}

/** Tokens with their cost; `usd` is null if the price is unknown. */
export function priced(tokenCount: TokenCount, price: Price | undefined): Usage {
  return { ...tokenCount, usd: price === undefined ? null : costOf(price, tokenCount) };
}
