import { describe, expect, it } from "vitest";
import { builtinPrices, costOf, priceOf } from "../../../src/model/models/prices.ts";
import { builtinProviders } from "../../../src/model/models/providers.ts";
import { priceTable } from "../../support/price-table.ts";

describe("the price table", () => {
  it("is dated, and says where each provider's prices are published", () => {
    const { asOf, sources } = priceTable;
    expect(asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const id of Object.keys(builtinProviders)) {
      const isPriced = Object.keys(builtinPrices(id)).length > 0 && id !== "ollama";
      expect([id, sources.includes(id)]).toEqual([id, isPriced]);
    }
  });

  it("never makes cached input dearer than input, nor output cheaper", () => {
    for (const id of Object.keys(builtinProviders)) {
      for (const [model, price] of Object.entries(builtinPrices(id))) {
        expect([model, price.cached_input <= price.input]).toEqual([model, true]);
        expect([model, price.output >= price.input]).toEqual([model, true]);
      }
    }
  });
});

describe("priceOf", () => {
  const any = { input: 7, cached_input: 7, output: 7 };
  it.each([
    ["openai", {}, "gpt-4.1-mini", 0.4],
    ["openai", {}, "gpt-4.1-mini-2025-04-14", 0.4],
    ["openai", {}, "gpt-4o-2024-05-13", 5],
    ["openai", {}, "gpt-4o-2024-08-06", 2.5],
    ["anthropic", {}, "claude-haiku-4-5-20251001", 1],
    ["openai", {}, "gpt-unheard-of", undefined],
    ["openai", { "*": any }, "gpt-unheard-of", 7],
    ["openai", { "*": any }, "gpt-4.1", 2],
    ["openai", {}, "constructor", undefined],
    ["azure", {}, "gpt-4.1", undefined],
    ["ollama", {}, "llama3.1:8b", 0],
    ["constructor", {}, "x", undefined],
  ])("%s %j %s", (...[provider, own, model, input]) => {
    const prices = { ...builtinPrices(provider), ...own };
    expect(priceOf({ prices }, model)?.input).toBe(input);
  });
});

describe("costOf", () => {
  const price = { input: 2, cached_input: 0.5, output: 8 };
  it.each([
    [{ input_tokens: 1_000_000, cached_tokens: 0, output_tokens: 0 }, 2],
    [{ input_tokens: 1_000_000, cached_tokens: 400_000, output_tokens: 0 }, 1.4],
    [{ input_tokens: 0, cached_tokens: 0, output_tokens: 500_000 }, 4],
    // More cached than there was: never below nothing.
    [{ input_tokens: 100_000, cached_tokens: 400_000, output_tokens: 0 }, 0.05],
  ])("%j costs %d dollars", (tokens, usd) => {
    expect(costOf(price, tokens)).toBeCloseTo(usd, 12);
  });
});
