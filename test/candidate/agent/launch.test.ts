import { chmod } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import {
  agentRuntimes,
  runtimeTraits,
  type AgentRuntime,
  type AgentSpec,
} from "../../../src/model/models/agent.ts";
import { answers, ask, complaints, tools } from "../tools.ts";

/** How the agent programs are started, seen by stand-ins for them: what they are told, and where. */

const streams = fileURLToPath(new URL("../../fixtures/agents/streams/", import.meta.url));

const spec: AgentSpec = {
  id: "app",
  kind: "agent",
  program: { kind: "runtime", runtime: "claude-code" },
  model: "the-model",
  system_prompt: undefined,
  mcp_servers: {
    graph: {
      type: "stdio",
      command: ["python3", "server.py"],
      env: { TOKEN: "{{env.GRAPH_TOKEN}}" },
    },
    rag: {
      type: "http",
      url: "http://127.0.0.1:1/mcp",
      headers: { Authorization: "Bearer {{env.RAG_KEY}}" },
    },
  },
  tools: [],
  skills: [],
  workspace: { folder: undefined, files: undefined },
  require: {},
  max_turns: 7,
  inputs: [],
  env: ["AGENT_KEY"],
  usual_env: false,
  pass: [],
  timeout_seconds: 60,
  max_retries: 0,
};

/** Says how it was started, then does what the real one was recorded to do. */
const standIn = (runtime: AgentRuntime) => `#!/usr/bin/env python3
import json, os, sys
home = os.environ["HOME"]
files = {}
for folder, _, names in os.walk(home):
    for name in names:
        path = os.path.join(folder, name)
        files[os.path.relpath(path, home)] = open(path).read()
skills = [os.path.join(f, n) for f, _, ns in os.walk(".") for n in ns]
seen = {"argv": sys.argv[1:], "stdin": sys.stdin.read(), "files": files, "env": dict(os.environ), "here": skills}
json.dump(seen, open(os.environ["REGRADE_TEST_SEEN"], "w"))
print(open("${streams}${runtime}-tool.jsonl").read(), end="")
`;

interface Seen {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly here: readonly string[];
}

const secrets = {
  GRAPH_TOKEN: "graph-token-1234",
  RAG_KEY: "rag-key-1234",
  AGENT_KEY: "agent-key-1234",
};

async function start(runtime: AgentRuntime, more: Partial<AgentSpec> = {}) {
  await using fixture = await createFixture({
    [`bin/${runtimeTraits[runtime].program}`]: standIn(runtime),
    "skills/callers/SKILL.md": "---\nname: callers\n---\n",
  });
  await chmod(fixture.getPath(`bin/${runtimeTraits[runtime].program}`), 0o755);
  const environment = {
    ...secrets,
    PATH: `${fixture.getPath("bin")}:${process.env["PATH"]}`,
    REGRADE_TEST_SEEN: fixture.getPath("seen.json"),
  };
  const suite = { path: "suite.yaml", directory: fixture.path, root: fixture.path, tasks: [] };
  const skills = [{ path: "skills/callers", absolute: fixture.getPath("skills/callers") }];
  const own = { ...spec, program: { kind: "runtime", runtime }, skills, ...more } as const;
  const env = [...own.env, "REGRADE_TEST_SEEN"];
  const asked = [ask("c1", { prompt: "Who calls parse?" })];
  const [generated] = await answers({ ...own, env }, asked, { ...tools, environment, suite });
  const seen: Seen = JSON.parse(await fixture.readFile("seen.json", "utf8"));
  return { seen, generated, directory: fixture.path };
}

describe.skipIf(process.platform === "win32")("an agent program is started", () => {
  it.each(agentRuntimes)(
    "%s: with its prompt on stdin, and no secret among its words",
    async (runtime) => {
      const { seen, generated } = await start(runtime);
      expect(generated).toMatchObject({ kind: "answered", outputText: "load calls parse" });
      expect(seen.stdin).toBe("Who calls parse?");
      const words = JSON.stringify(seen.argv);
      expect(words).not.toContain("Who calls");
      for (const secret of Object.values(secrets)) expect(words).not.toContain(secret);
      expect(seen.argv).toContain("the-model");
    },
  );

  it.each(agentRuntimes)(
    "%s: with the servers of the suite in a file of its private home",
    async (runtime) => {
      const { seen, directory } = await start(runtime);
      const texts = Object.values(seen.files).join("\n");
      for (const part of [
        "graph-token-1234",
        "Bearer rag-key-1234",
        "http://127.0.0.1:1/mcp",
        "server.py",
      ])
        expect(texts).toContain(part);
      // A server of the suite's own starts in the manifest's folder.
      expect(texts).toContain(JSON.stringify(directory).slice(1, -1).replace(/\/$/, ""));
      expect(seen.env["HOME"]).toMatch(/regrade-agent-/);
      expect(seen.env["AGENT_KEY"]).toBe("agent-key-1234");
      expect(seen.env["GRAPH_TOKEN"]).toBeUndefined();
    },
  );

  it.each(agentRuntimes)("%s: with the skills where it looks for them", async (runtime) => {
    const { seen } = await start(runtime);
    const folders = {
      "claude-code": ".claude/skills",
      codex: ".agents/skills",
      copilot: ".github/skills",
      gemini: ".gemini/skills",
    };
    expect(seen.here).toContain(`./${folders[runtime]}/callers/SKILL.md`);
  });

  it.each(["claude-code", "codex", "gemini"] as const)(
    "%s: with its system prompt",
    async (runtime) => {
      const { seen } = await start(runtime, { system_prompt: 'Say "no" to\nguesses.' });
      expect(Object.values(seen.files)).toContain('Say "no" to\nguesses.');
    },
  );
});

describe("a key that an agent program can't honour is refused", () => {
  interface Refused {
    readonly what: string;
    readonly runtime: AgentRuntime;
    readonly more: Partial<AgentSpec>;
  }
  const sse = { a: { type: "sse", url: "http://127.0.0.1:1", headers: {} } } as const;
  const cases: readonly Refused[] = [
    { what: "system_prompt", runtime: "copilot", more: { system_prompt: "x" } },
    { what: "tools", runtime: "codex", more: { tools: ["shell"] } },
    { what: "mcp_servers", runtime: "codex", more: { mcp_servers: sse } },
  ];
  it.each(cases)("$what of $runtime", async ({ what, runtime, more }) => {
    const program = { kind: "runtime", runtime } as const;
    const environment = { ...secrets, PATH: "/nowhere" };
    const found = await complaints({ ...spec, program, ...more }, { ...tools, environment });
    expect(found).toContain(`agent_key evals/suite.yaml candidates.app.${what}`);
  });
});
