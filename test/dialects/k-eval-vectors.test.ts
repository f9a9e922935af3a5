import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Translated } from "../../src/base/foreign.ts";
import { translateKEval } from "../../src/dialects/k-eval/translate.ts";
import { parseManifest } from "../../src/manifest/parse.ts";
import { withVariables } from "../../src/model/agent.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";

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
});
