import { expect, it } from "vitest";
import { retirementOf } from "../../../src/model/models/retirements.ts";

it.each([
  ["openai", "gpt-4.1", "2027-01-14"],
  ["openai", "gpt-4.1-2025-04-14", "2027-01-14"],
  ["openai", "gpt-4-0613", "2026-10-23"],
  ["openai", "gpt-4o-2024-05-13", "2026-10-23"],
  ["openai", "chatgpt-4o-latest", "2026-02-17"],
  ["anthropic", "claude-sonnet-4-20250514", "2026-06-15"],
  ["anthropic", "claude-sonnet-4-0", "2026-06-15"],
  ["anthropic", "claude-3-5-sonnet-latest", "2025-10-28"],
  ["anthropic", "claude-3-opus-20240229", "2026-01-05"],
  ["google", "gemini-1.5-pro-002", "2025-09-29"],
  ["google", "models/gemini-2.5-pro", "2026-12-01"],
] as const)("%s:%s ends on %s", (provider, model, date) => {
  expect(retirementOf(provider, model)?.date).toBe(date);
});

it.each([
  ["openai", "gpt-5.4-mini"],
  ["openai", "constructor"],
  ["anthropic", "claude-sonnet-4-6"],
  ["google", "gemini-flash-latest"],
  ["mistral", "gpt-4.1"],
] as const)("%s:%s has no known end", (provider, model) => {
  expect(retirementOf(provider, model)).toBeUndefined();
});
