import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect } from "vitest";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";
import { startProvider } from "../support/provider/server.ts";
import { itSome } from "../support/rows.ts";

/** k-eval's own tests of its runner, through dist/cli.mjs: a stand-in for Claude Code and a model do what each vector's scripts say. */

type Step =
  | "ok"
  | { readonly error: string; readonly retriable: boolean }
  | { readonly tool_errors: readonly boolean[] }
  | { readonly raise: string };

interface Vector {
  readonly id: string;
  readonly kind: string;
  readonly params: {
    readonly samples: number;
    readonly conditions: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
    readonly num_repetitions: number;
    readonly max_concurrent: number;
    readonly retry: Readonly<Record<string, number>>;
  };
  readonly input: {
    readonly agent_script: readonly Step[];
    readonly judge_script: readonly Step[];
  };
  readonly expected: {
    readonly ok: boolean;
    readonly runs?: readonly (readonly [sample: string, condition: string, repetition: number])[];
    readonly agent_calls: number;
    readonly judge_calls: number;
  };
}

const file = new URL("../../../shared/vectors/keval.json", import.meta.url);
const all: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
const vectors = all.filter(({ kind }) => kind === "runner");

/** Where Regrade calls otherwise than k-eval, and why. */
const otherCalls: Readonly<Record<string, { readonly agent?: number; readonly judge?: number }>> = {
  // The judge is asked again without the agent.
  "keval-167": { agent: 1 },
  "keval-168": { judge: 2 },
};
/** An answer of the judge that is none is asked for again: what ended k-eval's run is scored. */
const scoredHere = ["keval-168"];

const standIn = `#!/usr/bin/env python3
import json, os, sys
FOLDER = "@folder@"
if sys.argv[1:2] == ["--version"]:
    print("2.1.197 (Claude Code)")
    sys.exit(0)
sys.stdin.read()
script = json.load(open(os.path.join(FOLDER, "script.json")))
log = os.path.join(FOLDER, "calls.log")
with open(log, "a") as calls:
    calls.write("x")
call = os.path.getsize(log) - 1
step = script[call] if call < len(script) else "ok"
say = lambda event: print(json.dumps(event))
say({"type": "system", "subtype": "init", "model": "m", "tools": [], "mcp_servers": []})
result = {"type": "result", "subtype": "success", "is_error": False, "result": "an answer", "num_turns": 1, "usage": {"input_tokens": 1, "output_tokens": 1}}
if step != "ok" and "raise" in step:
    sys.exit(step["raise"])
if step != "ok" and "error" in step:
    result.update(is_error=True, result=step["error"])
    if step["retriable"]:
        result.update(api_error_status=429)
for i, failed in enumerate(step["tool_errors"] if step != "ok" and "tool_errors" in step else []):
    use = {"type": "tool_use", "id": f"t{i}", "name": "mcp__graph__look", "input": {}}
    say({"type": "assistant", "message": {"content": [use]}})
    say({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": f"t{i}", "content": "found", "is_error": failed}]}})
say(result)
`;

const judged = JSON.stringify({
  factual_adherence: 4,
  factual_adherence_reasoning: "r",
  completeness: 3,
  completeness_reasoning: "r",
  helpfulness_and_clarity: 5,
  helpfulness_and_clarity_reasoning: "r",
  unverified_claims: [],
});

function configOf({ params }: Vector): string {
  const conditions = Object.entries(params.conditions).map(([name, condition]) => [
    name,
    {
      system_prompt: "p",
      ...condition,
      ...(Object.keys(condition).length > 0 && { mcp_servers: ["graph"] }),
    },
  ]);
  return JSON.stringify({
    name: "runner",
    version: "1",
    dataset: { path: "q.jsonl", question_key: "q", answer_key: "a" },
    agent: { type: "claude_code_sdk", model: "m" },
    judge: { model: "ollama/judge", temperature: 0 },
    mcp_servers: { graph: { type: "stdio", command: "graph-server" } },
    conditions: Object.fromEntries(conditions),
    execution: {
      num_repetitions: params.num_repetitions,
      max_concurrent: params.max_concurrent,
      retry: params.retry,
    },
  });
}

async function run(vector: Vector) {
  const { input, params } = vector;
  await using model = await startProvider({
    script: ({ index }) => {
      const step = input.judge_script[index];
      if (step === undefined || step === "ok" || !("error" in step)) return undefined;
      return step.retriable
        ? { kind: "status", status: 429, body: { error: { message: step.error } } }
        : { kind: "answer", text: "no JSON" };
    },
    answer: () => judged,
  });
  await using fixture = await createFixture({
    "config.yaml": configOf(vector),
    "own.yaml": JSON.stringify({
      uses: "config.yaml",
      providers: { ollama: { base_url: model.url, api: "responses" } },
    }),
    "q.jsonl": jsonLines(
      Array.from({ length: params.samples }, (_, i) => ({ q: `q${i}?`, a: "a" })),
    ),
    "script.json": JSON.stringify(input.agent_script),
    "calls.log": "",
  });
  const bin = join(fixture.path, "bin");
  await mkdir(bin);
  const program = standIn.replace("@folder@", fixture.path);
  await writeFile(join(bin, "claude"), program, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env["PATH"]}`, ANTHROPIC_API_KEY: "anthropic-key-1234" };
  const argv = ["run", "own.yaml", "--baseline", "none", "--out", "run"];
  const end = await regrade(argv, { in: fixture.path, env });
  const { samples } = await readRunDirectory(join(fixture.path, "run"));
  return {
    end,
    samples,
    agentCalls: (await fixture.readFile("calls.log", "utf8")).length,
    judgeCalls: model.count(),
    peak: model.peak(),
  };
}

describe.skipIf(vectors.length === 0)("k-eval's runner (skipped without ../shared)", () => {
  itSome(vectors.map((each) => [each.id, each] as const))(
    "%s: the same calls and runs; what ends k-eval's run for good is told of that sample alone",
    async (id, vector) => {
      const { expected, params } = vector;
      const { end, samples, agentCalls, judgeCalls, peak } = await run(vector);
      const calls = otherCalls[id];
      expect({ agentCalls, judgeCalls }, end.stderr).toEqual({
        agentCalls: calls?.agent ?? expected.agent_calls,
        judgeCalls: calls?.judge ?? expected.judge_calls,
      });
      expect(peak).toBeLessThanOrEqual(params.max_concurrent);
      const found = samples.map(({ prompt, model, repeat }) =>
        JSON.stringify([prompt.replace(/\D/g, ""), model, repeat]),
      );
      const conditions = Object.keys(params.conditions);
      const planned = params.samples * conditions.length * params.num_repetitions;
      expect(samples).toHaveLength(planned);
      if (expected.ok)
        expect(new Set(found)).toEqual(new Set(expected.runs?.map((one) => JSON.stringify(one))));
      const isScored = expected.ok || scoredHere.includes(id);
      for (const { error, scores } of samples)
        expect({ error: error === null, scored: Object.keys(scores).length >= 3 }).toEqual({
          error: isScored,
          scored: isScored,
        });
    },
  );
});
