import { describe, expect, it } from "vitest";
import { createStopSignal } from "../../src/run/stop.ts";
import type { StopCause } from "../../src/model/figures/spending.ts";
import { overspent, spentBefore, watchMinutes } from "../../src/run/budget.ts";
import { budgetProblems } from "../../src/suite/budget-problems.ts";
import { nothingSpent } from "../../src/model/figures/spent.ts";
import { stopReason } from "../../src/report/words/stop.ts";
import type { Generated } from "../../src/model/models/candidate.ts";
import type { Usage } from "../../src/model/outcomes/sample.ts";
import { createVirtualClock } from "../candidate/resilience/virtual-clock.ts";
import { commandSpec, modelSpec, noBudget } from "../support/specs.ts";

const prices = { main: { input: 1, cached_input: 0.5, output: 2 } };
const main = modelSpec("main", { prices });

function usage(usd: number | null, tokens = 100): Usage {
  return { input_tokens: tokens, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0, usd };
}

function answered(used: Usage | null): Generated {
  const nothing = { incomplete: false, transcript: null, responseId: null };
  return { kind: "answered", outputText: "4", ...nothing, usage: used };
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
    const stopSignal = createStopSignal(() => undefined);
    const { signal } = new AbortController();
    await clock.run(
      watchMinutes({ ...noBudget, minutes: 30 }, { ...clock, stopSignal: stopSignal, signal }),
    );
    expect(clock.elapsed()).toBe(30 * 60_000);
    expect(stopSignal.cause()).toMatchObject({ unit: "minutes", limit: 30 });
  });

  it("in minutes does not outlive the run", async () => {
    const clock = createVirtualClock();
    const stopSignal = createStopSignal(() => undefined);
    const done = new AbortController();
    const watching = watchMinutes(
      { ...noBudget, minutes: 30 },
      { ...clock, stopSignal: stopSignal, signal: done.signal },
    );
    done.abort();
    await clock.run(watching);
    expect(stopSignal.cause()).toBeUndefined();
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
      { kind: "budget_spent", unit: "usd", limit: 5.04, next: 0.0512 },
      "The budget of $5.04 has $0.00880 left, and the next request may cost $0.0512. Finished: 312 of 1,000 samples. Raise run.budget.usd and go on with --resume: what is finished is kept.",
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
    const stopSignal = createStopSignal(() => (pulls += 1));
    stopSignal.stop({ kind: "halted", candidate: "a", message: "first" });
    stopSignal.stop({ kind: "halted", candidate: "b", message: "second" });
    expect(stopSignal.cause()).toMatchObject({ message: "first" });
    expect(pulls).toBe(1);
  });
});
