import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";
import { startProvider } from "../support/provider/server.ts";

const config = `name: graph
version: "1"
dataset: { path: questions.jsonl, question_key: prompt, answer_key: response }
agent: { type: claude_code_sdk, model: claude-sonnet-4-5 }
judge: { model: gpt-4.1-mini, temperature: 0 }
mcp_servers:
  graph: { type: stdio, command: graph-server, env: { TOKEN: "\${GRAPH_TOKEN}" } }
conditions:
  with-graph: { mcp_servers: [graph], system_prompt: Use the graph. }
  baseline: { system_prompt: Answer. }
execution: { num_repetitions: 2, max_concurrent: 2 }
`;

const ids = Array.from({ length: 12 }, (_, i) => i);

it("judges recorded answers by a k-eval file, and says what the context is worth without blocking", async () => {
  await using model = await startProvider({
    answer: ({ prompt }) => scored(prompt.includes("from the graph") ? 5 : 2),
  });
  const rows = ids.map((i) => ({ prompt: `Question ${i}?`, response: `Answer ${i}.` }));
  const fields = { suite: "own.yaml", GRAPH_TOKEN: "walrus" };
  await using fixture = await createFixture({
    "config.yaml": config,
    "questions.jsonl": jsonLines(rows),
    "with.sh": "cat > /dev/null; echo from the graph",
    "without.sh": "cat > /dev/null; echo I guess",
    "own.yaml": JSON.stringify({
      uses: "config.yaml",
      providers: { local: { base_url: model.url, api: "responses", api_key_env: "HOUSE_KEY" } },
      run: { judge_model: "local:judge" },
      candidates: {
        "with-graph": { command: ["sh", "with.sh"] },
        baseline: { command: ["sh", "without.sh"] },
      },
    }),
  });
  const env = { HOUSE_KEY: "house-key-1234", GRAPH_TOKEN: fields.GRAPH_TOKEN };
  const at = { in: fixture.path, env };
  const end = await regrade(["run", "own.yaml", "--baseline", "none", "--out", "run"], at);
  const { samples, run } = await readRunDirectory(join(fixture.path, "run"));
  expect(samples, end.stderr).toHaveLength(48);
  const found = run.gate.rules.map(({ candidate, against, metric, delta, level }) => [
    candidate,
    against,
    metric,
    delta,
    level,
  ]);
  expect(found).toEqual(
    ["factual_adherence", "completeness", "helpfulness_and_clarity"].map((metric) => [
      "with-graph",
      "baseline",
      metric,
      3,
      "info",
    ]),
  );
  expect(run.gate.verdict).toBe("pass");
  expect(end.code, end.stderr).toBe(0);
  const written = JSON.stringify([run, samples, end.stdout, end.stderr]);
  expect(written).not.toContain(fields.GRAPH_TOKEN);
  expect(written).toContain("${GRAPH_TOKEN}");

  const exported = await regrade(["report", "run", "--as", "k-eval", "--out", "out"], at);
  expect(exported.code, exported.stderr).toBe(0);

  const bare = await regrade(["validate", "config.yaml"], { in: fixture.path, env: {} });
  expect(bare.code).toBe(2);
  expect(bare.stderr).toContain("environment variables that are not set: GRAPH_TOKEN");
});

function scored(score: number): string {
  const scales = ["factual_adherence", "completeness", "helpfulness_and_clarity"];
  const judged = scales.map((scale) => ({ [`${scale}_reasoning`]: "r", [scale]: score }));
  return JSON.stringify({ ...Object.assign({}, ...judged), unverified_claims: [] });
}

/** Claude Code's place is taken: it answers with all that it was given. */
const repeating = `#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
if words[:1] == ["--version"]:
    print("2.1.197 (Claude Code)")
    sys.exit(0)
def file(flag):
    return open(words[words.index(flag) + 1]).read()
told = [" ".join(words), file("--system-prompt-file"), file("--mcp-config"), sys.stdin.read()]
open(os.path.join(FOLDER, "given.txt"), "a").write("\\n".join(told) + "\\n")
model = words[words.index("--model") + 1]
print(json.dumps({"type": "system", "subtype": "init", "model": model, "tools": [], "mcp_servers": []}))
text = [{"type": "text", "text": " ".join(told)}]
usage = {"input_tokens": 3, "output_tokens": 2}
print(json.dumps({"type": "assistant", "message": {"content": text, "usage": usage, "model": model}}))
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": " ".join(told), "num_turns": 1, "usage": usage}))
`;

const everywhere = `name: "graph \${TEAM_NAME}"
version: "1"
dataset: { path: "\${DATA_FILE}", question_key: prompt, answer_key: response }
agent: { type: claude_code_sdk, model: "\${AGENT_MODEL}" }
judge: { model: "ollama/\${JUDGE_MODEL}", temperature: 0 }
mcp_servers:
  graph: { type: stdio, command: "\${GRAPH_PROGRAM}", args: ["--key=\${GRAPH_TOKEN}"], env: { TOKEN: "\${GRAPH_TOKEN}" } }
  search: { type: http, url: "\${SEARCH_URL}", headers: { Authorization: "Bearer \${SEARCH_TOKEN}" } }
conditions:
  with-graph: { mcp_servers: [graph, search], system_prompt: "Say \${PASSPHRASE}.", allowed_tools: ["\${TOOL_NAME}"] }
  baseline: { system_prompt: "Answer \${PASSPHRASE}." }
execution: { num_repetitions: 1, max_concurrent: 2 }
`;

const held = {
  TEAM_NAME: "team-Walrus7x",
  DATA_FILE: "rows-Walrus7a.jsonl",
  AGENT_MODEL: "model-Walrus7b",
  JUDGE_MODEL: "gpt-Walrus7c",
  GRAPH_PROGRAM: "program-Walrus7d",
  GRAPH_TOKEN: "token-Walrus7e",
  SEARCH_URL: "https://host-walrus7f.example/mcp?key=Walrus7g",
  SEARCH_TOKEN: "token-Walrus7h",
  PASSPHRASE: "words of Walrus7i",
  TOOL_NAME: "Tool-Walrus7j",
};

it("gives agent and judge what variables hold, and writes the text before wherever it writes", async () => {
  await using model = await startProvider({ answer: () => scored(4) });
  await using fixture = await createFixture({
    "config.yaml": everywhere,
    "own.yaml": JSON.stringify({
      uses: "config.yaml",
      providers: { ollama: { base_url: model.url, api: "responses" } },
    }),
    [held.DATA_FILE]: jsonLines([{ prompt: "Why?", response: "Because." }]),
  });
  const program = repeating.replace("FOLDER", JSON.stringify(fixture.path));
  await mkdir(join(fixture.path, "bin"));
  await writeFile(join(fixture.path, "bin", "claude"), program, { mode: 0o755 });
  const path = `${join(fixture.path, "bin")}:${process.env["PATH"]}`;
  const keys = { ANTHROPIC_API_KEY: "anthropic-key-1234" };
  const at = { in: fixture.path, env: { ...held, ...keys, PATH: path } };
  const end = await regrade(["run", "own.yaml", "--out", "run"], at);
  expect(end.code, end.stderr).toBe(0);
  const given = await fixture.readFile("given.txt", "utf8");
  const { AGENT_MODEL, GRAPH_PROGRAM, GRAPH_TOKEN, SEARCH_URL, SEARCH_TOKEN, PASSPHRASE } = held;
  for (const value of [AGENT_MODEL, GRAPH_PROGRAM, GRAPH_TOKEN, SEARCH_URL, SEARCH_TOKEN])
    expect(given).toContain(value);
  expect(given).toContain(`Say ${PASSPHRASE}.`);
  expect(JSON.stringify(model.requests)).toContain(held.JUDGE_MODEL);

  const exported = await regrade(["report", "run", "--as", "k-eval", "--out", "out"], at);
  const shown = await regrade(["show", "run", "--claims"], at);
  const valid = await regrade(["validate", "config.yaml"], at);
  const imported = await regrade(["import", "config.yaml", "--out", "imported.yaml"], at);
  const printed = [end, exported, shown, valid, imported].flatMap(({ stdout, stderr }) => [
    stdout,
    stderr,
  ]);
  expect(imported.stderr).toContain("take ${DATA_FILE}, ${JUDGE_MODEL} from the environment");
  const written = await Promise.all(
    ["run", "out"].flatMap((folder) =>
      readdirSync(join(fixture.path, folder)).map(
        async (name) =>
          [`${folder}/${name}`, await fixture.readFile(join(folder, name), "utf8")] as const,
      ),
    ),
  );
  const texts = [...printed.map((text, i) => [`output ${i}`, text] as const), ...written];
  const seen = texts.flatMap(([name, text]) => {
    const found = /.{0,40}walrus7.{0,20}/i.exec(`${name} ${text}`)?.[0];
    return found === undefined ? [] : [`${name}: ${found}`];
  });
  expect(seen).toEqual([]);
  const { run } = await readRunDirectory(join(fixture.path, "run"));
  expect(run).toMatchObject({
    judge_model: "ollama:${JUDGE_MODEL}",
    suite: { name: "graph-TEAM_NAME", foreign: { config: { agent: { model: "${AGENT_MODEL}" } } } },
  });
  const detailed = written.find(([name]) => name.endsWith(".detailed.jsonl"))?.[1] ?? "";
  expect(JSON.parse(detailed.split("\n")[0] ?? "")).toMatchObject({ model_id: "${AGENT_MODEL}" });
});
