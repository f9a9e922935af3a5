import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Translated } from "../../src/base/foreign.ts";
import { readClaude } from "../../src/candidate/agent/read-claude.ts";
import { translateKEval } from "../../src/dialects/k-eval/translate.ts";
import { parseManifest } from "../../src/manifest/syntax/parse.ts";
import { withVariables } from "../../src/model/models/agent.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import { agentTurns } from "../../src/report/exports/k-eval-turns.ts";
import { kEvalFiles } from "../../src/report/exports/k-eval.ts";
import { exampleRun } from "../github/example-run.ts";

interface Vector {
  readonly id: string;
  readonly kind: string;
  readonly metric: string;
  readonly params: { readonly env?: Readonly<Record<string, string>> };
  readonly input: Json;
  readonly expected: JsonObject;
}

const file = new URL("../../../shared/vectors/keval.json", import.meta.url);
const vectors: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];

const row = '{"question": "q", "answer": "a"}\n';

const config = {
  name: "x",
  version: "1",
  dataset: { path: "q.jsonl", question_key: "question", answer_key: "answer" },
  agent: { type: "claude_code_sdk", model: "m" },
  judge: { model: "gpt-4.1", temperature: 0 },
  mcp_servers: {},
  conditions: { baseline: { system_prompt: "p" } },
  execution: { num_repetitions: 1, max_concurrent: 1 },
};

function of(kind: string): readonly (readonly [string, Vector])[] {
  return vectors.filter((each) => each.kind === kind).map((each) => [each.id, each] as const);
}

function textOf(input: Json): string {
  return typeof input === "string" ? input : "";
}

interface Around {
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly dataset?: string;
}

async function translated(
  text: string,
  { environment = {}, dataset = row }: Around = {},
): Promise<Translated> {
  const parsed = parseManifest(text, "config.yaml");
  if (parsed.kind === "refused") return parsed;
  const root = { value: parsed.value, path: [], locate: parsed.locate };
  return translateKEval(root, {
    directory: "/repo",
    root: "/repo",
    documentDirectory: "/repo",
    ownKeys: new Set(["run"]),
    environment,
    readText: async () => dataset,
    isThere: async () => true,
    filesOf: async () => [],
    hashFile: async () => undefined,
    pythonFiles: async () => [],
    parse: () => undefined,
  });
}

/** A whole config with one of k-eval's models in its place. */
function withModel({ metric, input }: Vector): JsonObject {
  if (metric === "EvalConfig" && isJsonObject(input)) return input;
  if (metric.endsWith("McpServer")) return { ...config, mcp_servers: { a: input } };
  if (metric === "RetryConfig")
    return { ...config, execution: { ...config.execution, retry: input } };
  const key = { ExecutionConfig: "execution", JudgeConfig: "judge", AgentConfig: "agent" }[metric];
  return { ...config, [key ?? "dataset"]: rowsHave(input) };
}

/** Rows of the tests here are under these keys. */
function rowsHave(input: Json): Json {
  return isJsonObject(input) && input["answer_key"] ? { ...input, ...config.dataset } : input;
}

/** The one condition as a candidate. */
function candidateOf(found: Translated): JsonObject {
  if (found.kind === "refused") throw new Error(JSON.stringify(found.problems));
  let inner: Json | undefined = found.value;
  for (const key of ["candidates", "only"]) inner = isJsonObject(inner) ? inner[key] : undefined;
  return isJsonObject(inner) ? inner : {};
}

/** Its servers, as the agent gets them. */
function serversOf(found: Translated): Json {
  return candidateOf(found)["mcp_servers"] ?? {};
}

/** A server of k-eval's agent in our manifest's form. */
function asOurs(server: Json): Json {
  if (!isJsonObject(server)) return server;
  const { command, args, ...others } = server;
  return command === undefined
    ? server
    : { ...others, command: [command, ...(Array.isArray(args) ? args : [])] };
}

/** A variable's name as the key of a mapping, which stays as it is. */
const inKey = "keval-218";

/** Exceptions of the library that k-eval starts Claude Code with: Regrade starts the program itself. */
const ofTheLibrary = ["keval-020", "keval-023"];

function messagesOf(input: Json): readonly JsonObject[] {
  const messages = isJsonObject(input) ? input["messages"] : undefined;
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
}

/** A message of that library as the line that Claude Code printed. */
function eventOf(message: JsonObject): JsonObject {
  const { $type, content } = message;
  if ($type === "ResultMessage") return { ...message, type: "result" };
  const type = $type === "UserMessage" ? "user" : "assistant";
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return { type, message: { content: parts.map(partOf) } };
}

const partTypes: Readonly<Record<string, string>> = {
  TextBlock: "text",
  ToolUseBlock: "tool_use",
  ToolResultBlock: "tool_result",
  ThinkingBlock: "thinking",
};

function partOf({ $type, ...part }: JsonObject): JsonObject {
  return { ...part, type: partTypes[textOf($type ?? null)] ?? "unknown" };
}

/** A turn in k-eval's words; how long a tool took is measured, and differs. */
function asKEvals(turn: ReturnType<typeof agentTurns>[number]): Json {
  if (turn.kind === "said") return { role: "assistant", text: turn.text, tool_calls: [] };
  const calls = turn.calls.map(({ call, result }) => ({
    tool_use_id: call["id"] ?? null,
    tool_name: call["name"] ?? null,
    tool_input: call["arguments"] ?? null,
    tool_result: result?.["output"] ?? null,
    tool_error: result === undefined || result["is_error"] === true,
  }));
  return { role: "tool_use", text: null, tool_calls: calls };
}

function withoutCount(turn: Json): Json {
  if (!isJsonObject(turn)) return turn;
  const { turn_idx: _, tool_calls: calls, ...rest } = turn;
  const measured = Array.isArray(calls) ? calls.filter(isJsonObject) : [];
  return { ...rest, tool_calls: measured.map(({ duration_ms: _ms, ...call }) => call) };
}

async function* noSamples(): AsyncGenerator<never> {}

/** Without `retry` Regrade takes its own. */
const taken = ["keval-265"];

describe.skipIf(vectors.length === 0)("k-eval's own tests (skipped without ../shared)", () => {
  it.each(of("config_yaml"))("config %s is taken or refused as k-eval does", async (id, vector) => {
    const { input, params, expected } = vector;
    const found = await translated(textOf(input), { environment: params.env });
    const isRefused = JSON.stringify(expected).includes('"error"') && !taken.includes(id);
    expect(found.kind).toBe(isRefused ? "refused" : "translated");
  });

  it.each(of("dataset"))("data set %s is taken or refused as k-eval does", async (id, vector) => {
    const { input, expected } = vector;
    const found = await translated(JSON.stringify(config), { dataset: textOf(input) });
    // A raw U+2028 is a character of a JSON text, and no end of a line.
    const isRefused = "error" in expected && id !== "keval-232";
    expect(found.kind).toBe(isRefused ? "refused" : "translated");
  });

  it.each(of("model").filter(([, { metric }]) => metric !== "JudgeResult"))(
    "the part of a config in %s is taken, or refused at the key that k-eval names",
    async (_, vector) => {
      const found = await translated(JSON.stringify(withModel(vector)));
      const { details } = vector.expected;
      if (!Array.isArray(details)) return expect(found.kind).toBe("translated");
      const places = details.map((each) =>
        String(isJsonObject(each) && Array.isArray(each["loc"]) ? each["loc"].at(-1) : ""),
      );
      const messages = found.kind === "refused" ? found.problems.map((each) => each.message) : [];
      return expect(messages).toEqual(places.map((key) => expect.stringContaining(key)));
    },
  );

  it.each(of("agent_type"))("the agent of %s is refused", async (_, { input }) => {
    const agent = { type: input, model: "m" };
    expect(await translated(JSON.stringify({ ...config, agent }))).toMatchObject({
      kind: "refused",
      problems: [{ code: "k_eval_agent_unknown" }],
    });
  });

  it.each(of("mcp_mapping"))("the servers of %s reach the agent", async (_, vector) => {
    const servers = Array.isArray(vector.input) ? vector.input.filter(isJsonObject) : [];
    const document = {
      ...config,
      mcp_servers: Object.fromEntries(servers.map((each) => [each["name"], each["config"]])),
      conditions: {
        only: { system_prompt: "p", mcp_servers: servers.map((each) => each["name"] ?? null) },
      },
    };
    const expected = Object.entries(vector.expected).map(([name, each]) => [name, asOurs(each)]);
    expect(serversOf(await translated(JSON.stringify(document)))).toEqual(
      Object.fromEntries(expected),
    );
  });

  it.each(of("env").filter(([id]) => id !== inKey))(
    "the variables of %s are replaced as k-eval does",
    async (_, vector) => {
      const { input, params, expected } = vector;
      // A system prompt is any text: an agent is given it with what its variables hold.
      const text = typeof input === "string" ? input : JSON.stringify(input);
      const conditions = { only: { system_prompt: text } };
      const found = await translated(JSON.stringify({ ...config, conditions }), {
        environment: params.env,
      });
      const { missing, value = null } = expected;
      if (Array.isArray(missing)) {
        expect(JSON.stringify(found)).toContain("k_eval_variables_missing");
        for (const name of missing) expect(JSON.stringify(found)).toContain(String(name));
      } else {
        const prompt = withVariables(
          textOf(candidateOf(found)["system_prompt"] ?? null),
          params.env ?? {},
        );
        expect(prompt).toBe(typeof value === "string" ? value : JSON.stringify(value));
      }
    },
  );

  it.each(of("env").filter(([id]) => id === inKey))("the key of %s stays", async (_, { input }) => {
    const server = { type: "stdio", command: "c", env: input };
    const conditions = { only: { system_prompt: "p", mcp_servers: ["a"] } };
    const document = { ...config, mcp_servers: { a: server }, conditions };
    const found = await translated(JSON.stringify(document));
    expect(serversOf(found)).toEqual({ a: { command: ["c"], env: input } });
  });

  it.each(of("agent_stream").filter(([id]) => !ofTheLibrary.includes(id)))(
    "the messages of %s are read as k-eval does",
    (_, { input, expected }) => {
      const events = messagesOf(input).map(eventOf);
      const told = readClaude.endOf(events, undefined);
      if ("error" in expected) {
        const message = textOf(expected["message"] ?? null);
        const reason = /agent returned error response: (.*)$/.exec(message)?.[1];
        expect(told.failure?.message).toBe(reason);
        expect(told.outputText).toBeUndefined();
        return;
      }
      const { response, num_turns, usage } = expected;
      expect({ response: told.outputText, num_turns: told.turns }).toEqual({ response, num_turns });
      if (isJsonObject(usage ?? null)) expect(told.usage).toMatchObject(Object(usage));
      else expect(told.usage).toBeNull();
      const transcript = events.flatMap((event) => readClaude.entriesOf(event, []) ?? []);
      // The answer is a turn of its own here; tools that never ended are told after it.
      const turns = agentTurns({ transcript, output_text: null });
      expect(turns.map(asKEvals)).toEqual(
        Array.isArray(expected["turns"]) ? expected["turns"].map(withoutCount) : [],
      );
    },
  );

  it.each(of("format").filter(([, { metric }]) => metric === "output_stem"))(
    "the files of %s are named as k-eval's, by the suite's name",
    async (_, { input, expected }) => {
      if (!isJsonObject(input)) throw new Error("no names");
      const { config_name: name = "", run_id: id = "" } = input;
      const found = await translated(JSON.stringify({ ...config, name }));
      const document = found.kind === "translated" ? found.value : null;
      const suite = isJsonObject(document) ? textOf(document["name"] ?? null) : "";
      // A name is a slug here: k-eval loses a whole run whose name has a slash.
      const stem = textOf(expected).replaceAll(/[^A-Za-z0-9_.-]+/g, "-");
      const run = {
        ...exampleRun({}),
        id: `run_${textOf(id)}`,
        completed_at: "2026-02-05T23:59:00.000Z",
      };
      const files = kEvalFiles({
        run: { ...run, suite: { ...run.suite, name: suite } },
        samples: noSamples,
      });
      const names: string[] = [];
      for await (const written of files) {
        for await (const piece of written.pieces) void piece;
        names.push(written.name);
      }
      expect(names).toEqual([`${stem}.detailed.jsonl`, `${stem}.json`]);
    },
  );
});
