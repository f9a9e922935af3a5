import { describe, expect, it } from "vitest";
import {
  builtinProviders,
  isHostOf,
  isOpenAiHost,
  ownerOfKey,
  settingsNotSent,
} from "../../../src/model/models/providers.ts";

describe("the built-in providers", () => {
  it.each(Object.entries(builtinProviders))(
    "%s answers at a host that its key may go to, over TLS",
    (_, provider) => {
      if (provider.base_url === undefined || provider.api_key_env === undefined) return;
      const url = new URL(provider.base_url);
      expect([url.protocol, isHostOf(provider, url.hostname)]).toEqual(["https:", true]);
      expect(provider.base_url.endsWith("/")).toBe(false);
    },
  );

  it("have keys of their own", () => {
    for (const [id, { api_key_env: name }] of Object.entries(builtinProviders)) {
      if (name !== undefined) expect(ownerOfKey(name)).toBe(id);
    }
    expect(ownerOfKey("OTHER_KEY")).toBeUndefined();
  });
});

describe("isOpenAiHost", () => {
  it.each([
    ["api.openai.com", true],
    ["eu.api.openai.com", true],
    ["acme.openai.azure.com", true],
    ["api.openai.com.evil.com", false],
    ["notapi.openai.com", false],
    ["openrouter.ai", false],
  ])("%s: %s", (host, expected) => {
    expect(isOpenAiHost(host)).toBe(expected);
  });
});

describe("settingsNotSent", () => {
  it.each([
    ["chat", true, ["max_tool_calls", "truncation"]],
    ["responses", true, []],
    ["responses", false, ["presence_penalty", "frequency_penalty"]],
    ["chat", false, ["max_tool_calls", "truncation"]],
  ] as const)("%s, passthrough %s", (api, passthrough, expected) => {
    const settings = settingsNotSent({ api, passthrough });
    const others = settings.filter(({ why }) => why !== "not_openai");
    expect(others.map(({ setting }) => setting)).toEqual(expected);
    expect(settings.length - others.length).toBe(passthrough ? 0 : 8);
  });
});
