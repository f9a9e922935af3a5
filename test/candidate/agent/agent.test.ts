import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { fingerprintOf } from "../../../src/io/agents/content.ts";
import { createOpenWorkspace } from "../../../src/io/agents/workspace.ts";
import type { AgentSpec } from "../../../src/model/models/agent.ts";
import { patience } from "../../support/patience.ts";
import { answers, ask, complaints, tools } from "../tools.ts";

const folder = fileURLToPath(new URL("../../fixtures/agents/", import.meta.url));
const at = { ...tools, suite: { path: "suite.yaml", directory: folder, root: folder, tasks: [] } };
const work = { path: "work", absolute: `${folder}work` };

const agent = (more: Partial<AgentSpec> = {}): AgentSpec => ({
  id: "mine",
  kind: "agent",
  program: { kind: "command", command: ["python3", "agent.py"], events: "regrade" },
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
  ...more,
});
const does = async (prompt: string, more: Partial<AgentSpec> = {}, fields = {}) =>
  (await answers(agent(more), [ask("c1", { prompt, fields })], at))[0];
/** One that has ended may wait for its parent to take note. */
const isAlive = async (id: number) => {
  const stat = await readFile(`/proc/${id}/stat`, "utf8").catch(() => ") Z");
  return !/\) [ZX]/.test(stat);
};
const files = (generated: Awaited<ReturnType<typeof does>>) =>
  generated?.workspace?.files.map(({ path, change, text }) => [path, change, text]);

describe.skipIf(process.platform === "win32")("an agent of one's own", () => {
  it("answers with its last message, and leaves its calls, its turns and its files", async () => {
    const done = await does("write=out/a.txt:one; say=done", {
      workspace: { folder: work, files: undefined },
    });
    expect(done).toMatchObject({ kind: "answered", outputText: "done", usage: null });
    expect(done?.transcript).toMatchObject([
      { type: "tool_call", name: "write", arguments: { path: "out/a.txt" } },
      { type: "tool_result", output: "written" },
      { type: "end", reason: "completed", turns: 2 },
    ]);
    expect(files(done)).toEqual([
      ["notes.txt", "kept", "keep\n"],
      ["out/a.txt", "added", "one"],
      ["src/app.py", "kept", "print(1)\n"],
    ]);
  });

  it("is told its servers with the values of the variables that their words and addresses name", async () => {
    const mcp_servers = {
      graph: { type: "stdio", command: ["serve", "--key={{env.KEY}}"], env: {} },
      search: { type: "http", url: "https://search.example/mcp?key={{env.KEY}}", headers: {} },
    } as const;
    const environment = { ...tools.environment, KEY: "walrus" };
    const asked = [ask("c1", { prompt: "env=REGRADE_AGENT" })];
    const [done] = await answers(agent({ mcp_servers }), asked, { ...at, environment });
    const { outputText: told } = done?.kind === "answered" ? done : { outputText: "{}" };
    expect(JSON.parse(told ?? "{}")).toMatchObject({
      mcp_servers: [
        { name: "graph", command: expect.arrayContaining(["--key=walrus"]) },
        { name: "search", url: "https://search.example/mcp?key=walrus" },
      ],
    });
  });

  it("begins anew with each sample: a changed, a deleted and an added file are of that sample alone", async () => {
    const spec = agent({ workspace: { folder: work, files: undefined } });
    const prompts = ["write=notes.txt:other; remove=src/app.py; say=1", "read=notes.txt; say=2"];
    const [first, second] = await answers(
      spec,
      prompts.map((prompt) => ask("c1", { prompt })),
      at,
    );
    expect(files(first)).toEqual([
      ["notes.txt", "modified", "other"],
      ["src/app.py", "deleted", null],
    ]);
    expect(second?.transcript?.[1]).toMatchObject({ output: "keep\n" });
  });

  it("works in the files that its case brings, which can't be outside of its workspace", async () => {
    const more = { workspace: { folder: undefined, files: "files" }, pass: ["files"] };
    const there = await does("read=a/b.txt; say=x", more, { files: { "a/b.txt": "of the case" } });
    expect(there?.transcript?.[1]).toMatchObject({ output: "of the case" });
    const listed = [{ path: "b.txt", content: "listed" }];
    expect(files(await does("say=x", more, { files: listed }))).toEqual([
      ["b.txt", "kept", "listed"],
    ]);
    for (const path of ["../x", "/etc/x", "a/../../x", ".git/config"])
      expect(await does("say=x", more, { files: { [path]: "" } })).toMatchObject({
        kind: "unavailable",
        type: "files_unusable",
      });
  });

  it("has a home of its own and no variable that nobody named", async () => {
    const env = { ...at.environment, GIVEN: "yes", OTHER: "no" };
    const given = { ...at, environment: env };
    const asked = ["home", "env=GIVEN", "env=OTHER"].map((prompt) => ask("c1", { prompt }));
    const said = await answers(agent({ env: ["GIVEN"] }), asked, given);
    const texts = said.map((each) => each.kind === "answered" && each.outputText);
    expect(texts).toEqual(["", "yes", "-"]);
  });

  it.each([
    ["an exit code", "exit=3", "failed exit_code: exit code 3: no luck"],
    ["a key that is refused", "error=401", "halted agent_refused: 401: the provider"],
    ["a busy provider", "error=429", "unavailable rate_limited: 429: the provider"],
    ["a broken provider", "error=503", "unavailable provider: 503: the provider"],
    ["a request that is refused", "error=400", "failed provider_refused: 400: the provider"],
    ["a turn limit of its own", "end=max_turns", "failed max_turns: it came to its turn limit"],
    ["a refusal", "end=refused", "refused refused: it refused"],
    [
      "events that break off",
      'raw={"type": "tool_call", "na',
      'failed no_result: it ended without an answer: its events break off (write a line {"type": "answer", "output_text": "…"} to standard output, or a message, as docs/agents.md has them)',
    ],
    [
      "an event of a misspelt type",
      'raw={"type": "tool-call", "name": "look"}; raw={"type": "send"}; say=x',
      "failed agent_error: it wrote an event of the unknown type 'tool-call': write 'tool_call' (docs/agents.md lists the types)",
    ],
    [
      "100 MB of events",
      "flood=100; say=x",
      "failed output_too_large: it wrote more than 32 MB of events",
    ],
  ])("ends with %s", async (_, prompt, wanted) => {
    const done = await does(prompt);
    if (done === undefined || done.kind === "answered") throw new Error("it answered");
    expect(`${done.kind} ${done.type}: ${done.message}`).toBe(wanted);
    expect(done.transcript?.at(-1)).toMatchObject({ type: "end", reason: done.type });
  });

  it("may write lines and events of its own, which are kept as they are", async () => {
    const done = await does('raw=a line; raw={"type": "send"}; raw={"type": "progress"}; say=x');
    expect(done).toMatchObject({ kind: "answered", outputText: "x" });
    expect(done?.transcript?.map(({ type }) => type)).toEqual(["other", "other", "other", "end"]);
  });

  it("is ended after its turns, as failed", async () => {
    const done = await does("turns=50; say=x", { max_turns: 3 });
    expect(done).toMatchObject({ kind: "failed", type: "max_turns" });
    expect(await does("turns=3", { max_turns: 3 })).toMatchObject({ type: "no_result" });
  });

  it("keeps lines that nobody knows, and goes on", async () => {
    const done = await does('raw=hello; raw={"type": "odd"}; say=x');
    expect(done?.transcript?.slice(0, 2)).toEqual([
      { type: "other", text: "hello" },
      { type: "other", event: { type: "odd" } },
    ]);
  });

  it("needs the calls that are required of it", async () => {
    const require = { tool_use: "mcp", tool_success: "mcp" } as const;
    expect(await does("mcp=found; say=x", { require })).toMatchObject({ kind: "answered" });
    expect(await does("write=a:b; say=x", { require })).toMatchObject({
      kind: "unavailable",
      type: "mcp_not_used",
    });
    expect(await does("mcp=broken; say=x", { require })).toMatchObject({
      type: "mcp_failed",
      message: "none of its calls of a tool of a server succeeded (require.tool_success): broken",
    });
    expect(await does("say=x", { require: { tool_use: "any" } })).toMatchObject({
      type: "tool_not_used",
    });
  });

  it("lists a link and never follows it", async () => {
    const done = await does("link=/etc/passwd; say=x");
    expect(done?.workspace?.files).toEqual([
      {
        path: "link",
        change: "added",
        bytes: 0,
        sha256: null,
        text: null,
        link: "/etc/passwd",
      },
    ]);
  });

  it("lists a link to a folder, and nothing beneath it", async () => {
    const done = await does("link=/etc; say=x");
    expect(done?.workspace?.files).toMatchObject([{ path: "link", link: "/etc", text: null }]);
  });

  it("has size, hash and text of the same bytes, of a file that changes while it is read", async () => {
    const workspace = await createOpenWorkspace()({ folders: [], files: {} });
    if (workspace.kind === "not_opened") throw new Error(workspace.message);
    const code = `import itertools, sys
for i in itertools.count():
    with open(sys.argv[1], "r+" if i else "w") as file:
        file.write(str(i % 10) * (i % 3000 * 50))
        file.truncate()`;
    const file = join(workspace.directory, "log.txt");
    const writer = spawn("python3", ["-c", code, file], { stdio: "ignore" });
    try {
      await expect.poll(() => existsSync(file)).toBe(true);
      for (let i = 0; i < 50; i += 1) {
        const { files: found } = await workspace.capture();
        const content = Buffer.from(found[0]?.text ?? "");
        expect(found).toMatchObject([
          { bytes: content.length, sha256: fingerprintOf(content), path: "log.txt" },
        ]);
      }
    } finally {
      writer.kill("SIGKILL");
      await workspace.remove();
    }
  });

  it("lists 10,000 files, and says how many more there are", { tags: "long" }, async () => {
    const done = await does("files=10500; say=x");
    expect(done?.workspace?.files).toHaveLength(10_000);
    expect(done?.workspace?.omitted).toBe(500);
  });

  it.runIf(process.platform === "linux")(
    "is ended with the daemon that it started, when it is done and when it hangs",
    { tags: "long" },
    async () => {
      await using there = await createFixture();
      for (const [prompt, kind] of [
        [`daemon=${there.path}/one; say=x`, "answered"],
        [`daemon=${there.path}/two; hang`, "failed"],
      ] as const) {
        const timeout_seconds = await patience(3);
        expect(await does(prompt, { timeout_seconds })).toMatchObject({ kind });
        const name = prompt.includes("/one") ? "one" : "two";
        const id = Number(await there.readFile(name, "utf8"));
        expect(await isAlive(id)).toBe(false);
      }
    },
  );
});

describe("what is wrong with an agent is told before the first sample", () => {
  it("a program that is not there", async () => {
    const program = { kind: "command", command: ["no-such-agent"], events: "regrade" } as const;
    expect(await complaints(agent({ program }), at)).toEqual([
      "program_missing evals/suite.yaml candidates.mine.agent",
    ]);
  });

  it("a runtime that is not installed, and has no key", async () => {
    const program = { kind: "runtime", runtime: "claude-code" } as const;
    const bare = { ...at, environment: { PATH: "/nowhere" } };
    const spec = agent({ program, usual_env: true, env: ["ANTHROPIC_API_KEY"] });
    expect(await complaints(spec, bare)).toEqual([
      "agent_missing evals/suite.yaml candidates.mine.agent",
      "agent_key_missing evals/suite.yaml candidates.mine.env",
    ]);
  });

  it("a server's variable that is not set", async () => {
    const mcp_servers = {
      graph: { type: "stdio", command: ["x"], env: { TOKEN: "{{env.GRAPH_TOKEN}}" } },
    } as const;
    expect(await complaints(agent({ mcp_servers }), at)).toEqual([
      "env_missing evals/suite.yaml candidates.mine.mcp_servers",
    ]);
  });
});
