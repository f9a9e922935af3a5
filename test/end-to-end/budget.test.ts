import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { runCli, type CliEnd } from "./run-cli.ts";
import type { RunPlan } from "../../src/model/figures/plan.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import { good, serverError, tooMany, unauthorized, type Day } from "../support/provider/days.ts";
import { startProvider, type Provider } from "../support/provider/server.ts";

function regrade(directory: string, ...args: readonly string[]): Promise<CliEnd> {
  return runCli(args, { directory, env: { LOCAL_KEY: "sk-local", NO_COLOR: "1" } });
}

interface Parts {
  readonly cases?: number;
  readonly run?: string;
  readonly prices?: string;
}

/** The provider answers with the prompt's last word: every answer is right. */
function suite(
  { url }: Provider,
  { cases = 60, run = "{}", prices = "" }: Parts,
): Record<string, string> {
  const rows = Array.from({ length: cases }, (_, i) => `{"id": "c${i}", "word": "w${i}"}\n`);
  return {
    "words.jsonl": rows.join(""),
    "suite.yaml": [
      "name: words",
      "dataset: words.jsonl",
      'prompt_template: "Say {{word}}"',
      'target_template: "{{word}}"',
      "grader: exact_match",
      `providers: { local: { base_url: "${url}", api_key_env: LOCAL_KEY${prices} } }`,
      "candidates: { main: { model: local:m, max_output_tokens: 10 } }",
      `run: ${run}`,
      "gate: { rules: [{ metric: exact_match, min: 0.8 }] }",
      "",
    ].join("\n"),
  };
}

/** A dollar for each answer of a word. */
const dear = ', prices: { "m": { input: 0, output: 1000000 } }';

async function readRun(directory: string, out = "out"): Promise<Run> {
  return JSON.parse(await readFile(join(directory, out, "run.json"), "utf8")) as Run;
}

describe("a dry run", () => {
  it(
    "says what a run would ask and cost, asks nobody and writes nothing",
    { tags: "smoke" },
    async () => {
      await using provider = await startProvider();
      const parts = { run: "{ budget: { usd: 5 } }", prices: dear };
      await using fixture = await createFixture(suite(provider, parts));
      const end = await regrade(fixture.path, "run", "suite.yaml", "--dry-run", "--out", "out");
      expect(end).toMatchObject({ code: 0, stderr: "" });
      expect(end.stdout).toContain("60 samples, 60 requests, at most");
      expect(end.stdout).toContain("$600.00");
      expect(end.stdout).toContain("Budget: $5.00; the estimate is above it");
      expect(provider.count()).toBe(0);
      expect((await readdir(fixture.path)).toSorted()).toEqual(["suite.yaml", "words.jsonl"]);
    },
  );

  it("is data for programs with --json", async () => {
    await using provider = await startProvider();
    await using fixture = await createFixture(suite(provider, {}));
    const end = await regrade(fixture.path, "run", "suite.yaml", "--dry-run", "--json");
    const plan = JSON.parse(end.stdout) as RunPlan;
    expect(plan.parts).toMatchObject([
      {
        task: "words",
        candidate: "main",
        samples: 60,
        requests: 60,
        grader_calls: 0,
        output_tokens: 600,
        usd: null,
      },
    ]);
  });

  it("refuses what a run would refuse", async () => {
    await using provider = await startProvider();
    await using fixture = await createFixture(suite(provider, { run: "{ budget: { usd: 5 } }" }));
    const end = await regrade(fixture.path, "run", "suite.yaml", "--dry-run");
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("no price is known for local:m");
    expect(end.stderr).toContain("suite.yaml:8");
  });
});

describe("a budget", () => {
  it("stops the run with an error and its reason; more of it goes on without asking twice", async () => {
    await using provider = await startProvider({ latencyMs: 5 });
    const parts = { cases: 200, run: "{ budget: { usd: 30 } }", prices: dear };
    await using fixture = await createFixture(suite(provider, parts));
    const end = await regrade(fixture.path, "run", "suite.yaml", "--out", "out");
    expect(end.code).toBe(4);
    const first = await readRun(fixture.path);
    expect(first).toMatchObject({ status: "failed", gate: { verdict: "error" } });
    expect(first.gate.reasons).toEqual([first.stopped]);
    // An answer costs a dollar, and may cost ten: three were under way at once.
    expect(first.stopped).toContain(
      "The budget of $30.00 has $9.00 left, and the next request may cost $10.00",
    );
    const asked = provider.count();
    expect(asked).toBe(21);
    expect(first.request_counts).toEqual({ total: asked, completed: asked, failed: 0 });
    expect(end.stdout).toContain(`${asked} of 200 samples`);

    const more = suite(provider, { ...parts, run: "{ budget: { usd: 300 } }" });
    await writeFile(join(fixture.path, "suite.yaml"), more["suite.yaml"] ?? "");
    const resumed = await regrade(fixture.path, "run", "suite.yaml", "--out", "out", "--resume");
    expect(resumed.code).toBe(0);
    expect(await readRun(fixture.path)).toMatchObject({ status: "completed", stopped: null });
    expect(provider.count()).toBe(200);
  });

  it("holds though nobody knows how long an answer will be, and many could be under way", async () => {
    await using provider = await startProvider({
      latencyMs: 50,
      script: () => good("w", { outputTokens: 1 }),
    });
    const parts = { cases: 200, run: "{ budget: { usd: 10 } }", prices: dear };
    const files = suite(provider, parts);
    const manifest = files["suite.yaml"]?.replace(", max_output_tokens: 10", "") ?? "";
    await using fixture = await createFixture({ ...files, "suite.yaml": manifest });
    expect((await regrade(fixture.path, "run", "suite.yaml", "--out", "out")).code).toBe(4);
    expect((await readRun(fixture.path)).usage.usd).toBe(10);
    expect(provider.count()).toBe(10);
  });

  it("keeps the reason for whoever compares the run later", async () => {
    await using provider = await startProvider({ latencyMs: 5 });
    await using fixture = await createFixture(suite(provider, { prices: dear }));
    expect(await regrade(fixture.path, "run", "suite.yaml", "--out", "base")).toMatchObject({
      code: 0,
    });
    const less = suite(provider, { prices: dear, run: "{ budget: { tokens: 20 } }" });
    await writeFile(join(fixture.path, "suite.yaml"), less["suite.yaml"] ?? "");
    await regrade(fixture.path, "run", "suite.yaml", "--out", "head", "--no-cache");
    const end = await regrade(fixture.path, "compare", "base", "head", "--json");
    expect(end.code).toBe(4);
    const { stopped } = await readRun(fixture.path, "head");
    expect((JSON.parse(end.stdout) as Run).gate.reasons).toEqual([stopped]);
  });

  it(
    "that ends while the last samples wait out a pause is told, and they are left to a resumption",
    { tags: "long" },
    async () => {
      let isOver = false;
      await using provider = await startProvider({
        script: () => (isOver ? undefined : tooMany({ "retry-after": "60" })),
      });
      const parts = { cases: 2, run: "{ budget: { minutes: 0.05 } }" };
      await using fixture = await createFixture(suite(provider, parts));
      const end = await regrade(fixture.path, "run", "suite.yaml", "--out", "out");
      expect(end.code).toBe(4);
      const run = await readRun(fixture.path);
      expect(run.stopped).toContain("The budget of 0.05 minutes is spent");
      isOver = true;
      const more = (await readFile(join(fixture.path, "suite.yaml"), "utf8")).replace("0.05", "5");
      await writeFile(join(fixture.path, "suite.yaml"), more);
      const resumed = await regrade(fixture.path, "run", "suite.yaml", "--out", "out", "--resume");
      expect(resumed.code, resumed.stderr).toBe(0);
    },
  );

  it("that stops a rerun of failed samples is told, and its count goes on with --resume", async () => {
    let isWell = false;
    await using provider = await startProvider({
      script: () => (isWell ? undefined : serverError()),
    });
    const parts = { cases: 12, run: "{ concurrency: 1, budget: { tokens: 60 } }" };
    const files = suite(provider, parts);
    const manifest = files["suite.yaml"]?.replace(
      "max_output_tokens: 10",
      "max_output_tokens: 10, max_retries: 0",
    );
    await using fixture = await createFixture({ ...files, "suite.yaml": manifest ?? "" });
    await regrade(fixture.path, "run", "suite.yaml", "--out", "out", "--no-cache");
    isWell = true;
    const before = provider.count();
    const end = await regrade(fixture.path, "rerun-failed", "out");
    expect(end.code).toBe(4);
    expect((await readRun(fixture.path)).stopped).toContain("The budget of 60 tokens has ");
    const asked = provider.count() - before;
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(12);
    await regrade(fixture.path, "run", "suite.yaml", "--out", "out", "--resume", "--no-cache");
    expect(provider.count() - before).toBe(asked);
  });
});

describe("a budget and a model that says nothing", () => {
  it("is not overrun by asking again, and all that was paid for is recorded", async () => {
    await using provider = await startProvider({
      latencyMs: 20,
      script: () => good("", { inputTokens: 10, outputTokens: 5 }),
    });
    const run = "{ budget: { tokens: 150 }, generation: { max_empty_retries: 10 } }";
    await using fixture = await createFixture(suite(provider, { cases: 200, run }));
    const end = await regrade(fixture.path, "run", "suite.yaml", "--out", "out");
    expect(end.code).toBe(4);
    // Ten answers are the budget; each is taken to need 35 tokens before it is there.
    expect(provider.count()).toBeGreaterThanOrEqual(8);
    expect(provider.count()).toBeLessThanOrEqual(10);
    const { usage, stopped } = await readRun(fixture.path);
    expect(usage.input_tokens + usage.output_tokens).toBe(15 * provider.count());
    expect(stopped).toContain("The budget of 150 tokens has 30 tokens left");
  });

  it("leaves what it cut short for a resumption, though it was the last", async () => {
    await using provider = await startProvider({ script: () => good("") });
    const run = "{ budget: { tokens: 36 }, generation: { max_empty_retries: 10 } }";
    await using fixture = await createFixture(suite(provider, { cases: 1, run }));
    const end = await regrade(fixture.path, "run", "suite.yaml", "--out", "out");
    expect(end.code).toBe(4);
    expect(provider.count()).toBe(1);
    expect(await readRun(fixture.path)).toMatchObject({ status: "failed" });
  });
});

describe("a run of a model without a known price", () => {
  it("does not say that it was free", async () => {
    await using provider = await startProvider();
    await using fixture = await createFixture(suite(provider, { cases: 5 }));
    const end = await regrade(fixture.path, "run", "suite.yaml", "--out", "out");
    expect(end.stdout).toContain("$0.00 and what has no known price");
    expect((await readRun(fixture.path)).usage).toMatchObject({ usd: 0, unpriced: true });
    const summary = await readFile(join(fixture.path, "out", "summary.md"), "utf8");
    expect(summary).toContain("0.00 and what has no known price");
  });
});

describe("a resumed run", () => {
  const unsaid = { id: "x", object: "chat.completion", created: 0, model: "m" };
  const noUsage = (message: object): Day => {
    const whole = { role: "assistant", ...message };
    const choices = [{ index: 0, message: whole, finish_reason: "stop" }];
    return { kind: "status", status: 200, body: { ...unsaid, choices } };
  };

  it.each([
    ["answers", noUsage({ content: "w1" })],
    ["refusals", noUsage({ content: null, refusal: "No." })],
  ])("knows what was spent on %s of a provider that does not say", async (_, day) => {
    await using provider = await startProvider({ script: () => day });
    const run = "{ concurrency: 1, budget: { tokens: 150 } }";
    await using fixture = await createFixture(suite(provider, { run }));
    await regrade(fixture.path, "run", "suite.yaml", "--out", "out");
    const asked = provider.count();
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(10);
    const { stopped } = await readRun(fixture.path);
    const end = await regrade(fixture.path, "run", "suite.yaml", "--out", "out", "--resume");
    expect(end.code).toBe(4);
    expect([provider.count(), (await readRun(fixture.path)).stopped]).toEqual([asked, stopped]);
  });

  it("knows what its ungraded samples took", async () => {
    await using provider = await startProvider({
      script: ({ index }) => (index % 2 === 0 ? good("") : serverError()),
    });
    const generation = "generation: { max_retries: 0, max_empty_retries: 3 }";
    const run = `{ concurrency: 1, budget: { tokens: 20 }, ${generation} }`;
    await using fixture = await createFixture(suite(provider, { run }));
    await regrade(fixture.path, "run", "suite.yaml", "--out", "out");
    const asked = provider.count();
    await regrade(fixture.path, "run", "suite.yaml", "--out", "out", "--resume");
    expect(provider.count()).toBe(asked);
  });
});

describe("a key that is refused", () => {
  it("stops at once, with one message that says what to set", async () => {
    await using provider = await startProvider({ script: () => unauthorized("sk-local") });
    await using fixture = await createFixture(suite(provider, { cases: 500 }));
    const end = await regrade(fixture.path, "run", "suite.yaml", "--out", "out");
    expect(end.code).toBe(4);
    expect(provider.count()).toBeLessThanOrEqual(20);
    const { gate, status } = await readRun(fixture.path);
    expect(status).toBe("failed");
    expect(gate.reasons).toHaveLength(1);
    expect(gate.reasons[0]).toContain("LOCAL_KEY");
    expect(gate.reasons[0]).toContain("0 of 500 samples");
    expect(JSON.stringify([gate, end])).not.toContain("sk-local");
  });
});

describe("a provider that asks for a pause", () => {
  it("is told of, left alone and asked again", async () => {
    await using provider = await startProvider({
      script: ({ index }) => (index === 3 ? tooMany({ "retry-after": "2" }) : undefined),
      latencyMs: 5,
    });
    await using fixture = await createFixture(suite(provider, {}));
    const end = await regrade(fixture.path, "run", "suite.yaml", "--out", "out");
    expect(end.code).toBe(0);
    expect(end.stderr).toContain("local asks to wait 2.0 s");
    expect(provider.count()).toBe(61);
    const times = provider.requests.map(({ at }) => at);
    const silences = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    // What was on its way already takes some of the two seconds.
    expect(Math.max(...silences)).toBeGreaterThan(1000);
  });
});
