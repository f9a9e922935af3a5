import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Translated } from "../../src/base/foreign.ts";
import { translateKEval } from "../../src/dialects/k-eval/translate.ts";
import { parseManifest } from "../../src/manifest/parse.ts";

interface Vector {
  readonly id: string;
  readonly kind: string;
  readonly params: { readonly env?: Readonly<Record<string, string>> };
  readonly input: string | null;
  readonly expected: Readonly<Record<string, unknown>>;
}

const vectors: readonly Vector[] = JSON.parse(
  readFileSync("test/fixtures/k-eval/vectors.json", "utf8"),
);

const row = '{"question": "q", "answer": "a"}\n';

const config = JSON.stringify({
  name: "x",
  version: "1",
  dataset: { path: "q.jsonl", question_key: "question", answer_key: "answer" },
  agent: { type: "claude_code_sdk", model: "m" },
  judge: { model: "gpt-4.1", temperature: 0 },
  mcp_servers: {},
  conditions: { baseline: { system_prompt: "p" } },
  execution: { num_repetitions: 1, max_concurrent: 1 },
});

function of(kind: string): readonly (readonly [string, Vector])[] {
  return vectors.filter((each) => each.kind === kind).map((each) => [each.id, each] as const);
}

async function translated(
  text: string,
  {
    environment = {},
    dataset = row,
  }: { environment?: Readonly<Record<string, string>>; dataset?: string | undefined },
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
    pythonFiles: async () => [],
    parse: () => undefined,
  });
}

/** Without `retry` Regrade takes its own. */
const taken = ["keval-265"];

describe("k-eval's own tests", () => {
  it.each(of("config_yaml"))("config %s is taken or refused as k-eval does", async (id, vector) => {
    const { input, params, expected } = vector;
    const found = await translated(input ?? "", { environment: params.env ?? {} });
    const isRefused = JSON.stringify(expected).includes('"error"') && !taken.includes(id);
    expect(found.kind).toBe(isRefused ? "refused" : "translated");
  });

  it.each(of("dataset"))("data set %s is taken or refused as k-eval does", async (id, vector) => {
    const { input, expected } = vector;
    const found = await translated(config, { dataset: input ?? "" });
    // A raw U+2028 is a character of a JSON text, and no end of a line.
    const isRefused = "error" in expected && id !== "keval-232";
    expect(found.kind).toBe(isRefused ? "refused" : "translated");
  });
});
