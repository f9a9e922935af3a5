import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { BatchGraded, BatchSample } from "../../src/model/grading.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import { outcomeOf } from "../../src/model/outcomes/sample.ts";
import { jsonLines } from "../support/cli.ts";
import { gave, leftBy, runFixture, type FakePython } from "../support/run-fixture.ts";

interface Parts {
  readonly metrics?: string;
  readonly gate?: string;
  readonly answers?: readonly (string | undefined)[];
  readonly more?: string;
}

const labels = ["yes", "no", "yes", "no", "yes", "no"];

/** Six questions, a recording, a batch grader; `undefined` among the answers: not recorded. */
function files({ metrics, gate, answers = labels, more = "" }: Parts = {}): Record<string, string> {
  const rows = labels.map((label, i) => ({ id: `c${i}`, q: `q${i}`, label }));
  const outputs = answers.flatMap((output, i) =>
    output === undefined ? [] : [{ case_id: `c${i}`, output_text: output }],
  );
  return {
    "suite.yaml": [
      "name: batch",
      "dataset: data.jsonl",
      'prompt_template: "{{q}}"',
      'target_template: "{{label}}"',
      "grader: { type: python, contract: batch, file: grader.py }",
      metrics === undefined ? "" : `metrics: ${metrics}`,
      "candidates: { app: { replay: outputs.jsonl } }",
      `gate: ${gate ?? "none"}`,
      more,
    ].join("\n"),
    "data.jsonl": jsonLines(rows),
    "outputs.jsonl": jsonLines(outputs),
    "grader.py": "",
  };
}

function isRight(sample: BatchSample): number {
  return sample.extracted_output === sample.target ? 1 : 0;
}

/** Accuracy of the batch, and whether each sample is right. */
function accuracy(samples: readonly BatchSample[]): BatchGraded {
  return gave(
    { accuracy: samples.reduce((sum, each) => sum + isRight(each), 0) / samples.length },
    samples.map((each) => ({ sample_id: each.sample_id, scores: { correct: isRight(each) } })),
  );
}

async function runOnce(parts: Parts, gradeBatch: NonNullable<FakePython["gradeBatch"]>) {
  await using fixture = await createFixture(files(parts));
  await runFixture(fixture, { python: { gradeBatch } });
  return await leftBy(fixture);
}

function valueOf(run: Run, metric: string) {
  return run.metrics.find((each) => each.metric === metric && each.slice === null);
}

const declared = "[{ id: accuracy, range: [0, 1] }, { id: correct, range: [0, 1] }]";
const wrongTwice = ["yes", "no", "no", "no", "yes", "yes"];

describe("what grade_batch is given", () => {
  it("is the documented sample, all of them, in the data's order, once", async () => {
    const seen: (readonly BatchSample[])[] = [];
    await runOnce({ answers: wrongTwice }, (samples) => {
      seen.push(samples);
      return gave({});
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.map(({ prompt }) => prompt)).toEqual(["q0", "q1", "q2", "q3", "q4", "q5"]);
    expect(seen[0]?.[2]).toEqual({
      sample_id: expect.stringMatching(/^sample_[0-9a-f]{24}$/),
      task_id: "batch",
      model: "app",
      prompt: "q2",
      target: "yes",
      output_text: "no",
      extracted_output: "no",
      extracted_fields: {},
      dataset_row: { id: "c2", q: "q2", label: "yes" },
      response_id: null,
      scores: {},
      judge: null,
    });
  });

  it("lacks what could not be asked, and says so", async () => {
    let given = 0;
    const answers = ["yes", undefined, "yes", "no", "yes", "no"];
    const { run, scores } = await runOnce({ answers }, (samples) => {
      given = samples.length;
      return gave({ accuracy: 1 });
    });
    expect(given).toBe(5);
    expect(scores.map(({ outcome }) => outcome)).toContain("ungraded");
    expect(valueOf(run, "accuracy")).toMatchObject({ value: 1, n: 5 });
    expect(run.gate.reasons.join()).toContain("was not given 1 sample");
  });

  it("is a candidate's and a task's own, repeats and all", async () => {
    const manifest = files()["suite.yaml"]?.replace(
      "candidates: { app: { replay: outputs.jsonl } }",
      "repeats: 2\ncandidates: { a: { replay: outputs.jsonl }, b: { replay: outputs.jsonl } }",
    );
    await using fixture = await createFixture({ ...files(), "suite.yaml": manifest ?? "" });
    const sizes: Record<string, number> = {};
    await runFixture(fixture, {
      python: {
        gradeBatch: (samples, { candidate }) => {
          sizes[candidate] = samples.length;
          return gave({ accuracy: candidate === "a" ? 0.25 : 0.75 });
        },
      },
    });
    const { run } = await leftBy(fixture);
    expect(sizes).toEqual({ a: 12, b: 12 });
    expect(run.metrics.map(({ candidate, value }) => [candidate, value])).toEqual([
      ["a", 0.25],
      ["b", 0.75],
    ]);
  });
});

describe("what grade_batch returns", () => {
  it("becomes metrics as it is, and scores of samples with an interval", async () => {
    const { run, samples, scores } = await runOnce(
      { metrics: declared, answers: wrongTwice },
      accuracy,
    );
    expect(valueOf(run, "accuracy")).toMatchObject({
      aggregation: "returned",
      value: 4 / 6,
      n: 6,
      stderr: null,
      ci: null,
      ci_method: null,
    });
    expect(valueOf(run, "correct")).toMatchObject({ value: 4 / 6, ci_method: "wilson" });
    expect(samples.map((each) => each.scores["correct"])).toEqual([1, 1, 0, 1, 1, 0]);
    expect(scores.map((each) => each.scores)).toEqual(samples.map((each) => each.scores));
    expect(run.batches).toMatchObject([{ outcome: "scored", samples: 6, dropped: [], notes: [] }]);
    expect(run.request_counts).toEqual({ total: 6, completed: 6, failed: 0 });
  });

  it("is dropped where the task does not declare it, and that is said", async () => {
    const { run, summary } = await runOnce(
      { metrics: "[{ id: correct, range: [0, 1] }]" },
      accuracy,
    );
    expect(run.metrics.map(({ metric }) => metric)).toEqual(["correct"]);
    expect(run.batches).toMatchObject([{ metrics: {}, dropped: ["accuracy"] }]);
    expect(run.gate.reasons.join()).toContain('dropped of what grade_batch returned: "accuracy"');
    expect(summary).toContain("dropped of what grade");
  });

  it("is all accepted where the task declares no metrics, but for names no rule could use", async () => {
    const { run } = await runOnce({}, () => gave({ macro_f1: 0.5, "a b": 1, loss: -2 }));
    expect(run.metrics.map(({ metric, value }) => [metric, value])).toEqual([
      ["macro_f1", 0.5],
      ["loss", -2],
    ]);
    expect(run.suite.tasks["batch"]?.metrics.map(({ id }) => id)).toEqual(["macro_f1", "loss"]);
    expect(run.batches?.[0]?.dropped).toEqual(["a b"]);
  });

  it("is all accepted, too, where the task only says how to aggregate what Regrade measures", async () => {
    const { run } = await runOnce({ metrics: "[{ id: latency_seconds, aggregation: p95 }]" }, () =>
      gave({ macro_f1: 0.5 }),
    );
    expect(run.metrics.map(({ metric, value }) => [metric, value])).toEqual([["macro_f1", 0.5]]);
    const ids = run.suite.tasks["batch"]?.metrics.map(({ id }) => id);
    expect(ids).toEqual(["macro_f1", "latency_seconds"]);
    expect(run.batches?.[0]?.dropped).toEqual([]);
  });

  it("merges scores, replaces or clears judge, and replaces the extracted output", async () => {
    const { samples } = await runOnce({}, (all) => {
      const [a, b, c] = all.map(({ sample_id }) => sample_id);
      return gave({}, [
        { sample_id: a ?? "", scores: { one: 1 } },
        { sample_id: a ?? "", scores: { two: 2 }, judge: { why: "because" } },
        { sample_id: b ?? "", judge: { why: "x" } },
        { sample_id: b ?? "", judge: null },
        { sample_id: c ?? "", extracted_output: "YES" },
      ]);
    });
    const byCase = new Map(samples.map((each) => [each.case_id, each]));
    expect(byCase.get("c0")).toMatchObject({
      scores: { one: 1, two: 2 },
      judge: { why: "because" },
    });
    expect(byCase.get("c1")).toMatchObject({ scores: {}, judge: null });
    expect(byCase.get("c2")).toMatchObject({ extracted_output: "YES", output_text: "yes" });
    expect(samples).toHaveLength(6);
  });

  it("may name samples that are not there, or one twice: said, and the others stand", async () => {
    const { run, samples } = await runOnce({}, (all) => {
      const [first] = all;
      return gave({ m: 1 }, [
        ...all.map(({ sample_id }) => ({ sample_id, scores: { s: 1 } })),
        { sample_id: first?.sample_id ?? "", scores: { s: 0 } },
        { sample_id: "sample_forged", scores: { s: 9 } },
      ]);
    });
    expect(samples.filter(({ scores }) => scores["s"] === 1)).toHaveLength(5);
    expect(samples.filter(({ scores }) => scores["s"] === 0)).toHaveLength(1);
    const notes = run.batches?.[0]?.notes.join() ?? "";
    expect(notes).toContain('1 sample that it was not given: "sample_forged"');
    expect(notes).toContain("1 sample more than once");
  });

  it("may be a metric and a score of the same name: what was returned counts", async () => {
    const { run } = await runOnce({ metrics: "[{ id: m, range: [0, 1] }]" }, (all) =>
      gave(
        { m: 0.25 },
        all.map(({ sample_id }) => ({ sample_id, scores: { m: 1 } })),
      ),
    );
    expect(valueOf(run, "m")).toMatchObject({ value: 0.25, aggregation: "returned" });
    expect(run.batches?.[0]?.notes.join()).toContain("what it returned is the metric");
  });
});

describe("a grade_batch that comes to nothing", () => {
  const invalid: BatchGraded = {
    kind: "invalid",
    type: "ValueError",
    message: "no labels",
    judge: { invalid: true, payload: { big: 1 } },
    printed: "hello",
  };

  it("by its own fault counts as wrong, and says why", async () => {
    const metrics =
      "[{ id: accuracy, range: [0, 1] }, { id: loss, higher_is_better: false, range: [0, 9] }]";
    const { run, samples, scores, summary } = await runOnce({ metrics, gate: "{}" }, () => invalid);
    expect(samples.map(outcomeOf)).toEqual(labels.map(() => "invalid"));
    expect(samples[0]).toMatchObject({
      scores: { accuracy: 0, loss: 9 },
      judge: { invalid: true, batch: true, error: { type: "ValueError", message: "no labels" } },
      error: { stage: "grade", fault: "grader", type: "ValueError" },
    });
    expect(scores.every(({ outcome }) => outcome === "invalid")).toBe(true);
    expect(valueOf(run, "accuracy")?.value).toBe(0);
    expect(valueOf(run, "loss")?.value).toBe(9);
    expect(run.batches).toMatchObject([
      { outcome: "invalid", judge: { payload: { big: 1 } }, printed: "hello" },
    ]);
    expect(run.gate.verdict).toBe("error");
    expect(run.gate.reasons.join()).toContain("grade_batch gave no valid result (ValueError)");
    expect(summary).toContain("ValueError");
  });

  it("by nobody's fault leaves its samples ungraded", async () => {
    const { run, samples } = await runOnce({ metrics: declared, gate: "{}" }, () => ({
      kind: "ungraded",
      type: "rate_limited",
      message: "quota",
    }));
    expect(samples.map(outcomeOf)).toEqual(labels.map(() => "ungraded"));
    expect(run.gate.verdict).toBe("error");
    expect(run.request_counts).toEqual({ total: 6, completed: 0, failed: 6 });
    expect(valueOf(run, "accuracy")).toMatchObject({ value: null, n: 0 });
  });
});

function giving(accuracyGiven: number): FakePython {
  return { gradeBatch: () => gave({ accuracy: accuracyGiven }) };
}

/** What a gate says of two runs in which grade_batch returned these values. */
async function verdictOf(gate: string, values: readonly [number, number]) {
  await using fixture = await createFixture(files({ metrics: declared, gate: "none" }));
  await runFixture(fixture, { python: giving(values[0]), out: "base" });
  await fixture.writeFile("suite.yaml", files({ metrics: declared, gate })["suite.yaml"] ?? "");
  const { run } = await runFixture(fixture, { python: giving(values[1]), baseline: "base" });
  const [found] = run.gate.rules;
  return { rule: found, text: `${run.gate.verdict} ${found?.outcome} ${found?.code}` };
}

function rule(text: string): string {
  return `{ rules: [{ metric: accuracy, ${text} }] }`;
}

describe("gates on a metric that only a batch gives", () => {
  it.each<[string, readonly [number, number], string]>([
    ["min: 0.5", [0.9, 0.6], "pass met within_limit"],
    ["min: 0.7", [0.9, 0.6], "fail missed beyond_limit"],
    ["max: 0.7", [0.9, 0.6], "pass met within_limit"],
    ["max_drop: 0.1, prove: nothing", [0.9, 0.85], "pass met within_limit"],
    ["max_drop: 0.1, prove: nothing", [0.9, 0.8], "fail missed beyond_limit"],
    ["max_drop: 0.1", [0.9, 0.95], "pass met no_drop_detected"],
    ["max_drop: 0.1", [0.9, 0.85], "pass met drop_within_limit"],
    ["max_drop: 0.1", [0.9, 0.6], "inconclusive inconclusive not_provable"],
  ])("%s, %j: %s", async (text, values, expected) => {
    expect((await verdictOf(rule(text), values)).text).toBe(expected);
  });

  it("by the default rule is inconclusive where a drop is seen, with the reason and a way out", async () => {
    const { text, rule: found } = await verdictOf("{}", [0.9, 0.6]);
    expect(text).toBe("inconclusive inconclusive not_provable");
    expect(found).toMatchObject({ value: 0.6, baseline: 0.9, n: 6, p: null, test: null });
    expect(found?.reason).toContain("without scores by case");
    expect(found?.reason).toContain("`prove: nothing`");
  });

  it("are not compared over other cases", async () => {
    const more = `${files()["data.jsonl"]}{"id":"c9","q":"q9","label":"yes"}\n`;
    await using fixture = await createFixture(files({ metrics: declared, gate: "none" }));
    const python: FakePython = { gradeBatch: () => gave({ accuracy: 0.5 }) };
    await runFixture(fixture, { python, out: "base" });
    const gate = rule("max_drop: 0.1, prove: nothing");
    await fixture.writeFile("suite.yaml", files({ metrics: declared, gate })["suite.yaml"] ?? "");
    await fixture.writeFile("data.jsonl", more);
    const { run } = await runFixture(fixture, { python, baseline: "base" });
    expect(run.gate.rules[0]).toMatchObject({ outcome: "inconclusive", code: "not_comparable" });
    expect(run.gate.rules[0]?.reason).toContain("for other cases");
  });

  it("say of a metric that was declared and not given that it is missing", async () => {
    const { run } = await runOnce({ metrics: declared, gate: rule("min: 0.5") }, () =>
      gave({ acuracy: 1 }),
    );
    expect(run.gate.rules[0]).toMatchObject({ outcome: "missed", code: "metric_missing" });
    expect(run.gate.rules[0]?.reason).toContain("`acuracy`");
  });
});
