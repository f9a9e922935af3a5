import { describe, expect, it } from "vitest";
import { builtinProviders, type Provider } from "../../../src/model/models/providers.ts";
import { settingsRefused } from "../../../src/model/definition/refused-settings.ts";

type Settings = Parameters<typeof settingsRefused>[1];

const thinking = (budget: number) => ({ thinking: { type: "enabled", budget_tokens: budget } });
const gemini = (config: Readonly<Record<string, string | number>>) => ({
  extra_body: { google: { thinking_config: config } },
});

/** Model, its settings, and the settings that are named as refused, a text for each finding. */
const cases: readonly (readonly [string, Settings, readonly string[]])[] = [
  ["openai:gpt-5.4-mini", { temperature: 0 }, []],
  ["openai:gpt-5.4-mini", { temperature: 0, reasoning: { effort: "none" } }, []],
  ["openai:gpt-5.4-mini", { temperature: 1, top_p: 1, reasoning: { effort: "low" } }, []],
  [
    "openai:gpt-5.4-mini",
    { temperature: 0, top_p: 0.5, reasoning: { effort: "low" } },
    ["temperature, top_p, reasoning.effort: low"],
  ],
  // The name of a deployment is the customer's own.
  [
    "azure:our-deployment",
    { temperature: 0, reasoning: { effort: "high" } },
    ["temperature, reasoning.effort: high"],
  ],
  ["azure:our-deployment", { temperature: 0 }, []],
  ["openai:gpt-5-mini", { temperature: 0 }, ["temperature"]],
  ["openai:gpt-5", { top_p: 0.9 }, ["top_p"]],
  ["openai:o3-mini-2025-01-31", { temperature: 0.2 }, ["temperature"]],
  ["openai:gpt-5-chat-latest", { temperature: 0 }, []],
  ["openai:gpt-4.1-mini", { temperature: 0 }, []],
  ["openai:gpt-5.10", { temperature: 0 }, []],
  ["anthropic:claude-sonnet-4-6", { temperature: 0 }, []],
  [
    "anthropic:claude-sonnet-4-6",
    { temperature: 0, top_k: 5, top_p: 0.96, extra_body: thinking(2000) },
    ["temperature, top_k, extra_body.thinking"],
  ],
  [
    "anthropic:claude-opus-4-6",
    { top_p: 0.5, extra_body: { thinking: { type: "adaptive" } } },
    ["top_p, extra_body.thinking"],
  ],
  ["anthropic:claude-opus-4-6", { extra_body: { thinking: { type: "disabled" } }, top_k: 5 }, []],
  [
    "anthropic:claude-sonnet-4-20250514",
    { extra_body: thinking(500) },
    ["extra_body.thinking.budget_tokens"],
  ],
  [
    "anthropic:claude-sonnet-4-20250514",
    { max_output_tokens: 2000, extra_body: thinking(2000) },
    ["extra_body.thinking.budget_tokens, max_output_tokens"],
  ],
  [
    "anthropic:claude-sonnet-4-20250514",
    { max_output_tokens: 2001, extra_body: thinking(2000) },
    [],
  ],
  ["anthropic:claude-opus-4-7", { temperature: 0, top_k: 5 }, ["temperature, top_k"]],
  [
    "anthropic:claude-opus-5",
    { extra_body: thinking(2000) },
    ["extra_body.thinking.type: enabled"],
  ],
  ["anthropic:claude-haiku-4-10-20270101", { top_p: 0.5 }, ["top_p"]],
  ["anthropic:claude-3-5-sonnet-20241022", { temperature: 0, top_k: 5 }, []],
  ["google:gemini-3-flash", { temperature: 0, reasoning: { effort: "low" } }, []],
  [
    "google:gemini-3-flash",
    { reasoning: { effort: "low" }, extra_body: gemini({ thinking_budget: 100 }) },
    ["reasoning.effort, thinking_budget"],
  ],
  [
    "google:gemini-3-flash",
    {
      extra_body: { extra_body: gemini({ thinking_level: "low", thinking_budget: 9 }).extra_body },
    },
    ["thinking_budget, thinking_level"],
  ],
  [
    "google:gemini-2.5-flash",
    { max_output_tokens: 1000, extra_body: gemini({ thinking_budget: 1000 }).extra_body },
    ["thinking_budget, max_output_tokens"],
  ],
  [
    "google:gemini-2.5-flash",
    { max_output_tokens: 10, extra_body: gemini({ thinking_budget: -1 }).extra_body },
    [],
  ],
  [
    "openrouter:anthropic/claude-sonnet-4.5",
    { max_output_tokens: 2000, reasoning: { effort: "low", max_tokens: 2000 } },
    ["reasoning.effort, reasoning.max_tokens", "reasoning.max_tokens, max_output_tokens"],
  ],
  ["groq:gpt-5", { temperature: 0, reasoning: { effort: "low" } }, []],
];

function provider(id: string): Provider {
  const found = builtinProviders[id];
  if (found === undefined) throw new RangeError(id);
  const { base_url = "https://us.openai.azure.com/openai/v1" } = found;
  return { ...found, id, base_url, builtin: true, prices: {} };
}

describe("settings that a provider refuses", () => {
  it.each(cases)("%s with %j", (model, settings, expected) => {
    const [id = "", name = ""] = model.split(":");
    const found = settingsRefused({ provider: provider(id), name }, settings);
    expect(found.map((each) => each.settings.join(", "))).toEqual(expected);
    for (const { why, instead } of found) {
      expect(why).toMatch(/^[a-zA-Z].*[a-z\d]$/);
      expect(instead).toMatch(/^[A-Z].*\.$/);
    }
  });
});
