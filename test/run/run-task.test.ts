import { describe, expect, it } from "vitest";
import { createLedger } from "../../src/ledger/ledger.ts";
import type { Candidate, GenerateRequest, Generated } from "../../src/model/models/candidate.ts";
import type { Answer, RunStore } from "../../src/model/ports/store.ts";
import type { Progress } from "../../src/model/ports/progress.ts";
import { digestSample, type Case, type Sample } from "../../src/model/outcomes/sample.ts";
import type { Budget } from "../../src/model/definition/suite.ts";
import { createStopSignal, stoppedBecause } from "../../src/run/stop.ts";
import { spentBefore } from "../../src/run/budget.ts";
import { createMeter } from "../../src/run/meter.ts";
import { noResponseCache } from "../../src/run/response-cache.ts";
import type { PreparedTask } from "../../src/suite/opening/open-task.ts";
import { createAnswers } from "../../src/run/answers.ts";
import type { RunContext } from "../../src/run/context.ts";
import { runTask } from "../../src/run/run-task.ts";
import { createRunTotals } from "../../src/verdict/run-totals.ts";
import { modelSpec, noBudget } from "../support/specs.ts";

type Answering = (n: number, request: GenerateRequest) => Generated;

const answered: Generated = {
  kind: "answered",
  outputText: "4",
  incomplete: false,
  transcript: null,
  responseId: null,
  usage: { input_tokens: 5, output_tokens: 5, cached_tokens: 0, reasoning_tokens: 0, usd: 0.01 },
};
const halted: Generated = { kind: "halted", type: "unauthorized", message: "set OPENAI_API_KEY" };

interface Setting {
  readonly cases: number;
  readonly answering: Answering;
  readonly budget?: Partial<Budget>;
  /** What an earlier attempt left. */
  readonly journal?: Map<string, Sample>;
  /** What it left that waits to be graded. */
  readonly waiting?: RunStore["answers"];
  readonly promptOf?: (asked: Case) => string;
  readonly price?: NonNullable<Candidate["price"]>;
}

/** A task in memory, four requests at once, a millisecond each. */
async function run({
  cases,
  answering,
  budget = {},
  journal = new Map<string, Sample>(),
  waiting = new Map(),
  promptOf = () => "2+2",
  price,
}: Setting) {
  const asked: string[] = [];
  const events: Progress[] = [];
  const asks = candidateOf(async (request) => {
    asked.push(request.caseId);
    const generated = answering(asked.length, request);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
    return generated;
  });
  const candidate = price === undefined ? asks : { ...asks, price };
  const earlier = new Map(
    [...journal].flatMap(([id, sample]) =>
      sample.error?.fault === "infra" ? [] : [[id, digestSample(sample)] as const],
    ),
  );
  const store = { ...storeOf(journal, earlier), answers: waiting };
  const stopSignal = createStopSignal(() => undefined);
  const whole: Budget = { ...noBudget, ...budget };
  const specs = [modelSpec("main")];
  const meter = createMeter(
    { budget: whole, candidates: specs, earlier: spentBefore(store) },
    stopSignal,
  );
  const parts = {
    tools: toolsOf((event) => events.push(event)),
    store,
    ledger: createLedger(),
    totals: createRunTotals(),
    candidates: [candidate],
    stopSignal: stopSignal,
    meter,
  } as unknown as Omit<RunContext, "answers">;
  const context = { ...parts, answers: createAnswers("auto", noResponseCache, parts) };
  const renderPrompt = (planned: Case) => ({ text: promptOf(planned) });
  const task = { ...taskOf(cases), renderPrompt } as unknown as PreparedTask;
  await runTask(task, context);
  const stopped = stoppedBecause([task], context, false);
  return { asked, events, journal, stopped, ledger: context.ledger.group("qa", "main") };
}

function candidateOf(generate: Candidate["generate"]): Candidate {
  return { id: "main", generate, concurrency: 4, costly: true, close: async () => undefined };
}

function storeOf(
  journal: Map<string, Sample>,
  finished: RunStore["finished"],
): Pick<
  RunStore,
  "runId" | "finished" | "answers" | "recordSpent" | "recordAnswer" | "recordSample"
> {
  return {
    runId: "run_1",
    finished,
    answers: new Map(),
    recordSpent: async () => undefined,
    recordAnswer: async () => undefined,
    recordSample: async (sample) => {
      journal.set(sample.id, sample);
    },
  };
}

function toolsOf(report: (event: Progress) => void): object {
  return {
    files: { hashText: (text: string) => text },
    now: () => 0,
    report,
    signal: new AbortController().signal,
  };
}

function taskOf(cases: number): PreparedTask {
  const rows = Array.from({ length: cases }, (_, index): Case => ({
    caseId: `c${index}`,
    content: "h",
    row: {},
    index,
  }));
  return {
    suite: "s",
    spec: { id: "qa", repeats: 1, metrics: [], slices: [] },
    dataset: {
      size: cases,
      cases: async function* () {
        yield rows;
      },
    },
    renderTarget: () => null,
    renderTargets: () => undefined,
    instructionsFor: () => undefined,
    checkFormat: async () => undefined,
    fieldsFor: () => ({}),
    buildItem: () => ({}),
    slicesOf: () => ({}),
    clusterOf: () => null,
    extract: async (text: string) => ({ kind: "extracted", text }),
    grader: {
      grade: async () => ({ kind: "scored", scores: { m: 1 }, judge: null, printed: null }),
      hurry: () => undefined,
    },
  } as unknown as PreparedTask;
}

describe("a key that is refused", () => {
  it("stops the run: in-flight requests finish, the rest is not sent and not recorded", async () => {
    const { asked, journal, stopped } = await run({
      cases: 500,
      answering: (n) => (n <= 10 ? answered : halted),
    });
    expect(asked.length).toBeLessThanOrEqual(10 + 4 + 4);
    expect(journal.size).toBe(asked.length);
    const finished = [...journal.values()].filter((sample) => sample.error === null).length;
    expect(finished).toBe(10);
    expect(stopped).toContain("main: set OPENAI_API_KEY");
    expect(stopped).toContain("10 of 500 samples");
  });

  it("is an error though every sample was asked", async () => {
    const { stopped } = await run({ cases: 3, answering: () => halted });
    expect(stopped).toContain("0 of 3 samples");
  });

  it("costs nothing twice: a resumption asks what is not finished, and no more", async () => {
    const journal = new Map<string, Sample>();
    const first = await run({
      cases: 60,
      answering: (n) => (n <= 20 ? answered : halted),
      journal,
    });
    const second = await run({ cases: 60, answering: () => answered, journal });
    const done = new Set(first.asked.slice(0, 20));
    expect(second.stopped).toBeUndefined();
    expect(second.asked).toHaveLength(40);
    expect(second.asked.filter((id) => done.has(id))).toEqual([]);
    expect(second.ledger?.size).toBe(60);
  });
});

describe("a prompt that no sample has room for", () => {
  it("costs its own sample, and is not sent", async () => {
    const { asked, journal } = await run({
      cases: 3,
      answering: () => answered,
      promptOf: ({ index }) => (index === 1 ? "\u001b".repeat(2_200_000) : "2+2"),
    });
    expect(asked).toEqual(["c0", "c2"]);
    const samples = [...journal.values()].toSorted((a, b) => a.sample_index - b.sample_index);
    expect(samples.map(({ error }) => error?.type)).toEqual([
      undefined,
      "prompt_too_large",
      undefined,
    ]);
    expect(samples[1]?.error?.fault).toBe("candidate");
    expect(samples[1]?.prompt).toHaveLength(2001);
  });
});

describe("answers that wait to be graded", () => {
  it("have the dollars of the prices that the resumption has", async () => {
    const { journal: plan } = await run({ cases: 2, answering: () => answered });
    const kept: Answer = { generated: answered, latencyMs: 3, createdAt: "2026-11-20T00:00:00Z" };
    const waiting = new Map([...plan.keys()].map((id) => [id, kept]));
    const { asked, journal } = await run({
      cases: 2,
      answering: () => answered,
      waiting,
      price: (tokens) => ({ ...tokens, usd: 0.5 }),
    });
    expect(asked).toEqual([]);
    expect([...journal.values()].map(({ usage }) => usage?.usd)).toEqual([0.5, 0.5]);
  });
});

describe("a budget that is spent", () => {
  it("lets in-flight calls finish and starts nothing more", async () => {
    const { asked, journal, stopped } = await run({
      cases: 500,
      answering: () => answered,
      budget: { usd: 0.2 },
    });
    expect(asked.length).toBeGreaterThanOrEqual(20);
    expect(asked.length).toBeLessThan(20 + 4);
    expect(journal.size).toBe(asked.length);
    expect(stopped).toContain("The budget of $0.200 is spent");
    expect(stopped).toContain(`${asked.length} of 500 samples`);
  });

  const long = {
    input_tokens: 10,
    output_tokens: 100,
    cached_tokens: 0,
    reasoning_tokens: 0,
    usd: 0,
  };

  it("by the last sample is no reason to stop", async () => {
    const { asked, stopped } = await run({
      cases: 20,
      answering: (count) => (count < 20 ? answered : { ...answered, usage: long }),
      budget: { tokens: 300 },
    });
    expect(asked).toHaveLength(20);
    expect(stopped).toBeUndefined();
  });

  it("stays spent in a resumption, which takes in what there is and asks nobody", async () => {
    const journal = new Map<string, Sample>();
    const budget = { usd: 0.2 };
    const first = await run({ cases: 60, answering: () => answered, budget, journal });
    const second = await run({ cases: 60, answering: () => answered, budget, journal });
    expect(second.asked).toEqual([]);
    expect(second.ledger?.size).toBe(first.asked.length);
    const third = await run({ cases: 60, answering: () => answered, budget: { usd: 9 }, journal });
    expect(third.asked).toHaveLength(60 - first.asked.length);
    expect(third.stopped).toBeUndefined();
  });

  it("is told of as it is used", async () => {
    const { events } = await run({ cases: 2, answering: () => answered });
    const done = events.filter((event) => event.kind === "sample_finished");
    expect(done.map(({ usd }) => usd)).toEqual([0.01, 0.01]);
  });
});
