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
