import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";
import { startProvider, type Seen } from "../support/provider/server.ts";

/** Regrade's own loop from manifest to gate, as it is built: a model on the loopback and a server of tools. */

const server = await readFile("test/fixtures/agents/tool_server.py", "utf8");

/** Calls a tool, then says what it was told. */
const searching = {
  script: ({ attempt }: Seen) =>
    attempt % 2 === 0
      ? ({
          kind: "answer",
          toolCalls: [{ name: "mcp__graph__search", arguments: { word: "parse" } }],
          inputTokens: 100,
          outputTokens: 10,
        } as const)
      : ({ kind: "answer", inputTokens: 200, outputTokens: 5 } as const),
  answer: () => "main calls parse",
};

const suite = (url: string, candidate = "", more = "") => `name: callers
dataset: { file: cases.jsonl, id_field: id }
prompt_template: "{{q}}"
target_template: "{{a}}"
graders:
  - { type: contains, name: right }
  - { type: tool_constraint, name: tools, expect_tools: [mcp__graph__search] }
  - { type: behavior, name: effort, max_turns: 2, max_tool_calls: 1 }
providers:
  local: { base_url: "${url}", api: chat, api_key_env: LOOP_KEY, prices: { m: { input: 1000, output: 1000 } } }
candidates:
  loop:
    agent: { model: "local:m" }
    system_prompt: Be brief.
    temperature: 0
    mcp_servers: { graph: { command: [python3, server.py], env: { TOKEN: "{{env.GRAPH_TOKEN}}" } } }
    inputs: [server.py]
${candidate}
gate:
  rules: [{ metric: right, min: 1 }, { metric: tools, min: 1 }, { metric: agent_turns, max: 2 }, { metric: agent_tool_calls, max: 1 }, { metric: usd, max: 0.315 }]
${more}`;

const project = (text: string) => ({
  "server.py": server,
  "cases.jsonl": jsonLines([
    { id: "a", q: "who calls parse?", a: "main" },
    { id: "b", q: "what calls parse?", a: "main" },
  ]),
  "suite.yaml": text,
});
const env = { LOOP_KEY: "key-of-the-loop-1", GRAPH_TOKEN: "token-of-the-graph-1" };

describe.skipIf(process.platform === "win32")("Regrade's own loop", () => {
  it(
    "is graded and gated by what it did and cost, and again without its model and server",
    { tags: "long" },
    async () => {
      await using provider = await startProvider(searching);
      await using fixture = await createFixture({
        ...project(suite(provider.url)),
        "again.yaml": suite(provider.url).replace(
          /candidates:[^]*gate:/,
          "candidates: { loop: { replay: run/samples.jsonl } }\ngate:",
        ),
        "atif.yaml": suite(provider.url).replace(
          /candidates:[^]*gate:/,
          "candidates: { loop: { replay: { path: trajectories, format: atif } } }\ngate:",
        ),
      });
      const { path: place } = fixture;
      const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: place, env });
      expect(end.code, end.stderr + end.stdout).toBe(0);
      const { run } = await readRunDirectory(join(place, "run"));
      const values = Object.fromEntries(
        run.metrics
          .filter(({ slice }) => slice === null)
          .map(({ metric, value }) => [metric, value]),
      );
      expect(values).toMatchObject({
        right: 1,
        tools: 1,
        effort: 1,
        agent_turns: 2,
        agent_tool_calls: 1,
        input_tokens: 300,
        output_tokens: 15,
        usd: 0.315,
      });
      expect(provider.requests[0]?.headers.authorization).toBe("Bearer key-of-the-loop-1");
      await provider.close();
      await fixture.rm("server.py");
      await regrade(["report", "run", "--as", "atif", "--out", "trajectories"], { in: place });
      const shown = await regrade(["show", "run", "a"], { in: place });
      expect(shown.stdout).toContain("mcp__graph__search");
      const scored = async (name: string) => {
        const { samples } = await readRunDirectory(join(place, name));
        return samples
          .map(({ case_id, scores, usage }) => ({ case_id, scores, usage }))
          .toSorted((a, b) => (a.case_id < b.case_id ? -1 : 1));
      };
      for (const again of ["again", "atif"]) {
        const replayed = await regrade(["run", `${again}.yaml`, "--out", again], { in: place });
        expect(replayed.code, replayed.stderr).toBe(0);
        expect(await scored(again)).toEqual(await scored("run"));
      }
    },
  );

  it("asks nothing twice: a later run has its answers", async () => {
    await using provider = await startProvider(searching);
    await using fixture = await createFixture(project(suite(provider.url)));
    await regrade(["run", "suite.yaml", "--out", "one"], { in: fixture.path, env });
    const asked = provider.count();
    const end = await regrade(["run", "suite.yaml", "--out", "two"], { in: fixture.path, env });
    expect(end.code, end.stderr).toBe(0);
    expect(provider.count()).toBe(asked);
    await fixture.writeFile("server.py", `${server}# another\n`);
    await regrade(["run", "suite.yaml", "--out", "three"], { in: fixture.path, env });
    expect(provider.count()).toBe(2 * asked);
  });

  it("is graded again from a cassette: without its model, its key and its server", async () => {
    await using provider = await startProvider(searching);
    const text = suite(provider.url).replace(
      "inputs: [server.py]",
      "cassette: { path: tapes/loop.jsonl, mode: record }",
    );
    await using fixture = await createFixture(project(text));
    const { path: place } = fixture;
    const first = await regrade(["run", "suite.yaml", "--out", "one"], { in: place, env });
    expect(first.code, first.stderr + first.stdout).toBe(0);
    await provider.close();
    await fixture.rm("server.py");
    expect(await readFile(join(place, "tapes/loop.jsonl"), "utf8")).not.toContain("-of-the-");
    const replaying = text.replace("mode: record", "mode: replay");
    await fixture.writeFile("suite.yaml", replaying);
    const again = await regrade(["run", "suite.yaml", "--out", "two"], { in: place });
    expect(again.code, again.stderr + again.stdout).toBe(0);
    const told = async (name: string) => {
      const { samples } = await readRunDirectory(join(place, name));
      return samples
        .map(({ case_id, scores, usage, output_text, transcript }) => ({
          case_id,
          scores,
          usage,
          output_text,
          steps: transcript?.filter(({ type }) => type !== "end"),
        }))
        .toSorted((a, b) => (a.case_id < b.case_id ? -1 : 1));
    };
    expect(await told("two")).toEqual(await told("one"));

    await fixture.writeFile("suite.yaml", replaying.replace("Be brief.", "Be long."));
    await regrade(["run", "suite.yaml", "--out", "three"], { in: place });
    const { samples } = await readRunDirectory(join(place, "three"));
    expect(samples.map(({ error }) => error)).toEqual(
      samples.map(() =>
        expect.objectContaining({
          type: "cassette_miss",
          message: expect.stringMatching(/tapes\/loop.jsonl does not have an answer of the model/),
        }),
      ),
    );

    await fixture.writeFile("tapes/loop.jsonl", "no cassette\n");
    const broken = await regrade(["validate", "suite.yaml"], { in: place });
    expect(broken.stderr).toContain("tapes/loop.jsonl is no cassette");
  });

  it("stops the run where its key is refused, and hides it", async () => {
    const message = "Incorrect API key provided: key-of-the-loop-1";
    const body = { error: { message, type: "invalid_request_error", code: "invalid_api_key" } };
    await using provider = await startProvider({
      script: () => ({ kind: "status", status: 401, body }),
    });
    await using fixture = await createFixture(project(suite(provider.url)));
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path, env });
    const { run } = await readRunDirectory(join(fixture.path, "run"));
    expect(run.gate.verdict).toBe("error");
    expect(end.stdout + end.stderr).toContain("The run was stopped");
    expect(end.stdout + end.stderr).not.toContain("key-of-the-loop-1");
  });

  it("hides what its servers are given, wherever a tool says it", async () => {
    await using provider = await startProvider({
      script: ({ attempt }) =>
        attempt === 0
          ? { kind: "answer", toolCalls: [{ name: "mcp__graph__look", arguments: {} }] }
          : { kind: "answer" },
      answer: ({ body }) => JSON.stringify(body),
    });
    await using fixture = await createFixture(project(suite(provider.url)));
    await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path, env });
    const written = await readFile(join(fixture.path, "run/samples.jsonl"), "utf8");
    expect(written).toContain("mcp__graph__look");
    expect(written).not.toContain("token-of-the-graph-1");
    expect(JSON.stringify(provider.requests)).not.toContain("token-of-the-graph-1");
  });

  it("ends between two turns where the budget does", async () => {
    await using provider = await startProvider(searching);
    const text = suite(provider.url, "", "run: { budget: { usd: 0.2 } }\n").replace(
      "temperature: 0",
      "max_output_tokens: 10",
    );
    await using fixture = await createFixture(project(text));
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path, env });
    expect(end.stdout).toMatch(/budget/i);
    // The first answers of both cases cost 22 cents.
    expect(provider.count()).toBe(2);
  });

  it.each([
    ["a server's program that is missing", /python3, server.py/, "no-such-program"],
    ["a key that is not set", /LOOP_KEY/, "OTHER_KEY"],
    ["a tool of an unknown server", /server.py\], .*/, "Did you mean 'graph'"],
    ["a model without a price for a budget", /prices: \{ m/, "no price"],
  ])("is refused before its first sample with %s", async (_, taken, says) => {
    const text = suite("http://127.0.0.1:1/v1", "", "run: { budget: { usd: 1 } }\n").replace(
      taken,
      (found) => instead(found, says),
    );
    await using fixture = await createFixture(project(text));
    for (const command of ["validate", "run"]) {
      const end = await regrade([command, "suite.yaml"], { in: fixture.path, env });
      expect(end.code, end.stdout).not.toBe(0);
      expect(end.stderr).toContain(says);
    }
  });
});

/** The part of a suite that is wrong. */
function instead(found: string, says: string): string {
  if (says.startsWith("Did you mean")) return `${found}\n    tools: [mcp__grap__search]`;
  return says === "no price" ? found.replace("m", "n") : says;
}
