import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelCall, ModelCallEnd } from "../../src/model/ports/bridge.ts";
import type {
  GraderProgram,
  GraderProgramSpec,
  PreprocessorProgram,
  PythonTools,
} from "../../src/model/ports/programs.ts";
import type { GraderItem, GraderSample } from "../../src/model/outcomes/sample.ts";
import { startPython } from "../../src/python-host/pool.ts";
import { lines } from "../support/python.ts";

let tools: PythonTools;

beforeAll(async () => {
  tools = await startPython({
    python: "python3",
    sandbox: "auto",
    packageDirectory: path.resolve(import.meta.dirname, "../../python/regrade"),
    env: process.env,
    graceSeconds: 0.8,
  });
});

afterAll(() => tools.close());

async function open(text: string, spec: Partial<GraderProgramSpec> = {}): Promise<GraderProgram> {
  const opened = await tools.openProgram({
    metricId: "score",
    timeoutSeconds: 20,
    execution: "per_sample",
    contract: "model_backed",
    isolation: "chunk",
    allowRead: [],
    models: undefined,
    ...spec,
    kind: "source",
    text,
    shown: "<grader>",
  });
  if ("refused" in opened) throw new Error(JSON.stringify(opened.refused));
  return opened.program;
}

async function preprocess(text: string, contract: "row" | "batch"): Promise<PreprocessorProgram> {
  const source = { kind: "source", text, shown: "<preprocess>" } as const;
  const opened = await tools.openPreprocessor({
    ...source,
    contract,
    // For a row as long as it takes to see that one never ends; for all together what a busy machine may need.
    timeoutSeconds: contract === "row" ? 1 : 60,
    allowRead: [],
  });
  if ("refused" in opened) throw new Error(JSON.stringify(opened.refused));
  return opened.program;
}

async function* broken(): AsyncGenerator<string> {
  yield '{"sample_id":"s0"}';
  throw new Error("the disk is gone");
}

function sample(id: string): GraderSample {
  return {
    output_text: id,
    extracted_output: null,
    model: "main",
    prompt: "?",
    task_id: "qa",
    run_id: "run_1",
    sample_id: id,
  };
}

const item: GraderItem = {
  prompt: "?",
  target: null,
  choices: [],
  task_id: "qa",
};

function answered(response: Record<string, string | number>): ModelCallEnd {
  return { kind: "answered", response };
}

describe("a grader's item", () => {
  it("has the target as its reference answer, whatever the row calls so", async () => {
    const text =
      "def grade(sample, item): return {'scores': {'score': 1}, 'judge': {'item': item, 'text': sample['extracted_output']}}";
    const program = await open(text);
    const row = { reference_answer: "the row's", choices: ["A"], n: 51 };
    const graded = await program.grade(sample("a"), { ...item, ...row, target: "A" });
    const given = {
      prompt: "?",
      target: "A",
      reference_answer: "A",
      choices: ["A"],
      task_id: "qa",
    };
    expect(graded).toMatchObject({ judge: { item: { ...given, n: 51 }, text: null } });
    await program.close();
  });
});

describe("a grader that asks models", () => {
  const asking =
    "def grade(sample, item, ctx):\n    r = ctx.responses_create(model='auto', input=sample['output_text'])\n    return {'scores': {'score': r['n']}, 'judge': {'said': r['output_text']}}";

  it("has many questions under way at once, and each answer goes to its own sample", async () => {
    const asked: ModelCall[] = [];
    const all = Promise.withResolvers<void>();
    const models = {
      maxCalls: 2,
      call: async (call: ModelCall): Promise<ModelCallEnd> => {
        asked.push(call);
        if (asked.length === 20) all.resolve();
        // Nobody is answered before everybody has asked.
        await all.promise;
        return answered({ output_text: `to ${call.subject}`, n: Number(call.subject.slice(1)) });
      },
    };
    const program = await open(asking, { models });
    const graded = await Promise.all(
      Array.from({ length: 40 }, (_, i) => program.grade(sample(`s${i}`), item)),
    );
    graded.forEach((each, i) =>
      expect(each).toMatchObject({ scores: { score: i }, judge: { said: `to s${i}` } }),
    );
    expect(asked[0]).toMatchObject({ index: 0, helper: "responses_create" });
    expect(asked[0]?.request).toEqual({ model: "auto", input: asked[0]?.subject });
    await program.close();
  });

  it("numbers the questions of an execution, and may ask so many", async () => {
    const asked: number[] = [];
    const models = {
      maxCalls: 3,
      call: async ({ index }: ModelCall): Promise<ModelCallEnd> => {
        asked.push(index);
        return answered({ output_text: "x", n: index });
      },
    };
    const text =
      "def grade(sample, item, *, ctx):\n    for n in range(9): ctx.embeddings_create(input=[str(n)])";
    const program = await open(text, { models });
    expect(await program.grade(sample("a"), item)).toMatchObject({
      kind: "invalid",
      type: "model_refused",
      message: expect.stringMatching(
        /^ModelError: ctx.embeddings_create was called 3 times, which max_model_calls allows.*<grader>:2, in grade\)/,
      ),
    });
    expect(asked).toEqual([0, 1, 2]);
    await program.close();
  });

  it("can't ask more than it may where it forgets that it may not", async () => {
    let asked = 0;
    const models = {
      maxCalls: 2,
      call: async (): Promise<ModelCallEnd> => {
        asked += 1;
        return answered({ output_text: "x", n: 1 });
      },
    };
    const text =
      "def grade(sample, item, ctx):\n    ctx._access.max_calls = 100\n    for n in range(9): ctx.responses_create(input='?')";
    const program = await open(text, { models });
    expect(await program.grade(sample("a"), item)).toMatchObject({
      message: expect.stringContaining("as often as max_model_calls allows, 2 times"),
    });
    expect(asked).toBe(2);
    await program.close();
  });

  it.each<[string, ModelCallEnd, string]>([
    ["refused", { kind: "refused", message: "set judge_model" }, "ModelError: set judge_model"],
    [
      "unavailable",
      { kind: "unavailable", type: "quota", message: "no quota" },
      "ModelUnavailable: no quota",
    ],
  ])("is told when a call is %s", async (_, end, message) => {
    const program = await open(asking, { models: { maxCalls: 1, call: async () => end } });
    expect(await program.grade(sample("a"), item)).toMatchObject({
      kind: "invalid",
      message: expect.stringContaining(message),
    });
    await program.close();
  });

  it("is cut off by its time-out while it waits, and the others are not", async () => {
    const models = {
      maxCalls: 1,
      call: ({ subject }: ModelCall): Promise<ModelCallEnd> =>
        subject === "s3"
          ? Promise.withResolvers<ModelCallEnd>().promise
          : Promise.resolve(answered({ output_text: "x", n: 1 })),
    };
    const program = await open(asking, { models, timeoutSeconds: 1 });
    const graded = await Promise.all(
      Array.from({ length: 8 }, (_, i) => program.grade(sample(`s${i}`), item)),
    );
    graded.forEach((each, i) =>
      expect(each).toMatchObject(
        i === 3 ? { kind: "invalid", type: "timeout" } : { scores: { score: 1 } },
      ),
    );
    await program.close();
  });

  it("is ended where it floods the bridge past ctx", async () => {
    let asked = 0;
    const models = {
      maxCalls: 500,
      call: (): Promise<ModelCallEnd> => {
        asked += 1;
        return Promise.withResolvers<ModelCallEnd>().promise;
      },
    };
    const text = `import sys
def grade(sample, item, ctx):
    frame = sys._getframe()
    while 'pipe' not in frame.f_locals: frame = frame.f_back
    question = '{"helper":"responses_create","request":{"input":"?"}}'
    while True: frame.f_locals['pipe']._send(b'A', question)`;
    const program = await open(text, { models });
    const graded = await program.grade(sample("a"), item);
    expect(graded).toMatchObject({ kind: "invalid", type: "forged_result" });
    expect(asked).toBeLessThan(10);
    await program.close();
  });

  it("takes an answer that is larger than a frame", async () => {
    const models = {
      maxCalls: 1,
      call: async (): Promise<ModelCallEnd> =>
        answered({ output_text: "y".repeat(9_000_000), n: 1 }),
    };
    const text =
      "def grade(sample, item, ctx): return len(ctx.responses_create(input='?')['output_text'])";
    const program = await open(text, { models });
    expect(await program.grade(sample("a"), item)).toMatchObject({ scores: { score: 9_000_000 } });
    await program.close();
  });

  it("may end its process, and the answers of the others are not asked for again", async () => {
    const asked: string[] = [];
    const models = {
      maxCalls: 1,
      call: async ({ subject }: ModelCall): Promise<ModelCallEnd> => {
        asked.push(subject);
        return answered({ output_text: "x", n: 1 });
      },
    };
    const text = `import os\n${asking.replace("    return", "    if sample['output_text'] == 's2': os._exit(3)\n    return")}`;
    const program = await open(text, { models });
    const graded = await Promise.all(
      Array.from({ length: 5 }, (_, i) => program.grade(sample(`s${i}`), item)),
    );
    graded.forEach((each, i) =>
      expect(each).toMatchObject(i === 2 ? { type: "host_died" } : { scores: { score: 1 } }),
    );
    expect(asked.toSorted()).toEqual(["s0", "s1", "s2", "s3", "s4"]);
    await program.close();
  });

  it("without access says how to get it", async () => {
    const program = await open(asking);
    expect(await program.grade(sample("a"), item)).toMatchObject({
      message: expect.stringContaining("this grader has model_access: none"),
    });
    await program.close();
  });
});

describe("a batch grader", () => {
  const about = { task: "qa", candidate: "main" };

  it("is given all samples, whatever their number, and its updates come back", async () => {
    const count = 30_000;
    const texts = Array.from({ length: count }, (_, i) =>
      JSON.stringify({ sample_id: `s${i}`, output_text: `${"é".repeat(100)} ${i}` }),
    );
    const text =
      "def grade_batch(samples):\n    return {'metrics': {'n': len(samples)}, 'samples': [{'sample_id': s['sample_id'], 'scores': {'last': int(s['output_text'].split()[1])}, 'judge': {'text': s['output_text']}} for s in samples]}";
    const program = await open(text, { execution: "aggregate", contract: "batch" });
    const graded = await program.gradeBatch(about, lines(texts));
    expect(graded).toMatchObject({ kind: "graded", metrics: { n: count }, notes: [] });
    const updates = graded.kind === "graded" ? graded.updates : [];
    expect(updates).toHaveLength(count);
    expect(updates.every(({ scores }, i) => scores?.["last"] === i)).toBe(true);
    await program.close();
  });

  it("of no samples is called with an empty list", async () => {
    const text = "def grade_batch(samples): return {'metrics': {'n': len(samples)}}";
    const program = await open(text, { execution: "aggregate", contract: "batch" });
    expect(await program.gradeBatch(about, lines([]))).toMatchObject({ metrics: { n: 0 } });
    await program.close();
  });

  it("runs for several candidates at once, and asks models", async () => {
    const both = Promise.withResolvers<void>();
    const asked: string[] = [];
    const models = {
      maxCalls: 5,
      call: async ({ subject }: ModelCall): Promise<ModelCallEnd> => {
        asked.push(subject);
        if (asked.length === 2) both.resolve();
        await both.promise;
        return answered({ output_text: subject, n: 1 });
      },
    };
    const text =
      "def grade_batch(samples, ctx):\n    r = ctx.responses_create(input='?')\n    return {'metrics': {'n': len(samples)}, 'samples': [{'sample_id': 's0', 'judge': {'said': r['output_text']}}]}";
    const program = await open(text, { execution: "aggregate", models });
    const graded = await Promise.all(
      ["a", "b"].map((candidate) =>
        program.gradeBatch({ task: "qa", candidate }, lines([JSON.stringify({ sample_id: "s0" })])),
      ),
    );
    expect(graded).toMatchObject([
      { updates: [{ judge: { said: "qa/a" } }] },
      { updates: [{ judge: { said: "qa/b" } }] },
    ]);
    await program.close();
  });

  it("whose samples can't be read fails with the reason, and goes on with others", async () => {
    const text = "def grade_batch(samples): return {'metrics': {'n': len(samples)}}";
    const program = await open(text, { execution: "aggregate", contract: "batch" });
    await expect(program.gradeBatch(about, broken())).rejects.toThrow("the disk is gone");
    const whole = lines(['{"sample_id":"s0"}']);
    expect(await program.gradeBatch(about, whole)).toMatchObject({ metrics: { n: 1 } });
    await program.close();
  });

  it("that is closed under its work is ungraded", async () => {
    const text = "import time\ndef grade_batch(samples): time.sleep(60)";
    const program = await open(text, { execution: "aggregate", contract: "batch" });
    const graded = program.gradeBatch(about, lines(['{"sample_id":"s0"}']));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await program.close();
    expect(await graded).toMatchObject({ kind: "ungraded" });
  });

  it("needs its function", async () => {
    const opened = await tools.openProgram({
      kind: "source",
      text: "def grade(sample, item): return 1.0",
      shown: "<grader>",
      metricId: "score",
      timeoutSeconds: 5,
      execution: "aggregate",
      contract: "batch",
      isolation: "chunk",
      allowRead: [],
      models: undefined,
    });
    expect(opened).toMatchObject({ refused: { reason: "no_function", message: "grade" } });
  });
});

describe("a preprocessor", () => {
  it("of contract row makes none, one or several rows of one", async () => {
    const program = await preprocess(
      "def transform(row):\n    return [row] * int(row['n']) if row['n'] else None",
      "row",
    );
    const made = await Promise.all(
      Array.from({ length: 200 }, (_, i) => program.row(`{"n": ${i % 3}, "x": 51.0}`)),
    );
    made.forEach((each, i) => {
      const row = `{"n":${i % 3},"x":51.0}`;
      expect(each).toEqual({ kind: "rows", rows: Array.from({ length: i % 3 }, () => row) });
    });
    await program.close();
  });

  it("of contract batch is given all rows", async () => {
    const program = await preprocess(
      "def process_docs(rows):\n    return [{'n': row['n'], 'of': len(rows)} for row in rows if row['n'] % 2]",
      "batch",
    );
    const rows = Array.from({ length: 50_000 }, (_, n) => `{"n":${n},"text":"${"t".repeat(90)}"}`);
    const made = await program.batch(lines(rows));
    expect(made.kind === "rows" && made.rows.length).toBe(25_000);
    expect(made.kind === "rows" && made.rows[1]).toBe('{"n":3,"of":50000}');
    await program.close();
  });

  it.each([
    ["def transform(row): return row['no']", "exception", /^KeyError: 'no' \(<preprocess>:1/],
    ["def transform(row): return 3", "bad_result", /^transform returned the int 3: return the row/],
    ["import os\ndef transform(row): os._exit(2)", "host_died", /ended with exit code 2$/],
    ["def transform(row):\n    while True: pass", "timeout", /^transform ran longer than 1 s/],
  ])("that fails says why: %s", async (text, type, message) => {
    const program = await preprocess(text, "row");
    const made = await program.row("{}");
    expect(made).toMatchObject({ kind: "failed", type, message: expect.stringMatching(message) });
    await program.close();
  });

  it("is refused where it has none of the functions", async () => {
    const opened = await tools.openPreprocessor({
      kind: "source",
      text: "def clean(row): return row",
      shown: "<preprocess>",
      contract: "row",
      timeoutSeconds: 1,
      allowRead: [],
    });
    expect(opened).toMatchObject({ refused: { reason: "no_function", message: "clean" } });
  });
});

it("says how user code is held in", async () => {
  const program = await open("def grade(sample, item): return 1.0");
  expect(tools.sandbox()).toMatchObject({ level: expect.any(String), details: {} });
  await program.close();
});
