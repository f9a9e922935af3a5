import { type Json, type JsonObject, isJsonObject } from "../src/model/json.ts";
import { resolveSuite } from "../src/manifest/resolve.ts";
import { type Section, task } from "./manifest-sections.ts";

/** Sample values that the schema can't provide: texts that must name something. */
const samples: Readonly<Record<string, readonly Json[]>> = {
  metric: ["right"],
  candidate: ["app"],
  id: ["right"],
  file: ["data.jsonl"],
  file_id: ["file_1"],
  path: ["runs/main"],
  "dataset.path": ["a/b"],
  data_files: ["https://data.example/rows.jsonl"],
  dataset: ["data.jsonl", { file: "data.jsonl" }],
  candidates: [{ app: { command: ["x"] } }, { app: { replay: "x.jsonl" } }],
  tasks: [[task]],
  "task.from": [{ path: "out.jsonl" }],
  class: [{ as: "lambda", name: "X" }],
  grader: ["exact_match", { type: "python", source: "x" }],
  metrics: [[{ id: "right" }]],
  output_extraction: [{ type: "none" }],
  preprocess: [{ type: "python", source: "x" }],
  allow_models: [["openai:gpt-5.4-mini"]],
  judge_model: ["openai:gpt-5.4-mini"],
  embedding_model: ["openai:text-embedding-3-small"],
  graders: [["exact_match", { type: "contains", name: "has", weight: 2 }]],
  rules: [[{ metric: "right", min: 0 }]],
  slices: [["language"]],
  slice: ["language=*"],
  against: ["app-v1"],
  must_pass: [["case-*"]],
  reducer: ["mean"],
  baseline: [{ path: "runs/main" }],
  gate: ["none", {}],
  models: [["openai:gpt-5.4-mini"]],
  model: ["openai:gpt-5.4-mini"],
  concurrency: ["auto", 4],
  agent: ["claude-code", { command: ["x"], events: "regrade" }],
  "own agent.command": [["x"]],
  system_prompt: ["x", { file: "x.md" }],
  mcp_servers: [{ graph: { command: ["x"] } }],
  skills: [["skills/x"]],
  workspace: ["fixtures", { folder: "fixtures", files: "files" }],
  require: [{ tool_use: "mcp", tool_success: "any" }],
  cassette: [{ path: "x.jsonl", mode: "replay" }],
  "candidate.tools": [["Read"], "all"],
  "MCP server.url": ["http://127.0.0.1/mcp"],
  "MCP server.env": [["TOKEN"], { TOKEN: "{{env.TOKEN}}" }],
  "MCP server.headers": [{ Authorization: "Bearer {{env.KEY}}" }],
  "replay.path": ["fixtures"],
  "replay.format": ["atif"],
  http: [{ url: "http://127.0.0.1/{{prompt}}" }],
  url: ["http://127.0.0.1/{{prompt}}"],
  body: [{ prompt: "{{prompt}}" }],
  "http.output": ["/text"],
  "http.tool_calls": ["/calls"],
  headers: [{ "x-case": "{{prompt}}" }],
  providers: [{ local: { base_url: "http://127.0.0.1/v1" } }],
  base_url: ["http://127.0.0.1/v1"],
  prices: [{ m: { input: 1, output: 2 } }],
  messages_template: ["{{messages}}"],
  start: ["{{messages}}", [{ role: "user", content: "x" }]],
  turns: ["{{turns}}"],
  "message.content": ["{{text}}", [{ type: "text", text: "x" }]],
  "content part.url": ["https://x.example/a.png"],
  "content part.file": ["a.png"],
  "suite.judge_calibration": ["calibration.json"],
  tool_results: ["{{results}}", { search: "x" }],
  "tool result.result": ["x", { found: 3 }],
  "tool result.error": ["x"],
};

/** Tries a key with every kind of value. */
export async function probe(section: Section, key: string, about: JsonObject): Promise<void> {
  const name = `${section.name}.${key}`;
  const tried = samples[name] ?? samples[key] ?? samplesOf(about);
  for (const value of tried) await expectTaken(section, key, value);
}

/** Throws if every manifest with this value is refused: then the schema or the probe is wrong. */
async function expectTaken(section: Section, key: string, value: Json): Promise<void> {
  const codes = new Set<string>();
  for (const beside of section.beside) {
    for (const write of section.write) {
      const found = await problemsOf(write({ ...beside, [key]: value }));
      if (found.length === 0) return;
      for (const each of found) codes.add(each);
    }
  }
  throw new Error(`${section.name}.${key}: ${JSON.stringify(value)}: ${[...codes].join(", ")}`);
}

/** A calibration as `regrade calibrate RUN --judge labels.jsonl --write calibration.json` writes it. */
const keptCalibration = JSON.stringify({
  format: "regrade.judge-calibration/1",
  metrics: [
    {
      task: "t",
      metric: "right",
      bound: { grader: "sha256:0", judge: null },
      labels: 40,
      agreement: { count: 36, of: 40, rate: 0.9, ci: [0.76, 0.97] },
      kappa: null,
      alpha: null,
      bias: { value: 0, ci: null },
      slope: null,
    },
  ],
});

/** The problems of a manifest in a repository where every path is a file, except `fixtures`. */
export async function problemsOf(manifest: JsonObject): Promise<readonly string[]> {
  const found = await resolveSuite(
    { text: JSON.stringify(manifest), path: "suite.json", directory: "/repo", root: "/repo" },
    {
      inspectPath: async (real) => ({
        kind: real.endsWith("/fixtures") ? "directory" : "file",
        real,
      }),
      readText: async (path) => (path.endsWith("/calibration.json") ? keptCalibration : "{}"),
      hashFile: async () => "sha256:0",
      environment: {},
    },
  );
  return found.kind === "refused" ? found.problems.map((each) => each.code) : [];
}

/** Values that a schema allows: all of an enumeration, otherwise one. */
function samplesOf(about: JsonObject): readonly Json[] {
  const words = about["enum"];
  if (Array.isArray(words)) return words;
  if (about["const"] !== undefined) return [about["const"]];
  const types = [about["type"] ?? "object"].flat();
  if (types.includes("boolean")) return [true, false];
  if (types.includes("string")) return ["x"];
  if (types.includes("integer")) return [Math.max(1, Number(about["minimum"] ?? 1))];
  if (types.includes("number")) return [Number(about["minimum"] ?? 0.25)];
  if (types.includes("array")) return [arrayOf(about)];
  return [{}];
}

function arrayOf(about: JsonObject): Json {
  const items = isJsonObject(about["items"]) ? about["items"] : {};
  if (items["type"] === "number") return [0, 1];
  return samplesOf(items).slice(0, 1);
}

/** A text unchanged; an empty text for any other value. */
export function wordOf(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A text as code in markdown. */
export function code(text: string): string {
  return `\`${text}\``;
}
