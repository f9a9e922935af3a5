import { describe, expect, it } from "vitest";
import { createTrafficControl } from "../../src/candidate/resilience/traffic.ts";
import type { ModelAsk, ModelReply } from "../../src/model/ports/bridge.ts";
import type { Budget, ModelRef, Suite, Task } from "../../src/model/definition/suite.ts";
import type { GraderSpec } from "../../src/model/definition/graders.ts";
import { createStopSignal } from "../../src/run/stop.ts";
import { createMeter } from "../../src/run/meter.ts";
import { nothingSpent } from "../../src/model/figures/spent.ts";
import {
  modelsNamed,
  namedModelProblems,
  openGraderModels,
} from "../../src/suite/grader-models.ts";
import { secretNames } from "../../src/suite/secret-names.ts";
import type { Tools } from "../../src/tools.ts";
import { tools as candidateTools } from "../candidate/tools.ts";
import { always, good, quotaExhausted } from "../support/provider/days.ts";
import { startProvider, type Provider as Loopback } from "../support/provider/server.ts";
import { modelSpec, noBudget } from "../support/specs.ts";

const prices = { judge: { input: 0, cached_input: 0, output: 1_000_000 } };

interface Setting {
  readonly budget?: Partial<Budget>;
  readonly concurrency?: Suite["concurrency"];
}

function context(server: Loopback, { budget = {}, concurrency = "auto" }: Setting = {}) {
  const provider = {
    ...modelSpec("main").provider,
    id: "local",
    base_url: server.url,
    api: "responses" as const,
    api_key_env: "LOCAL_KEY",
    prices,
  };
  const judge: ModelRef = { model: "local:judge", name: "judge", provider };
  const suite = { judge_model: judge, embedding_model: undefined, concurrency };
  const stop = new AbortController();
  const tools = {
    candidateTools: { ...candidateTools, environment: { LOCAL_KEY: "sk-local" } },
    files: { hashText: (text: string) => text },
    now: () => 0,
    signal: stop.signal,
  } as unknown as Tools;
  const traffic = createTrafficControl(candidateTools.clock, () => undefined);
  const stopSignal = createStopSignal(traffic.giveUp);
  const whole = { ...noBudget, ...budget };
  const meter = createMeter({ budget: whole, candidates: [], earlier: nothingSpent }, stopSignal);
  const { models, start } = openGraderModels({ suite, candidates: [], traffic }, tools);
  const ask = (input = "Say yes", more: Partial<ModelAsk> = {}): Promise<ModelReply> =>
    models.ask({
      model: judge,
      helper: "responses_create",
      request: { input },
      signal: new AbortController().signal,
      ...more,
    });
  return {
    ask,
    models,
    stopSignal: stopSignal,
    meter,
    stop,
    start: () => start({ stopSignal: stopSignal, meter }),
  };
}

const cancelled = { kind: "unavailable", type: "cancelled", message: "the run was stopped" };

describe("the models that graders ask", () => {
  it("are asked while a run goes, and not before", async () => {
    await using server = await startProvider();
    const { ask, start } = context(server);
    expect(await ask()).toEqual(cancelled);
    start();
    expect(await ask()).toMatchObject({ kind: "answered", response: { output_text: "yes" } });
    expect(server.count()).toBe(1);
  });

  it("count in the run's budget, and stop it when it has too little left for the next one", async () => {
    await using server = await startProvider({ script: always(good("y", { outputTokens: 2 })) });
    const { ask, start, stopSignal, meter } = context(server, { budget: { usd: 5 } });
    start();
    await ask("a");
    expect([meter.spent().usd, stopSignal.cause()]).toEqual([2, undefined]);
    await ask("b");
    expect([meter.spent().usd, stopSignal.cause()]).toEqual([4, undefined]);
    expect(await ask("c")).toEqual(cancelled);
    expect(stopSignal.cause()).toMatchObject({ kind: "budget_spent", unit: "usd", next: 2 });
    expect(server.count()).toBe(2);
  });

  it("stop the run where none of them can answer any more", async () => {
    await using server = await startProvider({ script: always(quotaExhausted()) });
    const { ask, start, stopSignal } = context(server);
    start();
    expect(await ask()).toMatchObject({ kind: "halted", type: "quota_exhausted" });
    expect(stopSignal.cause()).toMatchObject({
      kind: "halted",
      candidate: "local:judge, which a grader asks",
    });
    expect(await ask()).toEqual(cancelled);
  });

  it("are not asked any more when the user stops the run", async () => {
    await using server = await startProvider({ latencyMs: 5000 });
    const { ask, start, stop } = context(server);
    start();
    const waiting = ask();
    setTimeout(() => stop.abort(), 50);
    expect(await waiting).toMatchObject({ kind: "unavailable", type: "cancelled" });
    expect(await ask()).toEqual(cancelled);
  });

  it.each([
    [3, 3],
    ["auto", 12],
  ] as const)("are asked as many at once as concurrency %s allows", async (concurrency, peak) => {
    await using server = await startProvider({ latencyMs: 300 });
    const { ask, start } = context(server, { concurrency });
    start();
    await Promise.all(Array.from({ length: 12 }, (_, i) => ask(`q${i}`)));
    expect(server.peak()).toBe(peak);
  });
});

describe("graders that ask models", () => {
  it.each([
    [3, 3],
    ["auto", 12],
  ] as const)("are as many at once as concurrency %s lets call", async (concurrency, peak) => {
    await using server = await startProvider();
    const { models } = context(server, { concurrency });
    let [atWork, most] = [0, 0];
    const execute = async (): Promise<void> => {
      atWork += 1;
      most = Math.max(most, atWork);
      await new Promise(setImmediate);
      atWork -= 1;
    };
    await Promise.all(Array.from({ length: 12 }, () => models.inTurn(execute)));
    expect(most).toBe(peak);
  });

  it("whose time is over leave no call behind that waits for a place", async () => {
    await using server = await startProvider({ latencyMs: 200 });
    const { ask, start } = context(server, { concurrency: 1 });
    start();
    const over = new AbortController();
    const [first, ...waiting] = ["a", "b", "c"].map((each) => ask(each, { signal: over.signal }));
    const last = ask("d");
    setTimeout(() => over.abort(), 50);
    const cut = { kind: "unavailable", type: "cancelled" };
    expect(await Promise.all([first, ...waiting])).toMatchObject([cut, cut, cut]);
    expect(await last).toMatchObject({ kind: "answered" });
    expect(server.requests.map(({ prompt }) => prompt)).toEqual(["a", "d"]);
  });
});

const ref = (model: string, variable: string): ModelRef => ({
  model,
  name: model,
  provider: { ...modelSpec("main").provider, id: "p", api_key_env: variable },
});
const task = (grader: GraderSpec): Task => ({ id: "qa", grader }) as unknown as Task;
const limits = { max_calls: 1, allow_tools: false, allow_urls: false };
const plain = task({ type: "exact_match", options: {}, models: undefined });
const asking = task({
  type: "judge",
  options: {},
  models: { ...limits, allow_models: [ref("p:own", "OWN_KEY")] },
});

function naming(tasks: readonly Task[]) {
  return {
    suite: {
      tasks,
      candidates: [],
      judge_model: ref("p:judge", "JUDGE_KEY"),
      embedding_model: ref("p:embed", "JUDGE_KEY"),
    },
    place: (path: readonly (string | number)[]) => ({ file: "s.yaml", path: path.join(".") }),
  };
}

describe("the keys of models that graders ask", () => {
  it("are looked for before the first sample, where some grader may ask", () => {
    const suite = naming([plain, asking]);
    const problems = namedModelProblems(modelsNamed(suite, [plain, asking]), {
      environment: { OWN_KEY: "with a space" },
    });
    expect(problems.map(({ code, place }) => [code, place?.path])).toEqual([
      ["model_key_missing", "run.judge_model"],
      ["model_key_malformed", "tasks.1.grader"],
    ]);
    expect(modelsNamed(suite, [plain])).toEqual([]);
  });

  it("are secrets", () => {
    const { suite } = naming([plain, asking]);
    expect(new Set(secretNames(suite).keys)).toEqual(new Set(["JUDGE_KEY", "OWN_KEY"]));
  });
});
