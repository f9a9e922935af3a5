import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import type { Translated } from "../../src/base/foreign.ts";
import { dialectOf } from "../../src/dialects/recognise.ts";
import { parseManifest } from "../../src/manifest/syntax/parse.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";

const config = `name: graph value
version: "1"
dataset: { path: questions.jsonl, question_key: question, answer_key: golden }
agent: { type: claude_code_sdk, model: claude-sonnet-4-5 }
judge: { model: openai/gpt-4.1-mini, temperature: 0.0 }
mcp_servers:
  graph: { type: stdio, command: python3, args: [-m, graph, "--key=\${GRAPH_TOKEN}"], env: { TOKEN: "\${GRAPH_TOKEN}" } }
  search: { type: http, url: "https://\${HOST}/mcp?key=\${SEARCH_TOKEN}", headers: { Authorization: "Bearer \${SEARCH_TOKEN}" } }
conditions:
  with graph: { mcp_servers: [graph, graph], system_prompt: Use the graph., require_mcp_tool_use: "yes" }
  baseline: { system_prompt: Answer., allowed_tools: [Read] }
  with-search: { mcp_servers: [search], system_prompt: Search., require_mcp_tool_success: true }
execution:
  num_repetitions: "\${REPEATS}"
  max_concurrent: 40
  retry: { max_attempts: 3, initial_backoff_seconds: 1, backoff_multiplier: 2 }
`;
const rows = '{"question": "q1", "golden": "a1"}\n\n{"question": "q2", "golden": "a2"}\n';
const secrets = { GRAPH_TOKEN: "harmless", SEARCH_TOKEN: "", REPEATS: "2", HOST: "search.example" };

interface Around {
  readonly environment?: Readonly<Record<string, string>>;
  readonly dataset?: string;
  readonly ownKeys?: readonly string[];
}

async function translated(
  text: string,
  { environment = secrets, dataset = rows, ownKeys }: Around = {},
): Promise<Translated> {
  const parsed = parseManifest(text, "config.yaml");
  if (parsed.kind === "refused") return parsed;
  const root = { value: parsed.value, path: [], locate: parsed.locate };
  const found = await dialectOf(root)?.(root, {
    directory: "/repo/evals",
    root: "/repo",
    documentDirectory: "/repo/evals",
    ownKeys: ownKeys && new Set(ownKeys),
    environment,
    readText: async () => dataset,
    isThere: async (path) => path === "/repo/evals/questions.jsonl",
    filesOf: async () => [],
    hashFile: async () => undefined,
    pythonFiles: async () => [],
    parse: () => undefined,
  });
  if (found === undefined) throw new Error("not recognised");
  return found;
}

/** Code, place and words of each problem. */
function told(found: Translated): readonly string[] {
  const problems = found.kind === "refused" ? found.problems : found.warnings;
  return problems.map(({ code, place, message }) => `${code} ${place?.path ?? ""}: ${message}`);
}

/** The config with a value at a path; undefined takes it away. */
function changed(path: string, value: Json | undefined): string {
  const document: Json = parse(config);
  const steps = path.split("/");
  const last = steps.pop() ?? "";
  let inner: Json | undefined = document;
  for (const step of steps) inner = isJsonObject(inner) ? inner[step] : undefined;
  if (!isJsonObject(inner)) throw new Error(path);
  const copy: JsonObject = { ...inner, ...(value !== undefined && { [last]: value }) };
  const fields = Object.entries(copy).filter(([key]) => value !== undefined || key !== last);
  return stringify(replaced(document, steps, Object.fromEntries(fields)));
}

function replaced(document: Json, [first, ...rest]: readonly string[], value: Json): Json {
  if (first === undefined || !isJsonObject(document)) return value;
  return { ...document, [first]: replaced(document[first] ?? null, rest, value) };
}

describe("a config file of k-eval as a manifest", () => {
  it("has conditions as isolated agents, and questions as cases judged on three scales", async () => {
    expect(await translated(config)).toMatchObject({
      kind: "translated",
      value: {
        name: "graph-value",
        dataset: { file: "questions.jsonl", format: "jsonl", id_field: null },
        prompt_template: "{{question}}",
        target_template: "{{golden}}",
        repeats: 2,
        grader: {
          type: "judge",
          scales: ["factual_adherence", "completeness", "helpfulness_and_clarity"],
          temperature: 0,
        },
        run: { judge_model: "openai:gpt-4.1-mini", concurrency: 25 },
        candidates: {
          "with-graph": {
            agent: "claude-code",
            model: "claude-sonnet-4-5",
            system_prompt: "Use the graph.",
            mcp_servers: {
              graph: {
                command: ["python3", "-m", "graph", "--key={{env.GRAPH_TOKEN}}"],
                env: { TOKEN: "{{env.GRAPH_TOKEN}}" },
              },
            },
            tools: [],
            require: { tool_use: "mcp" },
            max_retries: 2,
          },
          baseline: { mcp_servers: {}, tools: ["Read"] },
          "with-search": {
            mcp_servers: {
              search: {
                url: "https://{{env.HOST}}/mcp?key={{env.SEARCH_TOKEN}}",
                type: "http",
                headers: { Authorization: "Bearer {{env.SEARCH_TOKEN}}" },
              },
            },
            require: { tool_success: "mcp" },
          },
        },
      },
    });
  });

  it("shows the effect of each context against the condition without servers, and blocks by none", async () => {
    const found = await translated(config);
    const value = found.kind === "translated" ? JSON.parse(JSON.stringify(found.value)) : {};
    expect(value.gate.rules).toHaveLength(6);
    expect(value.gate.rules[0]).toEqual({
      metric: "factual_adherence",
      candidate: "with-graph",
      against: "baseline",
      max_drop: 0,
      level: "info",
    });
  });

  it.each([
    "conditions/baseline/system_prompt",
    "agent/model",
    "mcp_servers/graph/command",
    "mcp_servers/search/url",
    "name",
  ])("keeps what a variable holds out of the manifest in %s", async (path) => {
    const found = await translated(changed(path, "x-${GRAPH_TOKEN}/y"));
    expect(JSON.stringify(found)).not.toContain("harmless");
    expect(found).toMatchObject({ kind: "translated", hidden: [], warnings: [] });
    expect(JSON.stringify(found.kind === "translated" && found.value)).toContain("GRAPH_TOKEN");
    expect(JSON.stringify(found.kind === "translated" && found.about)).toContain(
      "x-${GRAPH_TOKEN}/y",
    );
  });

  it("hides it where the manifest needs it: in the judge's model, by LiteLLM's name and by ours", async () => {
    const text = changed("judge/model", "${PROVIDER}/${MODEL}");
    const environment = { ...secrets, PROVIDER: "openai", MODEL: "house-model-1" };
    const found = await translated(text, { environment });
    expect(found).toMatchObject({
      kind: "translated",
      value: { run: { judge_model: "openai:house-model-1" } },
      hidden: [
        { text: "openai", shown: "${PROVIDER}" },
        { text: "house-model-1", shown: "${MODEL}" },
        { text: "house-model-1", shown: "${PROVIDER}${MODEL}" },
      ],
    });
  });

  it("says a key of the rows as the config has it", async () => {
    const text = changed("dataset/answer_key", "${KEY}");
    const found = await translated(text, { environment: { ...secrets, KEY: "gold" } });
    expect(told(found).join("\n")).toContain("lacks ${KEY}");
    expect(told(found).join("\n")).not.toContain("gold");
  });

  it("names all missing variables at once; a set but empty one is there", async () => {
    const found = await translated(config, { environment: { SEARCH_TOKEN: "" } });
    expect(told(found)).toEqual([
      "k_eval_variables_missing : the file names environment variables that are not set: GRAPH_TOKEN, HOST, REPEATS",
    ]);
  });

  it("tells of every bad line of the dataset, by its number in the file", async () => {
    const dataset =
      '{"question": "q", "golden": "a"}\n\n{"question": "q"}\n{"x": 1}\n{"question"\n7\n';
    const found = await translated(config, { dataset });
    expect(told(found).map((each) => each.replace(/^.*dataset /, ""))).toEqual(
      [
        "line 3 of the dataset lacks golden",
        "line 4 of the dataset lacks question and golden",
        "line 5 of the dataset is no JSON object",
        "line 6 of the dataset is no JSON object",
      ].map((each) => each.replace(/^.*dataset /, "")),
    );
  });

  it.each<[string, readonly [string, Json | undefined], string]>([
    [
      "a server without a command",
      ["mcp_servers/graph/command", undefined],
      "k_eval_value mcp_servers.graph",
    ],
    [
      "a server without a url",
      ["mcp_servers/search/url", undefined],
      "k_eval_value mcp_servers.search",
    ],
    [
      "another kind of server",
      ["mcp_servers/graph/type", "streamable_http"],
      "k_eval_value mcp_servers.graph.type",
    ],
    [
      "a number in env",
      ["mcp_servers/graph/env", { A: 1 }],
      "k_eval_value mcp_servers.graph.env.A",
    ],
    [
      "an unknown server",
      ["conditions/baseline/mcp_servers", ["graf"]],
      "k_eval_server_unknown conditions.baseline.mcp_servers[0]",
    ],
    [
      "servers as a text",
      ["conditions/baseline/mcp_servers", "graph"],
      "k_eval_value conditions.baseline.mcp_servers",
    ],
    ["no conditions", ["conditions", {}], "k_eval_value conditions"],
    ["a condition that is null", ["conditions/baseline", null], "k_eval_value conditions.baseline"],
    [
      "two conditions of one name",
      ["conditions/with-graph", { system_prompt: "x" }],
      "k_eval_condition_name conditions.with-graph",
    ],
    ["another agent", ["agent/type", "codex"], "k_eval_agent_unknown agent.type"],
    ["another judge", ["judge/model", "vertex_ai/llama-4"], "k_eval_judge_unknown judge.model"],
    ["no temperature", ["judge/temperature", undefined], "k_eval_value judge"],
    ["a version that is a number", ["version", 1], "k_eval_value version"],
    ["no repetition", ["execution/num_repetitions", 0], "k_eval_value execution.num_repetitions"],
    [
      "half a second",
      ["execution/retry/initial_backoff_seconds", 0.5],
      "k_eval_value execution.retry.initial_backoff_seconds",
    ],
    [
      "an empty prompt",
      ["conditions/baseline/system_prompt", ""],
      "k_eval_value conditions.baseline.system_prompt",
    ],
    ["no dataset", ["dataset/path", "nowhere.jsonl"], "k_eval_dataset_missing dataset.path"],
    ["no servers at all", ["mcp_servers", null], "k_eval_value mcp_servers"],
  ])("refuses %s at its place in the user's file", async (_, change, expected) => {
    const found = await translated(changed(...change));
    expect(found.kind).toBe("refused");
    expect(told(found).join("\n")).toContain(expected);
  });

  it.each([
    ["openai/gpt-4.1", "openai:gpt-4.1"],
    ["gpt-4.1", "openai:gpt-4.1"],
    ["gemini/gemini-3-pro", "google:gemini-3-pro"],
    ["openrouter/meta/llama-4", "openrouter:meta/llama-4"],
    ["vertex_ai/claude-opus-4-5@20251101", "anthropic:claude-opus-4-5"],
    ["vertex_ai/gemini-3-pro", "google:gemini-3-pro"],
  ])("asks the judge %s of LiteLLM as %s", async (model, expected) => {
    const found = await translated(changed("judge/model", model));
    expect(found).toMatchObject({ value: { run: { judge_model: expected } } });
    expect(told(found).some((each) => each.startsWith("k_eval_judge_route"))).toBe(
      model.startsWith("vertex_ai"),
    );
  });

  it("takes an own judge of a manifest that uses the file", async () => {
    const text = changed("judge/model", "vertex_ai/llama-4");
    expect(await translated(text, { ownKeys: ["run"] })).toMatchObject({ kind: "translated" });
  });
});
