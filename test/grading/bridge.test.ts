import { describe, expect, it } from "vitest";
import type { ModelCall, ModelCallEnd, ModelReply } from "../../src/model/ports/bridge.ts";
import type { Graded } from "../../src/model/grading.ts";
import type { GraderItem, GraderSample } from "../../src/model/outcomes/sample.ts";
import { createBridge } from "../../src/grading/bridge.ts";
import { bridged } from "../../src/grading/bridged.ts";
import { limits, models, said } from "./models.ts";

const ask = (index = 0, input = "Is it right?", more = {}): ModelCall => ({
  subject: "s1",
  index,
  helper: "responses_create",
  request: { input, ...more },
});
const unavailable: ModelReply = { kind: "unavailable", type: "timeout", message: "too slow" };

describe("a bridge", () => {
  it("answers with the run's judge", async () => {
    const { run, asked } = models();
    const bridge = createBridge(limits, run);
    const session = bridge.open("s1");
    const request = { input: "Is it right?", model: "auto", temperature: 0, stream: true };
    const end = await bridge.call({ ...ask(), request });
    expect(end).toEqual({ kind: "answered", response: expect.objectContaining({ id: "resp_1" }) });
    expect(asked).toMatchObject([
      { model: { model: "openai:judge-1" }, request: { input: "Is it right?", temperature: 0 } },
    ]);
    expect(session.close()).toEqual({
      calls: [
        {
          helper: "responses_create",
          model: "openai:judge-1",
          request: { input: "Is it right?", temperature: 0 },
          response_id: "resp_1",
          output_text: "yes",
          error: null,
          usage: expect.objectContaining({ input_tokens: 10 }),
          latency_ms: 0,
        },
      ],
      trouble: undefined,
      waiting: false,
    });
  });

  it("tells a process that takes over what the one before was told, and pays once", async () => {
    const { run, asked } = models((_, index) => ({ ...said, response: { id: `resp_${index}` } }));
    const bridge = createBridge(limits, run);
    bridge.open("s1");
    const first = [await bridge.call(ask(0)), await bridge.call(ask(1))];
    const again = [await bridge.call(ask(0)), await bridge.call(ask(1)), await bridge.call(ask(2))];
    expect(again.slice(0, 2)).toEqual(first);
    expect(asked).toHaveLength(3);
  });

  it("shares a call that is under way", async () => {
    const { promise, resolve } = Promise.withResolvers<ModelReply>();
    const { run, asked } = models(() => promise);
    const bridge = createBridge(limits, run);
    bridge.open("s1");
    const both = [bridge.call(ask()), bridge.call(ask())];
    resolve(said);
    const [a, b] = await Promise.all(both);
    expect(a).toBe(b);
    expect(asked).toHaveLength(1);
  });

  it("takes the same number with another request for another call, up to a bound", async () => {
    const { run, asked } = models();
    const bridge = createBridge({ ...limits, max_calls: 2 }, run);
    bridge.open("s1");
    const ends: ModelCallEnd[] = [];
    for (let i = 0; i < 6; i += 1) ends.push(await bridge.call(ask(0, `question ${i}`)));
    expect(asked).toHaveLength(4);
    expect(ends.at(-1)).toEqual({
      kind: "refused",
      message:
        "the grader has asked models as often as it may, 2 times: raise max_model_calls, or ask less",
    });
  });

  it.each([4, -1, 0.5, Number.NaN])("refuses call number %s of 4", async (index) => {
    const { run, asked } = models();
    const bridge = createBridge(limits, run);
    bridge.open("s1");
    expect(await bridge.call(ask(index))).toMatchObject({ kind: "refused" });
    expect(asked).toHaveLength(0);
  });

  it("refuses calls for what is not being graded", async () => {
    const { run, asked } = models();
    const bridge = createBridge(limits, run);
    expect(await bridge.call(ask())).toMatchObject({ kind: "refused" });
    bridge.open("s1").close();
    expect(await bridge.call(ask())).toMatchObject({ kind: "refused" });
    expect(asked).toHaveLength(0);
  });

  it("keeps samples apart: what one was told is not told to another", async () => {
    const { run, asked } = models();
    const bridge = createBridge(limits, run);
    bridge.open("s1");
    bridge.open("s2");
    await bridge.call(ask());
    await bridge.call({ ...ask(), subject: "s2" });
    expect(asked).toHaveLength(2);
  });

  it("ends what is under way with its session", async () => {
    const { run, asked } = models(() => new Promise(() => undefined));
    const bridge = createBridge(limits, run);
    const session = bridge.open("s1");
    void bridge.call(ask());
    await new Promise((resolve) => setImmediate(resolve));
    const { calls, waiting } = session.close();
    expect([waiting, asked[0]?.signal.aborted]).toEqual([true, true]);
    expect(calls).toMatchObject([{ error: "the grader ended before the answer came" }]);
  });

  it("survives what throws, and what is nested without end", async () => {
    const { run } = models(() => {
      throw new Error("out of paper");
    });
    const bridge = createBridge(limits, run);
    bridge.open("s1");
    expect(await bridge.call(ask())).toMatchObject({
      kind: "unavailable",
      message: "the call failed: out of paper",
    });
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
    const end = await bridge.call(ask(1, "x", { metadata: deep }));
    expect(end).toEqual({ kind: "refused", message: "the request is nested too deeply" });
  });

  it("does not hand over what no host can be handed, and counts it", async () => {
    const data = [{ embedding: "A".repeat(5_000_000) }];
    const { run } = models(() => ({ ...said, response: { data } }));
    const bridge = createBridge(limits, run);
    const session = bridge.open("s1");
    expect(await bridge.call(ask())).toEqual({
      kind: "refused",
      message: expect.stringContaining("ask for less at once"),
    });
    expect(session.close().calls).toMatchObject([{ usage: { usd: 0.5 } }]);
  });

  it("keeps what was asked and answered within bounds", async () => {
    const response = { id: "resp_1", output_text: "x".repeat(300_000) };
    const { run } = models(() => ({ ...said, response }));
    const bridge = createBridge({ ...limits, max_calls: 60 }, run);
    const session = bridge.open("s1");
    const long = { text: { format: { schema: Array.from({ length: 9000 }, (_, i) => `f${i}`) } } };
    await bridge.call(ask(0, "y".repeat(1_000_000)));
    for (let i = 1; i < 60; i += 1) await bridge.call(ask(i, "z".repeat(100_000), long));
    const { calls } = session.close();
    expect(calls).toHaveLength(60);
    expect(calls[0]?.request).toEqual({ input: `${"y".repeat(2000)}… (998000 characters more)` });
    expect(JSON.stringify(calls).length).toBeLessThan(600_000);
  });
});

const sample: GraderSample = {
  output_text: "4",
  extracted_output: "4",
  model: "main",
  prompt: "2+2?",
  task_id: "qa",
  run_id: "run_1",
  sample_id: "s1",
};
const item: GraderItem = {
  prompt: "2+2?",
  target: "4",
  choices: [],
  task_id: "qa",
};
const scored: Graded = { kind: "scored", scores: { score: 1 }, judge: null, printed: null };

const gradeBatch = () => Promise.reject(new Error("not asked"));
const never = (): Promise<ModelReply> => new Promise(() => undefined);
const breaks = (): Promise<Graded> => Promise.reject(new Error("broken pipe"));

/** A grader that asks and returns whatever it is told to. */
function graded(
  reply: () => ModelReply | Promise<ModelReply>,
  { waits = true, result = scored }: { waits?: boolean; result?: Graded } = {},
): Promise<Graded> {
  const bridge = createBridge(limits, models(reply).run);
  const grade = async (): Promise<Graded> => {
    const end = bridge.call(ask());
    await (waits ? end : new Promise((resolve) => setImmediate(resolve)));
    return result;
  };
  return bridged({ grade, gradeBatch }, bridge).grade(sample, item);
}

const timedOut: Graded = {
  kind: "invalid",
  type: "timeout",
  message: "grade ran longer than 120 s",
  judge: { invalid: true },
  printed: null,
};

describe("a grader with a bridge", () => {
  it("leaves its calls with the result", async () => {
    expect(await graded(() => said)).toMatchObject({
      ...scored,
      modelCalls: [{ response_id: "resp_1", output_text: "yes" }],
    });
  });

  it("that had no answer is ungraded, whatever it returns", async () => {
    expect(await graded(() => unavailable)).toMatchObject({
      kind: "ungraded",
      type: "timeout",
      message: "no answer from openai:judge-1: too slow",
      modelCalls: [{ output_text: null, error: "no answer from openai:judge-1: too slow" }],
    });
  });

  it("that was refused keeps what it makes of it", async () => {
    const refused: ModelReply = { kind: "refused", message: "no such setting" };
    expect(await graded(() => refused)).toMatchObject({ kind: "scored" });
  });

  it("that ran out of time while it waited for a model is ungraded", async () => {
    const waiting = { waits: false, result: timedOut };
    expect(await graded(never, waiting)).toMatchObject({ kind: "ungraded", type: "model_timeout" });
    expect(await graded(() => said, { result: timedOut })).toMatchObject({ kind: "invalid" });
  });

  it("that throws ends its session", async () => {
    const bridge = createBridge(limits, models().run);
    const grader = bridged({ grade: breaks, gradeBatch }, bridge);
    await expect(grader.grade(sample, item)).rejects.toThrow("broken pipe");
    expect(() => bridge.open("s1")).not.toThrow();
  });
});
