import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { problemsOf, shortForm, suiteOf } from "./resolve-text.ts";

const agent = { model: "openai:gpt-5.4-mini" };
const mcp_servers = { graph: { command: ["x"] } };

const manifest = (candidate: JsonObject, more: JsonObject = {}) =>
  shortForm({ candidates: { loop: { agent, ...candidate } }, ...more });

async function specOf(candidate: JsonObject, more: JsonObject = {}) {
  const { suite, warnings } = await suiteOf(manifest(candidate, more));
  const [spec] = suite.candidates;
  if (spec?.kind !== "agent" || spec.program.kind !== "model") throw new Error("no own loop");
  return { ...spec, generation: spec.program.generation, warnings };
}

describe("an agent whose model Regrade asks", () => {
  it("has settings of a model beside its own keys, and all tools of its servers", async () => {
    const spec = await specOf({
      mcp_servers: { graph: { command: ["x"], timeout_seconds: 5 } },
      system_prompt: "Be brief.",
      temperature: 0,
      until: "END",
      timeout_seconds: 30,
    });
    expect(spec).toMatchObject({
      program: { model: "openai:gpt-5.4-mini", name: "gpt-5.4-mini", provider: { id: "openai" } },
      tools: "all",
      system_prompt: "Be brief.",
      mcp_servers: { graph: { type: "stdio", timeout_seconds: 5 } },
      timeout_seconds: 30,
    });
    expect(spec.generation).toEqual({
      temperature: 0,
      stop: ["END"],
      timeout_seconds: 120,
      max_retries: 2,
      max_empty_retries: 0,
    });
    expect(spec.warnings).toEqual([]);
  });

  it("takes the run's settings, but for those that an agent has keys of its own for", async () => {
    const generation = {
      temperature: 1,
      max_output_tokens: 9,
      timeout_seconds: 7,
      instructions: "x",
      tool_choice: "required",
      tools: [{ type: "function", name: "f" }],
    };
    const spec = await specOf({ temperature: 0 }, { run: { generation } });
    expect(spec.generation).toEqual({
      temperature: 0,
      max_output_tokens: 9,
      timeout_seconds: 7,
      max_retries: 2,
      max_empty_retries: 0,
    });
    expect(spec.timeout_seconds).toBe(600);
    expect(spec.warnings).toEqual([]);
  });

  it.each([
    ["a model without its provider", { agent: { model: "gpt-5.4" } }, "model_without_provider"],
    ["an unknown provider", { agent: { model: "opena:x" } }, "provider_unknown"],
    ["a model and a command", { agent: { ...agent, command: ["x"] } }, "keys_exclusive"],
    ["a second model", { model: "x" }, "agent_key"],
    ["skills", { skills: ["skills/x"] }, "agent_key"],
    ["a fence", { fence: "required" }, "agent_key"],
    ["variables", { env: ["X"] }, "agent_key"],
    ["fields of the row", { pass: ["x"] }, "agent_key"],
    ["files that nothing can read", { workspace: { files: "x" } }, "agent_key"],
    [
      "a tool of an unknown server",
      { mcp_servers, tools: ["search", "mcp__grph__search"] },
      "tool_server_unknown",
    ],
    ["a cassette without a mode", { cassette: { path: "x" } }, "key_missing"],
    [
      "a cassette and a workspace",
      { mcp_servers, workspace: { files: "x" }, cassette: { path: "x", mode: "record" } },
      "agent_key",
    ],
    ["a cassette elsewhere", { cassette: { path: "../../x", mode: "record" } }, "path_outside"],
    ["instructions beside a system prompt", { instructions: "x" }, "key_unknown"],
    ["a tool of the API's form", { tools: [{ type: "function", name: "x" }] }, "value_type"],
  ])("is refused with %s", async (_, candidate, code) => {
    const found = await problemsOf(manifest(candidate));
    expect(found.map((each) => each.code)).toEqual([code]);
  });

  it.each([
    ["settings of model calls", { temperature: 0 }],
    ["a cassette", { cassette: { path: "x", mode: "replay" } }],
    [
      "a time limit of a server",
      { mcp_servers: { graph: { command: ["x"], timeout_seconds: 5 } } },
    ],
  ])("alone may have %s", async (_, candidate) => {
    const own = { agent: "claude-code", ...candidate };
    expect(await problemsOf(shortForm({ candidates: { own } }))).not.toEqual([]);
  });

  it("may have an off fence, and files that its servers read", async () => {
    expect(
      await problemsOf(manifest({ fence: "off", mcp_servers, workspace: { files: "x" } })),
    ).toEqual([]);
  });
});
