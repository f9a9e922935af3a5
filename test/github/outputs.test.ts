import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import type { SuiteEnd } from "../../src/github/runner/conclusion.ts";
import { makeOutputs, writeOutputs } from "../../src/github/runner/outputs.ts";
import { exampleMetric, exampleRule, exampleRun } from "./example-run.ts";

const conclusion = { verdict: "fail", exitCode: 1, stepCode: 1 } as const;
const paths = {
  runPath: "/t/r",
  summaryPath: "/t/r/summary.md",
  commentUrl: "https://github.com/owner/app/pull/7#issuecomment-1",
  checkUrls: ["https://github.com/owner/app/runs/5"],
  artifactIds: [12, 13],
};

function outputs(...runs: ReturnType<typeof exampleRun>[]) {
  const ends = runs.map((run): SuiteEnd => ({
    kind: "finished",
    manifest: "a",
    run,
    directory: "/t/r",
    summary: "",
    warnings: [],
  }));
  return makeOutputs({ conclusion, ends, ...paths });
}

describe("makeOutputs", () => {
  it("gives exactly the outputs that action.yml declares", async () => {
    const action: unknown = parse(await readFile("action.yml", "utf8"));
    const declared = Object.keys((action as { outputs: object }).outputs);
    expect(Object.keys(outputs().values).toSorted()).toEqual(declared.toSorted());
  });

  it("counts a case once though it broke in several metrics and slices", () => {
    const run = exampleRun({
      rules: [
        exampleRule({ metric: "a", broke: 5, fixed: 1 }),
        exampleRule({ metric: "b", broke: 3, fixed: 2 }),
        exampleRule({ metric: "a", broke: 9, fixed: 9, slice: "lang=de" }),
        exampleRule({ task: "other", broke: 1, fixed: 0 }),
        exampleRule({ kind: "min", broke: null, fixed: null }),
      ],
      cases: { invalid: 1, failed: 2, ungraded: 3, missing: 4 },
    });
    expect(outputs(run, run).values).toMatchObject({
      regressed: "12",
      fixed: "4",
      errors: "12",
      missing: "8",
      "artifact-id": "12,13",
    });
  });

  it("tells the metrics as JSON that a later step can read", () => {
    const { metrics } = outputs(
      exampleRun({ metrics: [exampleMetric({ value: null, ci: null })] }),
    ).values;
    expect(JSON.parse(metrics ?? "")).toEqual([
      {
        suite: "support-bot",
        task: "qa",
        candidate: "main",
        metric: "exact_match",
        slice: null,
        value: null,
        n: 10,
        ci: null,
      },
    ]);
  });

  it.each([
    { slices: 3000, whole: 10, kept: 10, words: "no slices" },
    { slices: 0, whole: 3000, kept: 0, words: "no metrics" },
  ])("stays below GitHub's limit and says what it left out: $words", (given) => {
    const { slices, whole, kept, words } = given;
    const run = exampleRun({
      metrics: [
        ...Array.from({ length: slices }, (_, i) => exampleMetric({ slice: `field=${i}` })),
        ...Array.from({ length: whole }, (_, i) => exampleMetric({ metric: `metric_${i}` })),
      ],
    });
    const { values, problems } = outputs(run);
    expect(JSON.parse(values["metrics"] ?? "")).toHaveLength(kept);
    expect(problems.map(({ message }) => message).join()).toContain(words);
  });
});

describe("writeOutputs", () => {
  it("prints nothing where there is no runner", () => {
    expect(writeOutputs({}, { verdict: "pass" })).toEqual([]);
  });
});
