import type { JsonObject, Json } from "../src/model/json.ts";

/** A mapping of the manifest, and how to write a manifest with a certain key in it. */
export interface Section {
  readonly name: string;
  /** JSON pointer to its schema. */
  readonly schema: string;
  /** Further keys that a key may need; each set is tried. */
  readonly beside: readonly JsonObject[];
  /** Writes the mapping into a manifest, at each place where it may occur. */
  readonly write: readonly ((part: JsonObject) => JsonObject)[];
}

/** A task with everything that rules and metrics need. */
export const task: JsonObject = {
  id: "t",
  dataset: "data.jsonl",
  prompt_template: "{{text}}",
  target_template: "{{label}}",
  grader: { type: "python", source: "x" },
  metrics: [
    { id: "right", range: [0, 1] },
    { id: "errors", higher_is_better: false },
  ],
  slices: ["language"],
};

/** A field that a grader may read. */
const withField: JsonObject = { output_extraction: { type: "json", fields: { x: "/x" } } };

export const whole: JsonObject = {
  tasks: [task],
  files: { file_1: "data.jsonl" },
  candidates: { app: { command: ["x"] } },
};

/** Two candidates, for a rule with `against`. */
const twoCandidates: JsonObject = { app: { command: ["x"] }, "app-v1": { command: ["y"] } };

/** A manifest whose task has a messages template. */
function askingAs(messages_template: Json): JsonObject {
  return { ...whole, tasks: [withoutNulls({ ...task, prompt_template: null, messages_template })] };
}

export const sections: readonly Section[] = [
  {
    name: "suite",
    schema: "",
    beside: [whole, { ...whole, candidates: null }, { candidates: whole["candidates"] ?? null }],
    write: [withoutNulls],
  },
  {
    name: "task",
    schema: "#/$defs/task",
    beside: [
      task,
      { ...task, grader: null, metrics: null },
      { ...task, prompt_template: null },
      { id: "t" },
    ],
    write: [
      (part) => ({ ...whole, tasks: [withoutNulls(part)] }),
      (part) => ({ tasks: [withoutNulls(part)] }),
    ],
  },
  {
    name: "from",
    schema: "#/$defs/task/properties/from",
    beside: [{}, { path: "out.jsonl" }],
    write: [(part) => ({ tasks: [{ id: "t", from: part }] })],
  },
  {
    name: "columns",
    schema: "#/$defs/task/properties/from/properties/columns",
    beside: [{}],
    write: [(part) => ({ tasks: [{ id: "t", from: { path: "out.jsonl", columns: part } }] })],
  },
  {
    name: "dataset",
    schema: "#/$defs/dataset",
    beside: [
      {},
      { file: "data.jsonl" },
      { path: "a/b" },
      { path: "json", data_files: "https://data.example/rows.jsonl" },
    ],
    write: [(part) => ({ ...whole, tasks: [{ ...task, dataset: part }] })],
  },
  {
    name: "metric",
    schema: "#/$defs/metric",
    beside: [{ id: "right" }],
    write: [(part) => ({ ...whole, tasks: [{ ...task, metrics: [part] }] })],
  },
  {
    name: "python grader",
    schema: "#/$defs/graderObject/oneOf/0",
    beside: [{ type: "python", source: "x" }, { type: "python" }, { type: "python", file: "x.py" }],
    write: [
      (part) => ({ ...whole, tasks: [{ ...task, ...withField, grader: part }] }),
      (part) => ({
        ...whole,
        tasks: [
          withoutNulls({ ...task, ...withField, grader: null, metrics: null, graders: [part] }),
        ],
      }),
    ],
  },
  {
    name: "messages",
    schema: "#/$defs/messages_template",
    beside: [{}, { turns: "{{turns}}" }],
    write: [askingAs],
  },
  {
    name: "message",
    schema: "#/$defs/message",
    beside: [{}, { role: "user", content: "{{text}}" }],
    write: [(part) => askingAs([part])],
  },
  {
    name: "content part",
    schema: "#/$defs/contentPart",
    beside: [
      { type: "text", text: "x" },
      { type: "image", file: "x.png" },
      { type: "image" },
      { text: "x" },
      { file: "x.png" },
    ],
    write: [(part) => askingAs([{ role: "user", content: [part] }])],
  },
  {
    name: "tool result",
    schema: "#/$defs/tool_results/additionalProperties/items",
    beside: [{}, { result: "x" }],
    write: [(part) => ({ ...whole, tasks: [{ ...task, tool_results: { search: [part] } }] })],
  },
  {
    name: "fewshot",
    schema: "#/$defs/fewshot",
    beside: [{ count: 1 }],
    write: [(part) => ({ ...whole, tasks: [{ ...task, fewshot: part }] })],
  },
  {
    name: "preprocess",
    schema: "#/$defs/preprocess",
    beside: [{ type: "python", source: "x" }, { type: "python" }],
    write: [(part) => ({ ...whole, tasks: [{ ...task, preprocess: part }] })],
  },
  {
    name: "candidate",
    schema: "#/$defs/candidate",
    beside: [
      {},
      { command: ["x"] },
      { worker: ["x"] },
      { http: { url: "http://127.0.0.1/{{prompt}}" } },
      { agent: "claude-code" },
      { agent: { command: ["x"], events: "regrade" } },
      { agent: { model: "openai:gpt-5.4-mini" } },
      { answer: "x" },
      { model: "openai:gpt-5.4-mini" },
    ],
    write: [(part) => ({ ...whole, candidates: { app: part } })],
  },
  {
    name: "replay",
    schema: "#/$defs/candidate/properties/replay",
    beside: [{}, { file: "x.jsonl" }, { path: "fixtures" }, { path: "fixtures", format: "atif" }],
    write: [(part) => ({ ...whole, candidates: { app: { replay: part } } })],
  },
  {
    name: "http",
    schema: "#/$defs/candidate/properties/http",
    beside: [{ url: "http://127.0.0.1/{{prompt}}" }],
    write: [(part) => ({ ...whole, candidates: { app: { http: part } } })],
  },
  {
    name: "own agent",
    schema: "#/$defs/candidate/properties/agent",
    beside: [{}, { command: ["x"] }, { events: "regrade" }],
    write: [(part) => ({ ...whole, candidates: { app: { agent: part } } })],
  },
  {
    name: "MCP server",
    schema: "#/$defs/candidate/properties/mcp_servers/additionalProperties",
    beside: [{}, { command: ["x"] }, { url: "http://127.0.0.1/mcp" }],
    write: [
      (part) => ({
        ...whole,
        candidates: { app: { agent: "claude-code", mcp_servers: { graph: part } } },
      }),
      (part) => ({
        ...whole,
        candidates: { app: { agent: { model: "openai:x" }, mcp_servers: { graph: part } } },
      }),
    ],
  },
  {
    name: "provider",
    schema: "#/$defs/provider",
    beside: [{ base_url: "http://127.0.0.1/v1" }],
    write: [(part) => ({ ...whole, providers: { local: part } })],
  },
  {
    name: "price",
    schema: "#/$defs/price",
    beside: [{ input: 1, output: 2 }],
    write: [
      (part) => ({
        ...whole,
        providers: { local: { base_url: "http://127.0.0.1/v1", prices: { m: part } } },
      }),
    ],
  },
  {
    name: "generation",
    schema: "#/$defs/generation",
    beside: [{}],
    write: [(part) => ({ ...whole, candidates: ["ollama:m"], run: { generation: part } })],
  },
  {
    name: "budget",
    schema: "#/$defs/run/properties/budget",
    beside: [{}],
    write: [(part) => ({ ...whole, run: { budget: part } })],
  },
  {
    name: "run",
    schema: "#/$defs/run",
    beside: [{}],
    write: [(part) => ({ ...whole, run: part })],
  },
  {
    name: "publish",
    schema: "#/properties/publish",
    beside: [{}],
    write: [(part) => ({ ...whole, publish: part })],
  },
  {
    name: "gate",
    schema: "#/$defs/gate",
    beside: [{}],
    write: [(part) => ({ ...whole, gate: part })],
  },
  {
    name: "baseline",
    schema: "#/$defs/gate/properties/baseline",
    beside: [{}, { path: "runs/main" }],
    write: [(part) => ({ ...whole, gate: { baseline: part } })],
  },
  {
    name: "rule",
    schema: "#/$defs/rule",
    beside: [
      { metric: "right" },
      { metric: "right", max_drop: 0.1 },
      { metric: "right", min: 0.5 },
      { metric: "right", must_pass: ["case-*"] },
      { metric: "errors" },
    ],
    write: [
      (part) => ({ ...whole, gate: { rules: [part] } }),
      (part) => ({ ...whole, candidates: twoCandidates, gate: { rules: [part] } }),
    ],
  },
];

/** A mapping without keys that are null: a probe removes keys that conflict with others. */
export function withoutNulls(part: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null));
}
