import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { wazaFiles } from "../../../src/report/exports/waza.ts";
import type { Sample } from "../../../src/model/outcomes/sample.ts";
import { regrade } from "../../support/cli.ts";
import { sample } from "../../support/evidence-samples.ts";
import { storedRun } from "../../support/runs.ts";

const grade = (score: number, weight: number, feedback = ""): object => ({
  identifier: "g",
  type: "text",
  score,
  weight,
  passed: score === 1,
  feedback,
});

/** As waza 0.12 wrote it of three trials, with graders of the weights 3 and 1. */
const recorded = {
  eval_id: "run-1",
  eval_name: "e",
  config: { runs_per_test: 3, model_id: "m1", engine_type: "mock", timeout_sec: 30 },
  tasks: [
    {
      test_id: "a",
      status: "failed",
      runs: [
        {
          run_number: 1,
          status: "passed",
          duration_ms: 10,
          final_output: "a b z",
          validations: { g: grade(1, 3), h: grade(1, 1) },
        },
        {
          run_number: 2,
          status: "failed",
          duration_ms: 15,
          final_output: "a z",
          validations: { g: grade(0.5, 3, "Missing b"), h: grade(1, 1) },
        },
        {
          run_number: 3,
          status: "failed",
          duration_ms: 15,
          final_output: "b",
          validations: { g: grade(0.5, 3), h: grade(0, 1) },
        },
      ],
    },
    {
      test_id: "b",
      status: "failed",
      runs: [
        {
          run_number: 1,
          status: "error",
          duration_ms: 0,
          final_output: "",
          validations: null,
          error_msg: "boom",
        },
      ],
    },
  ],
};

const empty = {
  slice: null,
  aggregation: "mean",
  scale: "graded",
  value: 0,
  n: 1,
  stderr: null,
  ci: null,
  ci_method: null,
} as const;

const like = (id: string, range: readonly [number, number] | null, higher: boolean) => ({
  ...empty,
  task: "qa",
  candidate: "main",
  metric: id,
  range,
  higher_is_better: higher,
});

describe("a run in waza's files", () => {
  it("has waza's own figures of what waza recorded", async () => {
    await using fixture = await createFixture({ "r.json": JSON.stringify(recorded) });
    const at = { in: fixture.path };
    await regrade(["run", "--results", "r.json", "--out", "run", "-q"], at);
    const end = await regrade(["report", "run", "--as", "waza", "--out", "out"], at);
    expect(end.stderr).toContain("results.json");
    const written = JSON.parse(await readFile(fixture.getPath("out/results.json"), "utf8")) as {
      readonly tasks: readonly { readonly stats: object; readonly runs: readonly object[] }[];
    };
    expect(written).toMatchObject({
      schemaVersion: "1.0",
      eval_name: "e",
      config: { model_id: "m1", runs_per_test: 3 },
      summary: {
        total_tests: 2,
        succeeded: 0,
        failed: 2,
        errors: 0,
        success_rate: 0,
        duration_ms: 40,
      },
    });
    expect(written.tasks[0]).toMatchObject({
      test_id: "a",
      status: "failed",
      stats: { flaky: true, min_score: 0.25, max_score: 1, avg_duration_ms: 13 },
    });
    const stats = Object.entries({
      avg_score: 2 / 3,
      avg_weighted_score: 2 / 3,
      pass_rate: 1 / 3,
      std_dev_score: 0.31180478223116176,
    });
    for (const [name, figure] of stats)
      expect(
        Object.entries(written.tasks[0]?.stats ?? {}).find(([key]) => key === name)?.[1],
      ).toBeCloseTo(figure, 12);
    expect(written.tasks[0]?.runs[1]).toMatchObject({
      run_number: 2,
      status: "failed",
      final_output: "a z",
      validations: {
        g: { score: 0.5, passed: false, feedback: "Missing b" },
        h: { score: 1, passed: true },
      },
    });
    // waza counts a run with an error as passed there, and as failed everywhere else.
    expect(written.tasks[1]).toMatchObject({
      status: "failed",
      stats: { pass_rate: 1, avg_score: 0 },
      runs: [{ status: "error", error_msg: "boom", validations: null }],
    });
  });

  it("has scores from 0 to 1 of a suite of our own, by the range and direction of each metric", async () => {
    const { run } = storedRun({ id: "run_1", scores: [1] });
    const mixed = {
      ...run,
      candidates: [
        { id: "main", kind: "model", model: "x" },
        { id: "a/b", kind: "model", model: "y" },
      ] as const,
      metrics: [
        like("stars", [1, 5], true),
        like("slips", [0, 4], false),
        like("words", null, true),
      ],
    };
    const graded: Sample = { ...sample, scores: { stars: 4, slips: 0, words: 300 } };
    async function* samples(): AsyncGenerator<Sample> {
      yield graded;
    }
    const files = new Map<string, string>();
    for await (const { name, pieces } of wazaFiles({ run: mixed, samples })) {
      let text = "";
      for await (const piece of pieces) text += piece;
      files.set(name, text);
    }
    expect([...files.keys()]).toEqual(
      ["results_qa_main", "results_qa_a_b"].flatMap((name) =>
        ["json", "xml", "md", "txt"].map((ending) => `${name}.${ending}`),
      ),
    );
    expect(files.get("results_qa_main.xml")).toContain('<testcase name="a" classname=');
    expect(files.get("results_qa_main.xml")).toContain("[FAIL] stars (code): score=0.75");
    expect(files.get("results_qa_main.md")).toContain("| a | 0.88 | ❌ | slips, stars |");
    expect(files.get("results_qa_main.txt")).toContain("Overall Score: 0.88 — Good (70-90%)");
    expect(JSON.parse(files.get("results_qa_main.json") ?? "")).toMatchObject({
      tasks: [
        {
          runs: [
            {
              status: "failed",
              validations: {
                stars: { score: 0.75, passed: false },
                slips: { score: 1, passed: true },
              },
            },
          ],
        },
      ],
      summary: { aggregate_score: 0.875 },
    });
    expect(files.get("results_qa_main.json")).not.toContain("words");
    expect(JSON.parse(files.get("results_qa_a_b.json") ?? "")).toMatchObject({
      tasks: [],
      summary: { total_tests: 0 },
    });
  });
});
