import { createFixture } from "fs-fixture";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProgramModels } from "../../src/model/ports/bridge.ts";
import type { Graded } from "../../src/model/grading.ts";
import type { GraderProgram, OpenProgram, PythonTools } from "../../src/model/ports/programs.ts";
import { runSuite } from "../../src/runs/run-suite.ts";
import { openSecrets, openTools } from "../../src/wiring.ts";
import { readRunDirectory } from "../end-to-end/run-cli.ts";
import { good, type Day } from "../support/provider/days.ts";
import { startProvider, type Seen } from "../support/provider/server.ts";

/** A grader that asks the judge twice, as one in Python would, but for Python. */
async function gradeWith(models: ProgramModels | undefined, subject: string): Promise<Graded> {
  for (const index of [0, 1]) {
    const input = `${subject} question ${index}`;
    await models?.call({ subject, index, helper: "responses_create", request: { input } });
    // A process that took over from one that died would ask again.
    await models?.call({ subject, index, helper: "responses_create", request: { input } });
  }
  return { kind: "scored", scores: { score: 1 }, judge: null, printed: null };
}

const openProgram: OpenProgram = async ({ models }) => {
  const program: GraderProgram = {
    files: [{ path: "grader.py", sha256: "sha256:0" }],
    runsText: undefined,
    grade: (sample) => gradeWith(models, sample.sample_id),
    hurry: () => undefined,
    gradeBatch: () => Promise.reject(new Error("not asked")),
    close: async () => undefined,
  };
  return { program };
};

const notAsked = (): Promise<never> => Promise.reject(new Error("not asked"));
const python: PythonTools = {
  version: "3.12.0",
  openProgram,
  openPreprocessor: notAsked,
  openHeldProgram: notAsked,
  searchRegex: notAsked,
  checkRegex: async () => undefined,
  probeRegex: async () => "harmless",
  sandbox: () => undefined,
  close: async () => undefined,
};

const judged = (seen: Seen): Day | undefined =>
  seen.model === "judge" ? good("yes", { outputTokens: 1, inputTokens: 7 }) : undefined;

/** Second questions are held back by a filter. */
const down = (seen: Seen): Day | undefined =>
  seen.prompt.endsWith("question 1")
    ? {
        kind: "status",
        status: 400,
        body: { error: { code: "content_filter", message: "flagged" } },
      }
    : judged(seen);

async function run(settings: string, script: (seen: Seen) => Day | undefined = judged) {
  await using server = await startProvider({ script });
  const rows = Array.from({ length: 10 }, (_, i) => `{"id": "c${i}", "word": "w${i}"}\n`);
  await using fixture = await createFixture({
    "words.jsonl": rows.join(""),
    "grader.py": "",
    "suite.yaml": [
      "dataset: words.jsonl",
      'prompt_template: "Say {{word}}"',
      "grader: { type: python, contract: model_backed, file: grader.py, max_model_calls: 2 }",
      `providers: { local: { base_url: "${server.url}", api_key_env: LOCAL_KEY, prices: { judge: { input: 0, output: 1000000 }, m: { input: 0, output: 0 } } } }`,
      "candidates: { main: local:m }",
      `run: { judge_model: local:judge, ${settings} }`,
      "gate: none",
    ].join("\n"),
  });
  const env = { LOCAL_KEY: "sk-local-12345" };
  const said: string[] = [];
  const options = {
    python: "python3",
    sandbox: "auto" as const,
    report: (event: { kind: string; text?: string }) => void said.push(event.text ?? event.kind),
    secrets: openSecrets(env),
    signal: new AbortController().signal,
    env,
    workingDirectory: fixture.path,
  };
  const tools = { ...openTools(options), startPython: async () => python };
  const out = join(fixture.path, "out");
  const request = {
    manifest: join(fixture.path, "suite.yaml"),
    out,
    baseline: undefined,
    candidates: [],
    tasks: [],
    resume: false,
    cache: false,
    publish: "ids" as const,
    git: { sha: null, base_sha: null, ref: null },
  };
  await runSuite(request, tools);
  return { ...(await readRunDirectory(out)), said, asked: server.requests };
}

describe("a run whose graders ask models", () => {
  it("pays each call once, and tells what it paid apart", async () => {
    const { run: told, samples, asked, said } = await run("concurrency: 4");
    expect(asked.filter(({ model }) => model === "judge")).toHaveLength(20);
    expect(told.usage).toMatchObject({
      usd: 0,
      judge_usd: 20,
      judge_input_tokens: 140,
      judge_output_tokens: 20,
    });
    for (const { model_calls } of samples) expect(model_calls).toHaveLength(2);
    expect(said.join("\n")).toContain("at most 20 calls (max_model_calls for each sample)");
  });

  it("ends within its budget, and leaves the samples without a verdict to a later run", async () => {
    const { run: told, samples, text } = await run("concurrency: 1, budget: { usd: 5 }");
    expect([told.status, told.gate.verdict]).toEqual(["failed", "error"]);
    expect(told.stopped).toContain("The budget of $5.00 is spent");
    expect(told.usage.judge_usd).toBeLessThanOrEqual(6);
    // Without a verdict stands only what something was paid for: it is judged again.
    const left = samples.filter((sample) => sample.status !== "completed");
    expect(left.every(({ model_calls }) => model_calls?.some(({ usage }) => usage))).toBe(true);
    expect(text).not.toContain("sk-local");
  });

  it("leaves a sample ungraded whose judge was not heard, and keeps what it asked", async () => {
    const { run: told, samples } = await run("concurrency: 4", down);
    expect(told.cases).toMatchObject({ scored: 0, ungraded: 10 });
    expect(samples[0]).toMatchObject({
      error: { stage: "grade", fault: "infra", type: "content_policy" },
      model_calls: [{ output_text: "yes" }, { output_text: null, usage: null }],
    });
    expect(told.usage.judge_usd).toBe(10);
  });
});
