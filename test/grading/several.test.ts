import { describe, expect, it } from "vitest";
import type { BatchGraded, BatchSample, Graded, Grader } from "../../src/model/grading.ts";
import type { NamedGrader, SingleGrader } from "../../src/model/definition/graders.ts";
import { openSeveral } from "../../src/grading/several.ts";

const sample = {
  output_text: "x",
  extracted_output: "x",
  model: "app",
  prompt: "p",
  task_id: "t",
  run_id: "r",
  sample_id: "s1",
};
const item = { prompt: "p", target: "x", choices: [], task_id: "t" };

/** Code whose single number is called `score`. */
function code(execution: "per_sample" | "aggregate" = "per_sample"): SingleGrader {
  return {
    type: "python",
    contract: "sample",
    execution,
    metric_id: "score",
    source: { kind: "inline", text: "" },
    timeout_seconds: 1,
    isolation: "chunk",
    allow_read: [],
    models: undefined,
  };
}

const builtin: SingleGrader = { type: "numeric", options: {}, models: undefined };

interface One {
  readonly weight?: number;
  readonly grader?: SingleGrader;
  readonly gives?: Graded;
  readonly batch?: (samples: readonly BatchSample[]) => BatchGraded;
}

function scored(scores: Readonly<Record<string, number>>): Graded {
  return { kind: "scored", scores, judge: null, printed: null };
}

const raised: Graded = {
  kind: "invalid",
  type: "ValueError",
  message: "no",
  judge: { payload: 1 },
  printed: null,
};

async function open(ones: Readonly<Record<string, One>>): Promise<Grader> {
  const graders = Object.entries(ones).map(
    ([name, { weight = 1, grader = code() }]): NamedGrader => {
      return { name, weight, grader };
    },
  );
  const opened = await openSeveral(
    { type: "several", graders },
    async (_, i) => ({ grader: play(Object.values(ones)[i] ?? {}, i) }),
    (text) => text,
  );
  if ("problems" in opened) throw new Error("refused");
  return opened.grader;
}

function play({ gives = scored({ score: 1 }), batch }: One, i: number): Grader {
  return {
    hash: `h${i}`,
    warnings: [],
    close: async () => undefined,
    grade: async () => gives,
    hurry: () => undefined,
    ...(batch && {
      gradeBatch: async (_, lines) => {
        const samples: BatchSample[] = [];
        for await (const line of lines) samples.push(JSON.parse(line));
        return batch(samples);
      },
    }),
  };
}

async function grade(ones: Readonly<Record<string, One>>): Promise<Graded> {
  return (await open(ones)).grade(sample, item);
}

function said(word: string): Graded {
  return { kind: "scored", scores: { score: 1 }, judge: { word }, printed: `${word}!` };
}

describe("several graders of one sample", () => {
  it("score each under its name, the main score under the name itself", async () => {
    const graded = await grade({
      a: { gives: scored({ score: 0.5, extra: 7 }) },
      b: { grader: builtin, gives: scored({ numeric_match: 1, absolute_error: 0.2 }) },
    });
    expect(graded).toEqual(
      scored({ score: 0.75, a: 0.5, "a.extra": 7, b: 1, "b.absolute_error": 0.2 }),
    );
  });

  it.each([
    [{ a: 3, b: 1 }, 0.75],
    [{ a: 1, b: 0 }, 1],
    [{ a: 0, b: 0.5 }, 0],
    [{ a: 0, b: 0 }, undefined],
  ])("weigh %j: %s", async ({ a, b }, score) => {
    const graded = await grade({
      a: { weight: a, gives: scored({ score: 1 }) },
      b: { weight: b, gives: scored({ score: 0 }) },
    });
    expect(graded).toMatchObject({ kind: "scored" });
    expect(graded.kind === "scored" && graded.scores["score"]).toBe(score);
  });

  it("take the only score for the main one, and weigh nothing where that is not clear", async () => {
    const one = await grade({ a: { gives: scored({ f1: 0.4 }) } });
    expect(one).toEqual(scored({ score: 0.4, "a.f1": 0.4 }));
    const two = await grade({ a: { gives: scored({ f1: 0.4, em: 1 }) } });
    expect(two).toEqual(scored({ "a.f1": 0.4, "a.em": 1 }));
  });

  it("lose only the invalid one's metrics, which counts as 0 among the others", async () => {
    const graded = await grade({ a: { gives: raised }, b: {} });
    expect(graded).toEqual({
      ...scored({ score: 0.5, b: 1 }),
      judge: { a: { payload: 1, invalid: true, error: { type: "ValueError", message: "no" } } },
    });
  });

  it("are invalid where all are", async () => {
    expect(await grade({ a: { gives: raised }, b: { gives: raised } })).toMatchObject({
      kind: "invalid",
      type: "ValueError",
      message: "a: no",
      judge: { invalid: true, a: { invalid: true }, b: { invalid: true } },
    });
  });

  it("have no grade where one can't be reached, and say which", async () => {
    const lost: Graded = { kind: "ungraded", type: "timeout", message: "no answer" };
    expect(await grade({ a: {}, b: { gives: lost } })).toEqual({
      kind: "ungraded",
      type: "timeout",
      message: "b: no answer",
    });
  });

  it("keep what each printed and said under its name", async () => {
    expect(await grade({ a: { gives: said("x") }, b: { gives: said("y") } })).toMatchObject({
      judge: { a: { word: "x" }, b: { word: "y" } },
      printed: "[a] x!\n[b] y!",
    });
  });

  it("are another grader by another weight, name or code", async () => {
    const hashes = await Promise.all(
      [{ a: {} }, { b: {} }, { a: { weight: 2 } }, { a: {}, b: {} }].map(
        async (ones) => (await open(ones)).hash,
      ),
    );
    expect(new Set(hashes).size).toBe(4);
  });
});

const lines = ["s1", "s2"].map((sample_id, i): BatchSample => ({
  sample_id,
  task_id: "t",
  model: "app",
  prompt: "p",
  target: null,
  output_text: "x",
  extracted_output: "x",
  extracted_fields: {},
  dataset_row: {},
  response_id: null,
  scores: { each: i, score: i },
  judge: { each: { why: "w" } },
}));

const samples = {
  async *[Symbol.asyncIterator]() {
    for (const line of lines) yield JSON.stringify(line);
  },
};

const batch = code("aggregate");

function gave(
  metrics: Readonly<Record<string, number>>,
  updates: Extract<BatchGraded, { kind: "graded" }>["updates"] = [],
): BatchGraded {
  return { kind: "graded", metrics, updates, printed: null, notes: [] };
}

const broken: BatchGraded = {
  kind: "invalid",
  type: "KeyError",
  message: "secret words",
  judge: {},
  printed: null,
};

async function gradeBatch(ones: Readonly<Record<string, One>>): Promise<BatchGraded> {
  const { gradeBatch: run } = await open(ones);
  if (run === undefined) throw new Error("no gradeBatch");
  return run({ task: "t", candidate: "app" }, samples);
}

describe("batch graders among several", () => {
  it("give metrics and updates under their names, and leave the others' words", async () => {
    const update = { sample_id: "s2", scores: { score: 1, b: 2 }, judge: { seen: true } };
    const graded = await gradeBatch({
      each: {},
      all: { grader: batch, weight: 0, batch: () => gave({ f1: 0.5, score: 0.25 }, [update]) },
      too: { grader: batch, weight: 0, batch: (given) => gave({ n: given.length }) },
    });
    expect(graded).toEqual(
      gave({ "all.f1": 0.5, all: 0.25, "too.n": 2 }, [
        {
          sample_id: "s2",
          scores: { all: 1, "all.b": 2 },
          judge: { each: { why: "w" }, all: { seen: true } },
        },
      ]),
    );
  });

  it("are part of the weighted score where they have a weight and score each sample", async () => {
    const updates = lines.map(({ sample_id }) => ({ sample_id, scores: { score: 1 } }));
    const graded = await gradeBatch({
      each: {},
      all: { grader: batch, batch: () => gave({}, updates) },
    });
    expect(graded).toEqual(
      gave({}, [
        { sample_id: "s1", scores: { all: 1, score: 0.5 } },
        { sample_id: "s2", scores: { all: 1, score: 1 } },
      ]),
    );
  });

  it("cost their own metrics where they are invalid, and say so without quoting a case", async () => {
    const graded = await gradeBatch({
      each: {},
      all: { grader: batch, weight: 0, batch: () => broken },
    });
    expect(graded).toEqual({
      ...gave({}),
      details: { all: { error: { type: "KeyError", message: "secret words" } } },
      notes: ["all: grade_batch gave no valid result (KeyError): its metrics are missing"],
    });
    expect(await gradeBatch({ all: { grader: batch, weight: 0, batch: () => broken } })).toEqual({
      ...broken,
      message: "all: secret words",
    });
  });

  it("leave the run to be gone on with where one can't be reached", async () => {
    const lost: BatchGraded = { kind: "ungraded", type: "cancelled", message: "stopped" };
    expect(
      await gradeBatch({ each: {}, all: { grader: batch, weight: 0, batch: () => lost } }),
    ).toEqual({ ...lost, message: "all: stopped" });
  });

  it("own their scores and words, and no others'", async () => {
    const { batchPart } = await open({ each: {}, all: { grader: batch, weight: 0 } });
    const ids = ["all", "all.f1", "each", "each.all", "allover", "score"];
    expect(ids.filter((id) => batchPart?.scores(id))).toEqual(["all", "all.f1"]);
    expect(["all", "each"].filter((key) => batchPart?.judge(key))).toEqual(["all"]);
    const weighed = await open({ each: {}, all: { grader: batch, weight: 1 } });
    expect(weighed.batchPart?.scores("score")).toBe(true);
    expect((await open({ all: { grader: batch } })).batchPart).toBeUndefined();
  });
});
