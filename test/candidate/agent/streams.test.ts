import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { scenarios } from "../../../scripts/try-agents/scenarios.ts";
import { agentRuntimes, runtimeTraits, type AgentSpec } from "../../../src/model/models/agent.ts";
import { sessionOf } from "../../../src/model/models/session.ts";
import { answers, ask, tools } from "../tools.ts";

/** What the agent programs printed, as scripts/try-agents.ts recorded it, read as an agent's own run is. */

const folder = fileURLToPath(new URL("../../fixtures/agents/streams/", import.meta.url));
const cases = agentRuntimes.flatMap((runtime) =>
  scenarios.map((scenario) => ({ runtime, name: scenario.name, scenario })),
);

const spec: AgentSpec = {
  id: "recorded",
  kind: "agent",
  program: { kind: "command", command: ["cat", "stream.jsonl"], events: "regrade" },
  model: undefined,
  system_prompt: undefined,
  mcp_servers: {},
  tools: "all",
  skills: [],
  workspace: { folder: undefined, files: undefined },
  require: {},
  max_turns: undefined,
  inputs: [],
  env: [],
  usual_env: false,
  pass: [],
  timeout_seconds: 60,
  max_retries: 0,
};

async function read({ runtime, scenario }: (typeof cases)[number], text: string) {
  await using fixture = await createFixture({ "stream.jsonl": text });
  const { events } = runtimeTraits[runtime];
  const program = { kind: "command", command: ["cat", "stream.jsonl"], events } as const;
  const servers = { graph: { type: "stdio", command: ["x"], env: {} } } as const;
  const own = { mcp_servers: servers, ...scenario.more, skills: [], program };
  const suite = { path: "suite.yaml", directory: fixture.path, root: fixture.path, tasks: [] };
  const [generated] = await answers({ ...spec, ...own }, [ask("c1")], { ...tools, suite });
  if (generated === undefined) throw new Error("nothing came of it");
  return generated;
}

const streamOf = ({ runtime, name }: Pick<(typeof cases)[number], "runtime" | "name">) =>
  readFile(`${folder}${runtime}-${name}.jsonl`, "utf8");

describe.skipIf(process.platform === "win32")("what the agent programs print", () => {
  it("is recorded of every program and scenario", async () => {
    const names = cases.map(({ runtime, name }) => `${runtime}-${name}.jsonl`);
    expect((await readdir(folder)).toSorted()).toEqual(names.toSorted());
  });

  it.each(cases)("$runtime: $name ends as it should", async (each) => {
    const generated = await read(each, await streamOf(each));
    const { kind } = generated;
    expect(kind === "answered" ? kind : `${kind} ${generated.type}`).toBe(each.scenario.wanted);
    const session = sessionOf(generated.transcript ?? []);
    if (kind === "answered") expect(generated.outputText).toBe("load calls parse");
    // What is known is read: nothing of a usual run is kept as unknown.
    expect(generated.transcript?.filter(({ type }) => type === "other")).toEqual([]);
    if (each.name === "tool")
      expect(session.toolCalls).toMatchObject([
        { name: "mcp__graph__callers", arguments: { name: "parse" }, result: "load" },
      ]);
    if (each.name === "tool-error")
      expect(session.toolCalls).toMatchObject([{ name: "mcp__graph__callers", is_error: true }]);
    // Codex tells of none.
    if (each.name === "skill")
      expect(session.skills).toEqual(each.runtime === "codex" ? [] : ["callers"]);
  });

  it.each(agentRuntimes)(
    "%s: a stream that is cut in half is a failure, and no answer",
    async (runtime) => {
      const each = cases.find((one) => one.runtime === runtime && one.name === "tool");
      if (each === undefined) throw new Error("no such case");
      const text = await streamOf(each);
      const generated = await read(each, text.slice(0, text.length / 2));
      expect(generated).toMatchObject({ kind: "failed", type: "no_result" });
    },
  );

  it.each(["claude-code", "codex", "gemini"] as const)(
    "%s tells what an answer took",
    async (runtime) => {
      const each = cases.find((one) => one.runtime === runtime && one.name === "tool");
      if (each === undefined) throw new Error("no such case");
      const { usage } = await read(each, await streamOf(each));
      expect(usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
    },
  );
});
