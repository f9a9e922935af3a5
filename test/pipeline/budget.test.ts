import { describe, expect, it } from "vitest";
import { createBrake, type StopCause } from "../../src/pipeline/brake.ts";
import {
  budgetProblems,
  createMeter,
  nothingSpent,
  overspent,
  spentBefore,
  watchMinutes,
} from "../../src/pipeline/budget.ts";
import { assumedOutputTokens } from "../../src/pipeline/estimate.ts";
import { stopReason } from "../../src/pipeline/stop-reason.ts";
import type { GenerateRequest, Generated } from "../../src/domain/ports.ts";
import type { Usage } from "../../src/domain/sample.ts";
import type { Budget } from "../../src/domain/suite.ts";
import { createVirtualClock } from "../candidate/resilience/virtual-clock.ts";
import { commandSpec, modelSpec, noBudget } from "./specs.ts";

const prices = { main: { input: 1, cached_input: 0.5, output: 2 } };
const main = modelSpec("main", { prices });

function usage(usd: number | null, tokens = 100): Usage {
  return { input_tokens: tokens, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0, usd };
}

function answered(used: Usage | null): Generated {
  const nothing = { incomplete: false, transcript: null, responseId: null };
  return { kind: "answered", outputText: "4", ...nothing, usage: used };
}

function request(prompt: string): GenerateRequest {
  return { taskId: "qa", caseId: "c", repeat: 0, prompt, fields: {} };
}

function meter(budget: Partial<Budget>, earlier = nothingSpent) {
  const brake = createBrake(() => undefined);
  const made = createMeter(
    { budget: { ...noBudget, ...budget }, candidates: [main], earlier },
    brake,
  );
  const count = (candidate: string, asked: GenerateRequest, generated: Generated): boolean =>
    made.bill(candidate, asked).settle(generated);
  return { brake, count, ...made };
}

describe("a budget", () => {
  it.each([
    [{ usd: 1 }, { usd: 0.99, tokens: 9e9 }, undefined],
    [{ usd: 1 }, { usd: 1, tokens: 0 }, "usd"],
    [{ tokens: 10 }, { usd: 9e9, tokens: 9 }, undefined],
    [{ tokens: 10 }, { usd: 0, tokens: 11 }, "tokens"],
    [{}, { usd: 9e9, tokens: 9e9 }, undefined],
    [{ usd: 0 }, nothingSpent, "usd"],
  ])("of %o, spent %o", (budget, spent, unit) => {
    expect(overspent({ ...noBudget, ...budget }, spent)?.unit).toBe(unit);
  });

  it("stops the run when answers have used it up, and not before", () => {
    const { brake, count } = meter({ usd: 0.1 });
    count("main", request("q"), answered(usage(0.06)));
    expect(brake.cause()).toBeUndefined();
    count("main", request("q"), answered(usage(0.06)));
    expect(brake.cause()).toEqual({ kind: "budget_spent", unit: "usd", limit: 0.1 });
  });

  it("counts what failed and was charged all the same", () => {
    const { brake, count } = meter({ tokens: 100 });
    count("main", request("q"), {
      kind: "failed",
      type: "empty",
      message: "…",
      usage: usage(null),
    });
    expect(brake.cause()).toMatchObject({ unit: "tokens" });
  });

  it("counts what an answer may have used where the provider does not say", () => {
    const { spent, count } = meter({ usd: 1 });
    count("main", request("x".repeat(300)), answered(null));
    const tokens = 220 + assumedOutputTokens;
    expect(spent()).toEqual({ tokens, usd: (220 + assumedOutputTokens * 2) / 1e6 });
  });

  it("counts each of a request's answers as it comes, and their sum not again", () => {
    const { spent, brake, bill } = meter({ tokens: 250 });
    const { pay, settle } = bill("main", request("q"));
    expect([pay(usage(0.1)), pay(usage(0.1)), pay(usage(0.1))]).toEqual([true, true, false]);
    expect(brake.cause()).toMatchObject({ unit: "tokens" });
    settle({ kind: "failed", type: "empty_answer", message: "…", usage: usage(0.3, 300) });
    expect(spent().tokens).toBe(300);
  });

  it("counts nothing for a program that tells no usage", () => {
    const { spent, count } = meter({ usd: 1 });
    count("app", request("x".repeat(300)), answered(null));
    expect(spent()).toEqual(nothingSpent);
  });

  it("of a resumed run is what earlier attempts left of it", () => {
    const digest = { outcome: "scored" as const, scores: {}, latencyMs: 1, cached: false };
    const finished = new Map([
      ["a", { ...digest, usage: usage(0.2), judgeUsage: usage(0.1) }],
      // Its answer was paid for by another run, its judge by this one.
      ["c", { ...digest, usage: usage(9), judgeUsage: usage(0.1), cached: true }],
    ]);
    const answers = new Map([
      ["b", { generated: answered(usage(0.1)), latencyMs: 1, createdAt: "2026-11-21T12:00:00Z" }],
    ]);
    const earlier = spentBefore({ finished, answers });
    expect(earlier).toEqual({ usd: 0.5, tokens: 400 });
    expect(meter({ usd: 0.5 }, earlier).brake.cause()).toMatchObject({ unit: "usd" });
    expect(meter({ usd: 0.6 }, earlier).brake.cause()).toBeUndefined();
  });

  it("of a resumed run is what earlier attempts counted, where their samples tell less", () => {
    const finished = new Map();
    const answers = new Map([
      ["b", { generated: answered(usage(0.2)), latencyMs: 1, createdAt: "2026-11-21T12:00:00Z" }],
    ]);
    const again = { usd: 0.1, tokens: 50 };
    const told = { finished, answers, spent: { counted: nothingSpent, again } };
    expect(spentBefore(told)).toEqual({ usd: expect.closeTo(0.3, 9), tokens: 150 });
    const counted = { usd: 0.25, tokens: 520 };
    const both = spentBefore({ ...told, spent: { counted, again } });
    expect(both).toEqual({ usd: expect.closeTo(0.3, 9), tokens: 520 });
  });

  it("in minutes ends while everybody waits", async () => {
    const clock = createVirtualClock();
    const brake = createBrake(() => undefined);
    const { signal } = new AbortController();
    await clock.run(watchMinutes({ ...noBudget, minutes: 30 }, { ...clock, brake, signal }));
    expect(clock.elapsed()).toBe(30 * 60_000);
    expect(brake.cause()).toMatchObject({ unit: "minutes", limit: 30 });
  });

  it("in minutes does not outlive the run", async () => {
    const clock = createVirtualClock();
    const brake = createBrake(() => undefined);
    const done = new AbortController();
    const watching = watchMinutes(
      { ...noBudget, minutes: 30 },
      { ...clock, brake, signal: done.signal },
    );
    done.abort();
    await clock.run(watching);
    expect(brake.cause()).toBeUndefined();
  });
});

describe("a budget in dollars", () => {
  const place = { file: "suite.yaml", path: "run.budget.usd" };
  const unpriced = modelSpec("unknown");

  it("is refused for a model without a price, before the first call", () => {
    const problems = budgetProblems({ ...noBudget, usd: 5 }, [main, unpriced, commandSpec], place);
    expect(problems.map(({ code, place: at }) => [code, at])).toEqual([
      ["budget_price_unknown", place],
    ]);
    expect(problems[0]?.message).toContain("local:unknown");
  });

  it("is no matter where there is none", () => {
    expect(budgetProblems({ ...noBudget, tokens: 5 }, [unpriced], place)).toEqual([]);
  });
});

describe("why a run stopped itself", () => {
  const spent = { usd: 5.0312, tokens: 2_000_412 };
  const reached = { finished: 312, samples: 1000, spent };
  it.each<[StopCause, string]>([
    [
      { kind: "halted", candidate: "main", message: "openai refused the key: set OPENAI_API_KEY" },
      "The run was stopped, as every further request would fail: main: openai refused the key: set OPENAI_API_KEY. Finished: 312 of 1,000 samples; --resume goes on from there.",
    ],
    [
      { kind: "budget_spent", unit: "usd", limit: 5 },
      "The budget of $5.00 is spent: $5.03 with the calls that were under way. Finished: 312 of 1,000 samples. Raise run.budget.usd and go on with --resume: what is finished is kept.",
    ],
    [
      { kind: "budget_spent", unit: "tokens", limit: 2_000_000 },
      "The budget of 2,000,000 tokens is spent: 2,000,412 with the calls that were under way. Finished: 312 of 1,000 samples. Raise run.budget.tokens and go on with --resume: what is finished is kept.",
    ],
    [
      { kind: "budget_spent", unit: "minutes", limit: 30 },
      "The budget of 30 minutes is spent. Finished: 312 of 1,000 samples. Raise run.budget.minutes and go on with --resume: what is finished is kept.",
    ],
  ])("%o", (cause, words) => {
    expect(stopReason(cause, reached)).toBe(words);
  });

  it("is the first cause, told once", () => {
    let pulls = 0;
    const brake = createBrake(() => (pulls += 1));
    brake.pull({ kind: "halted", candidate: "a", message: "first" });
    brake.pull({ kind: "halted", candidate: "b", message: "second" });
    expect(brake.cause()).toMatchObject({ message: "first" });
    expect(pulls).toBe(1);
  });
});
