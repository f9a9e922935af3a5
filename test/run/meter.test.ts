import { describe, expect, it } from "vitest";
import type { ModelAsk } from "../../src/model/ports/bridge.ts";
import type { GenerateRequest, Generated } from "../../src/model/models/candidate.ts";
import type { Usage } from "../../src/model/outcomes/sample.ts";
import type { Budget } from "../../src/model/definition/suite.ts";
import type { Generation } from "../../src/model/definition/candidate-spec.ts";
import { createStopSignal } from "../../src/run/stop.ts";
import { assumedOutputTokens } from "../../src/plan/estimate.ts";
import { createMeter, type Beside } from "../../src/run/meter.ts";
import type { Meter } from "../../src/model/figures/spending.ts";
import { nothingSpent } from "../../src/model/figures/spent.ts";
import { modelSpec, noBudget } from "../support/specs.ts";

const prices = { main: { input: 1, cached_input: 0.5, output: 2 } };

function usage(usd: number | null, tokens = 100, output = 0): Usage {
  const known = { cached_tokens: 0, reasoning_tokens: 0, usd };
  return { input_tokens: tokens - output, output_tokens: output, ...known };
}

function answered(used: Usage | null): Generated {
  const nothing = { incomplete: false, transcript: null, responseId: null };
  return { kind: "answered", outputText: "4", ...nothing, usage: used };
}

function request(prompt = ""): GenerateRequest {
  return { taskId: "qa", caseId: "c", repeat: 0, prompt, fields: {} };
}

interface Parts {
  readonly budget: Partial<Budget>;
  readonly generation?: Partial<Generation>;
  readonly beside?: Beside;
}

function open({ budget, generation = {}, beside }: Parts) {
  const stopSignal = createStopSignal(() => undefined);
  const candidates = [modelSpec("main", { prices, generation })];
  const spending = { budget: { ...noBudget, ...budget }, candidates, earlier: nothingSpent };
  const meter = createMeter({ ...spending, ...(beside && { beside }) }, stopSignal);
  /** One request from its beginning to its end. */
  const count = async (id: string, asked: GenerateRequest, end: Generated): Promise<void> => {
    const bill = await meter.reserve(id, asked);
    bill?.settle(end);
    bill?.release();
  };
  return { stopSignal: stopSignal, meter, count };
}

/** Which of some promises are settled, once all that can go on has gone on. */
async function settled(promises: readonly Promise<unknown>[]): Promise<readonly boolean[]> {
  const done = promises.map(() => false);
  for (const [i, each] of promises.entries()) void each.then(() => (done[i] = true));
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  return done;
}

const requestTokens = 20;
const ask = (meter: Meter) => meter.reserve("main", request());

describe("a meter", () => {
  it("stops the run when answers have used up the budget, and not before", async () => {
    const { stopSignal, count } = open({ budget: { usd: 0.1 } });
    await count("app", request("q"), answered(usage(0.04)));
    expect(stopSignal.cause()).toBeUndefined();
    await count("app", request("q"), answered(usage(0.06)));
    expect(stopSignal.cause()).toEqual({ kind: "budget_spent", unit: "usd", limit: 0.1 });
  });

  it("counts what failed and was charged all the same", async () => {
    const { stopSignal, count } = open({ budget: { tokens: 100 } });
    const failed = { kind: "failed", type: "empty", message: "…", usage: usage(null) } as const;
    await count("main", request("q"), failed);
    expect(stopSignal.cause()).toMatchObject({ unit: "tokens" });
  });

  it("counts what an answer may have used where the provider does not say", async () => {
    const { meter, count } = open({ budget: { usd: 1 } });
    await count("main", request("x".repeat(300)), answered(null));
    const tokens = 220 + assumedOutputTokens;
    expect(meter.spent()).toEqual({ tokens, usd: (220 + assumedOutputTokens * 2) / 1e6 });
  });

  it("counts each of a request's answers as it comes, and their sum not again", async () => {
    const { stopSignal, meter } = open({ budget: { tokens: 250 } });
    const bill = await meter.reserve("main", request("q"));
    if (bill === undefined) throw new Error("it was not let through");
    expect(await bill.pay(usage(0.1), true)).toBe(true);
    expect(await bill.pay(usage(0.1), true)).toBe(true);
    expect(await bill.pay(usage(0.1), true)).toBe(false);
    expect(stopSignal.cause()).toMatchObject({ unit: "tokens" });
    bill.settle({ kind: "failed", type: "empty_answer", message: "…", usage: usage(0.3, 300) });
    expect(meter.spent().tokens).toBe(300);
  });

  it("counts nothing for a program that tells no usage", async () => {
    const { meter, count } = open({ budget: { usd: 1 } });
    await count("app", request("x".repeat(300)), answered(null));
    expect(meter.spent()).toEqual(nothingSpent);
  });
});

describe("what requests under way may cost together", () => {
  const budget = { tokens: 3 * (requestTokens + 80) };

  it("is never more than the budget: others wait, and go on with what was not used", async () => {
    const { meter } = open({ budget, generation: { max_output_tokens: 80 } });
    const asked = Array.from({ length: 5 }, () => ask(meter));
    expect(await settled(asked)).toEqual([true, true, true, false, false]);
    const first = await asked[0];
    first?.settle(answered(usage(null, 0)));
    first?.release();
    expect(await settled(asked)).toEqual([true, true, true, true, false]);
  });

  it("ends the run where the next request does not fit, though nothing is under way", async () => {
    const { meter, stopSignal, count } = open({ budget, generation: { max_output_tokens: 80 } });
    await count("main", request(), answered(usage(null, 100)));
    await count("main", request(), answered(usage(null, 101)));
    expect(await ask(meter)).toBeUndefined();
    const limit = budget.tokens;
    expect(stopSignal.cause()).toEqual({ kind: "budget_spent", unit: "tokens", limit, next: 100 });
  });

  it("is unknown before the first answer where no limit is set: the first request goes alone", async () => {
    const { meter } = open({ budget: { tokens: 1000 } });
    const asked = Array.from({ length: 4 }, () => ask(meter));
    expect(await settled(asked)).toEqual([true, false, false, false]);
    const first = await asked[0];
    first?.settle(answered(usage(null, 420, 400)));
    first?.release();
    // Each is taken to be like the first: there is room for one.
    expect(await settled(asked)).toEqual([true, true, false, false]);
  });

  it("is learnt from answers alone: a request without one tells nothing", async () => {
    const { meter, count } = open({ budget: { tokens: 1000 } });
    await count("main", request(), { kind: "unavailable", type: "timeout", message: "…" });
    expect(await settled([ask(meter), ask(meter)])).toEqual([true, false]);
  });

  it("is counted with what others hold who spend of the same budget, and waits for them", async () => {
    let [held, released] = [{ usd: 0, tokens: 250 }, 0];
    const beside: Beside = {
      spent: () => nothingSpent,
      held: () => held,
      onRelease: () => (released += 1),
    };
    const { meter, stopSignal } = open({ budget, generation: { max_output_tokens: 80 }, beside });
    const asked = [ask(meter)];
    expect(await settled(asked)).toEqual([false]);
    held = nothingSpent;
    meter.changed();
    expect(await settled(asked)).toEqual([true]);
    expect(stopSignal.cause()).toBeUndefined();
    (await asked[0])?.release();
    expect(released).toBe(1);
  });

  it("is that of a grader's calls too", async () => {
    const { meter } = open({ budget: { tokens: 250 } });
    const call: ModelAsk = {
      model: modelSpec("judge"),
      helper: "responses_create",
      request: { input: "q", max_output_tokens: 100 },
      signal: new AbortController().signal,
    };
    const asked = [meter.reserveCall(call), meter.reserveCall(call)];
    expect(await settled(asked)).toEqual([true, false]);
  });

  it("matters to nobody without a budget", async () => {
    const { meter } = open({ budget: {} });
    const asked = Array.from({ length: 100 }, () => ask(meter));
    expect((await settled(asked)).every(Boolean)).toBe(true);
  });

  it("is nobody's business once the run has ended: who waits is sent away", async () => {
    const { meter, stopSignal } = open({ budget: { tokens: 1000 } });
    const asked = [ask(meter), ask(meter), ask(meter)];
    await settled(asked);
    stopSignal.stop({ kind: "broken" });
    (await asked[0])?.release();
    expect(await Promise.all(asked.slice(1))).toEqual([undefined, undefined]);
  });
});
