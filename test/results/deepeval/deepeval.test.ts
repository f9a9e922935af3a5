import { describe, expect, test } from "vitest";
import type { ResultRow } from "../../../src/model/results.ts";
import { looksLikeDeepeval, openDeepeval } from "../../../src/results/deepeval/deepeval.ts";
import {
  headOf,
  readAll,
  type ReadResults,
  recorded,
  refusalOf,
  sourceOf,
} from "../../support/result-source.ts";

const read = async (name: string, metrics: readonly string[] = []): Promise<ReadResults> =>
  readAll(openDeepeval, sourceOf(recorded(`deepeval/${name}`), name), metrics);

describe("a test run of deepeval 4.3.1", () => {
  test("rows, repeats, metrics", async () => {
    const { rows, metrics, tool } = await read("head-single.json");
    expect(tool).toBe("deepeval");
    expect(rows).toHaveLength(80);
    expect(rows.filter(({ repeat }) => repeat === 1)).toHaveLength(40);
    expect(metrics).toEqual([
      { id: "pass", range: [0, 1], direction: "higher_is_better" },
      { id: "Right_Label", range: [0, 1], direction: "higher_is_better" },
      { id: "Wordiness_custom", range: [0, 1], direction: "lower_is_better" },
    ]);
    // As the tool counted them: `metricsScores`.
    const right = rows.filter(({ scores }) => scores["Right_Label"] === 1);
    expect(right).toHaveLength(2 * (40 - 12));
  });

  test("a name that the user gave is the id; the tool's own is a position", async () => {
    const { rows } = await read("base-single.json");
    expect(rows[0]).toMatchObject({
      at: "testCases[0]",
      id: "invoice-0",
      input: { input: "Where is my invoice from March?" },
      prompt: "Where is my invoice from March?",
      target: "billing",
      output: "The label is billing.",
      scores: { pass: 1, Right_Label: 1, Wordiness_custom: 0.3 },
      fields: { kind: "0", label: "billing" },
      usage: { input_tokens: 12, output_tokens: 5, usd: 0.0002 },
      latencyMs: 125,
    });
    expect(aboutInput(rows, "Where is my login from March?").id).toBeNull();
  });

  test("a metric that broke has no score, and its test has not failed for it", async () => {
    const { rows } = await read("base-single.json");
    const row = aboutInput(rows, "Where is my hours from March?");
    expect(row.result).toEqual({ kind: "scored" });
    expect(row.scores).toEqual({ Right_Label: 1 });
    expect(row.explanation).toBe(
      "Wordiness [custom]: it broke: ValueError: wordiness is not for opening hours",
    );
  });

  test("the words of what was not met", async () => {
    const { rows } = await read("head-single.json");
    const row = aboutInput(rows, "Where is my login from March?");
    expect(row.explanation).toBe("Right Label: 'other', and 'account' was expected");
  });

  test.each([["Right Label"], ["Right_Label"]])("the metric as %s", async (metric) => {
    const { rows, metrics } = await read("head-single.json", [metric]);
    expect(metrics.map(({ id }) => id)).toEqual(["Right_Label"]);
    expect(rows[0]?.scores).toEqual({ Right_Label: 0 });
  });

  test.each([["head-conversations.json"], ["latest_test_run.json"]])(
    "conversations in %s",
    async (name) => {
      const { rows, metrics } = await read(name);
      expect(metrics.map(({ id }) => id)).toEqual(["pass", "Polite"]);
      expect(rows.map(({ id, input, output, scores }) => ({ id, input, output, scores }))).toEqual([
        {
          id: null,
          input: { scenario: "Asks for help with a refund" },
          output: "Tell me more, please.",
          scores: { pass: 1, Polite: 1 },
        },
        {
          id: null,
          input: { scenario: "Asks for help with a crash" },
          output: "Tell me more.",
          scores: { pass: 0, Polite: 0 },
        },
        {
          id: null,
          input: { scenario: "Asks for help with a password" },
          output: "Tell me more, please.",
          scores: { pass: 1, Polite: 1 },
        },
      ]);
    },
  );
});

type Fields = Record<string, unknown>;

function testCase(change: Fields = {}, metric: Fields = {}): Fields {
  return {
    name: "test_case_0",
    input: "q",
    actualOutput: "a",
    success: true,
    metricsData: [{ name: "M", threshold: 0.5, success: true, score: 1, ...metric }],
    ...change,
  };
}

function run(testCases: readonly unknown[], more: Fields = {}): string {
  return JSON.stringify({ ...more, testCases, conversationalTestCases: [], runDuration: 1 });
}

const readRun = async (...given: Parameters<typeof run>): Promise<ReadResults> =>
  readAll(openDeepeval, sourceOf(run(...given)));

describe("cases", () => {
  test("pytest's names tell functions apart, not cases", async () => {
    const cases = [
      testCase({ name: "test_answers[case0-1-2]" }),
      testCase({ name: "test_answers[case0-2-2]" }),
      testCase({ name: "test_tone[case0]" }),
    ];
    const { rows } = await readRun(cases, { testFile: "test_app.py" });
    expect(rows.map(({ id, input, repeat }) => [id, input, repeat])).toEqual([
      [null, { test: "test_answers", input: "q" }, 0],
      [null, { test: "test_answers", input: "q" }, 1],
      [null, { test: "test_tone", input: "q" }, 0],
    ]);
  });

  test("one question with two expectations is no repeat", async () => {
    const cases = [testCase({ expectedOutput: "a" }), testCase({ expectedOutput: "b" })];
    expect((await readRun(cases)).rows.map(({ repeat }) => repeat)).toEqual([0, 0]);
  });

  test.each([
    [
      "no metric has a score",
      testCase({}, { score: null, error: "boom" }),
      { kind: "invalid", type: "metric_error", message: "boom" },
    ],
    [
      "no answer",
      testCase({ actualOutput: undefined }, { score: undefined, error: "needs it" }),
      { kind: "failed", type: "no_output", message: "needs it" },
    ],
    [
      "no metrics",
      testCase({ metricsData: [] }),
      { kind: "invalid", type: "no_score", message: "No metric has a score" },
    ],
  ])("%s", async (_, given, result) => {
    const { rows } = await readRun([given]);
    expect(rows[0]?.result).toEqual(result);
    expect(rows[0]?.scores).toEqual({});
  });

  test("a flaky metric that broke says nothing of the test", async () => {
    const flaky = { name: "F", flaky: true, error: "boom", success: null };
    const given = testCase();
    const { rows } = await readRun([
      {
        ...given,
        metricsData: [...(Array.isArray(given["metricsData"]) ? given["metricsData"] : []), flaky],
      },
    ]);
    expect(rows[0]?.scores).toEqual({ pass: 1, M: 1 });
  });
});

describe("what the scores show of a metric", () => {
  const [higher, lower] = ["higher_is_better", "lower_is_better"];
  test.each([
    { of: "met above its threshold", scores: [met(1)], is: [higher, [0, 1]] },
    { of: "met below, missed above", scores: [met(0.1), missed(0.9)], is: [lower, [0, 1]] },
    { of: "at the threshold only", scores: [met(0.5)], is: [higher, [0, 1]] },
    { of: "one way and the other", scores: [met(0.1), met(0.9)], is: [higher, [0, 1]] },
    { of: "beyond 1", scores: [met(7)], is: [higher, null] },
  ])("$of", async ({ scores, is: [direction, range] }) => {
    const { metrics } = await readRun(scores.map((score) => testCase({}, score)));
    expect(metrics[1]).toEqual({ id: "M", direction, range });
  });
});

test("the order of metrics is no row's: `pass`, then by name", async () => {
  const broken = { name: "Z", score: undefined, error: "boom" };
  const two = [
    { name: "Hard", score: 1, success: true },
    { name: "Easy", score: 1, success: true },
  ];
  const first = testCase({ metricsData: [...two, broken] });
  const { metrics } = await readRun([first, testCase({ metricsData: two })]);
  expect(metrics.map(({ id }) => id)).toEqual(["pass", "Easy", "Hard"]);
  // Where a metric broke in each test, none has `pass`: it stays what is judged.
  const { metrics: all } = await readRun([first]);
  expect(all.map(({ id }) => id)).toEqual(["pass", "Easy", "Hard"]);
  const asked = await readAll(openDeepeval, sourceOf(run([first])), ["Hard"]);
  expect(asked.metrics.map(({ id }) => id)).toEqual(["Hard"]);
});

function met(score: number): Fields {
  return { score, success: true };
}

function missed(score: number): Fields {
  return { score, success: false };
}

describe("bad files", () => {
  test.each([
    [
      "cut off",
      recorded("deepeval/base-single.json").subarray(0, 9000),
      /ends in the middle of .*, at byte 9000/,
    ],
    ["another JSON", `{"results": []}`, /no deepeval file: an object with "testCases"/],
    [
      "two metrics of one name",
      run([
        testCase({
          metricsData: [
            { name: "M", score: 1 },
            { name: "M", score: 0 },
          ],
        }),
      ]),
      /'metricsData\[1\]\.name' is the name "M", which is taken/,
    ],
    [
      "a metric called as ours is",
      run([testCase({}, { name: "pass" })]),
      /the name "pass", which is taken/,
    ],
    ["no input", run([testCase({ input: undefined })]), /testCases\[0\]: 'input' is missing/],
    [
      "a score that is a text",
      run([testCase({}, { score: "high" })]),
      /'score' is a text; a number was expected/,
    ],
  ])("%s", async (_, text, said) => {
    expect(await refusalOf(readAll(openDeepeval, sourceOf(text)))).toMatch(said);
  });

  test("no tests: no rows, which whoever reads them refuses", async () => {
    expect((await readRun([])).rows).toEqual([]);
  });
});

test("auto knows it by the tool's names", () => {
  for (const name of ["base-single.json", "base-conversations.json", "latest_test_run.json"])
    expect(looksLikeDeepeval(headOf(recorded(`deepeval/${name}`), name))).toBe(true);
  expect(looksLikeDeepeval(headOf(run([testCase()], { testFile: "t.py" })))).toBe(true);
  expect(looksLikeDeepeval(headOf(`{"testCases": []}`))).toBe(false);
});

function aboutInput(rows: readonly ResultRow[], prompt: string): ResultRow {
  const row = rows.find((each) => each.prompt === prompt);
  if (row === undefined) throw new Error(`no row about ${prompt}`);
  return row;
}
