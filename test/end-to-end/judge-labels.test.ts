import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { JudgeCalibration } from "../../src/model/figures/judge-calibration.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import { judgeChange } from "../support/change.ts";
import { repository } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { runCli } from "./run-cli.ts";

const scores: Readonly<Record<string, number>> = {
  "en-billing-01": 1,
  "en-billing-02": 1,
  "en-billing-03": 1,
  "en-billing-04": 1,
};

async function calibrate(file: string, content: string, ...flags: readonly string[]) {
  await using fixture = await createFixture({ [file]: content });
  const argv = ["calibrate", "examples/quickstart/baseline", "--judge", join(fixture.path, file)];
  const end = await runCli([...argv, ...flags], { directory: repository });
  return { ...end, stderr: end.stderr.replaceAll(fixture.path, "") };
}

const lines = (rows: readonly object[]): string =>
  rows.map((row) => JSON.stringify(row)).join("\n");

const pythonGrader = "{ type: python, metric_id: right, file: grader.py }";

function right(compares: string): string {
  return `def grade(sample, item):
    return 1.0 if sample["output_text"] ${compares} item["a"] else 0.0
`;
}

async function readRun(folder: string, name: string): Promise<Run> {
  return JSON.parse(await readFile(join(folder, name, "run.json"), "utf8"));
}

const wrong = (i: number): string | undefined => (i < 15 ? "wrong" : undefined);

describe("regrade calibrate RUN --judge LABELS", () => {
  it("shows agreement, bias by slice and the mean that people would give, bound to rubric and model", async () => {
    const labels = Object.keys(scores).map((case_id, i) => ({ case_id, label: i === 0 ? 0 : 1 }));
    const end = await calibrate("labels.jsonl", lines(labels), "--json");
    expect({ code: end.code, stderr: end.stderr }).toEqual({ code: 0, stderr: "" });
    const { metrics, notes } = JSON.parse(end.stdout) as JudgeCalibration;
    expect(metrics).toMatchObject([
      {
        task: "support-tickets",
        metric: "label",
        labels: 4,
        agreement: { count: 3, of: 4 },
        bias: { value: 0.25 },
        confusion: [
          { people: 0, judge: 1, count: 1 },
          { people: 1, judge: 1, count: 3 },
        ],
        means: [{ candidate: "classifier", samples: 152, labels: 4 }],
      },
    ]);
    const [found] = metrics;
    expect(found?.bound.grader).toMatch(/^sha256:/);
    const [mean] = found?.means ?? [];
    expect(mean?.prediction_powered?.value).toBeCloseTo((mean?.judge.value ?? 0) - 0.25, 12);
    expect(notes.join(" ")).toContain("With fewer than 30 labels intervals are rough.");
  });

  it("prints what it found, and takes what most people say", async () => {
    const labels = ["a", "b", "c"].flatMap((labeler, i) =>
      Object.keys(scores).map((case_id) => ({ case_id, labeler, urgency: i === 2 ? 0 : 1 })),
    );
    const end = await calibrate("labels.jsonl", lines(labels));
    expect(end.code).toBe(0);
    expect(end.stdout).toMatch(/support-tickets\/urgency: the judge beside people, on 4 samples/);
    expect(end.stdout).toMatch(/people among themselves: alpha −/);
    expect(end.stdout).toMatch(/Rogan–Gladen/);
  });

  it("names all that is wrong with the labels at once, with their lines", async () => {
    const bad = "case_id,label\nnobody,1\nen-billing-01,2\nen-billing-02,x\n,1\nen-billing-03,\n";
    const end = await calibrate("labels.csv", bad);
    expect(end.code).toBe(2);
    expect(end.stderr).toMatch(
      /csv:2: the label is of the case "nobody".*csv:3: .*is 2, outside.*csv:4: .*no number.*csv:5: .*no `case_id`.*csv:6: .*no value.*5 problems/s,
    );
    const twice = [1, 0].map((label) => ({ case_id: "en-billing-01", label }));
    expect((await calibrate("labels.jsonl", lines(twice))).stderr).toContain("is there twice");
    expect((await calibrate("labels.jsonl", "\n")).stderr).toContain("holds no label");
    expect((await calibrate("labels.jsonl", "{")).stderr).toContain("labels.jsonl:1");
  });

  it("corrects another run of the same rubric and model, and is void for any other", async () => {
    const labels = Object.keys(scores).map((case_id, i) => ({ case_id, label: i === 0 ? 0 : 1 }));
    const { stdout } = await calibrate("labels.jsonl", lines(labels), "--json");
    const again = await calibrate("judge.json", stdout);
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toMatch(
      /support-tickets\/label · classifier +4 labels +0\.934 .* 0\.684 .*prediction-powered/,
    );
    const other = stdout.replace(/"grader":"sha256:./, '"grader":"sha256:_');
    const gone = await calibrate("judge.json", other);
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain(
      "judge.json: the calibration of support-tickets/label is void: the grader with its rubric changed since",
    );
    for (const bad of ["{}", "[1]", "{", stdout.replace('"bias"', '"bbias"')])
      expect((await calibrate("judge.json", bad)).stderr).toContain("no calibration of a judge");
  });

  it("is kept, shown beside the metric in later runs, and void where the rubric is another one", async () => {
    const of = { grader: pythonGrader, gate: "{ rules: [{ metric: right, min: 0.5 }] }" };
    await using fixture = await createFixture({
      ...suiteFiles({ ...of, answer: wrong }),
      "evals/grader.py": right("=="),
    });
    const directory = fixture.path;
    expect((await runCli(["run", "evals/qa.yaml", "--out", "one"], { directory })).code).toBe(0);
    // People call 10 of the 15 wrong answers wrong, and 5 of the right ones.
    const labels = Array.from({ length: 60 }, (_, i) => ({
      case_id: `c${i}`,
      label: i < 10 || i >= 55 ? 0 : 1,
    }));
    await fixture.writeFile("labels.jsonl", lines(labels));
    const argv = ["calibrate", "one", "--judge", "labels.jsonl", "--write", "evals/judge.json"];
    const kept = await runCli(argv, { directory });
    expect(kept).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Kept in evals/judge.json"),
    });

    const named = suiteFiles({ ...of, more: ["judge_calibration: judge.json"] });
    await fixture.writeFile("evals/qa.yaml", named["evals/qa.yaml"] ?? "");
    const next = await runCli(["run", "evals/qa.yaml", "--out", "two"], { directory });
    expect(next.stdout).toMatch(
      /judge +qa\/right, app: 0\.750 \(.*\) by the judge; 0\.750 \(.*\) as people would give it, Rogan–Gladen \(60 labels: the same score 50 of 60, kappa 0\.556/,
    );
    const { judges, suite: described } = await readRun(fixture.path, "two");
    expect(judges).toMatchObject([
      { kind: "calibrated", metric: "right", labels: 60, corrected: { method: "rogan_gladen" } },
    ]);
    expect(described.judge_calibration?.path).toBe("judge.json");
    const summary = await fixture.readFile("two/summary.md", "utf8");
    expect(summary).toContain("<details><summary>The judge beside people</summary>");
    expect(summary).toMatch(/`qa\/right` \| 0\.750 .*Rogan–Gladen.*50 of 60; kappa 0\.556/);
    const again = await runCli(["compare", "one", "two", "--json"], { directory });
    expect((JSON.parse(again.stdout) as Run).judges).toEqual(judges);
    const rules = '{"rules": [{"metric": "right", "max_drop": 0.05, "prove": "no_drop"}]}';
    await fixture.writeFile(
      "evals/qa.yaml",
      (named["evals/qa.yaml"] ?? "").replace(/^gate:.*$/m, `gate: ${rules}`),
    );
    const paired = ["run", "evals/qa.yaml", "--baseline", "one", "--out", "paired"];
    const compared = await runCli(paired, { directory });
    expect(compared.stdout).toMatch(
      /qa\/right, app: 0 by the judge is 0 \(90% interval .* in people's scores: it shows 0\.556 .* of a difference; no drop of 0\.0500 in theirs is none of 0\.0\d+ in its own/,
    );
    const [rule] = (await readRun(fixture.path, "paired")).gate.rules;
    // Of 45 answers that people call right the judge sees 40, of 15 wrong ones 10.
    expect(rule?.people?.slope.value).toBeCloseTo(40 / 45 + 10 / 15 - 1, 12);

    await fixture.writeFile("evals/grader.py", right("!="));
    const valid = await runCli(["validate", "evals/qa.yaml"], { directory });
    expect(valid.stderr).toMatch(
      /judge_calibration: the calibration of qa\/right is void: the grader with its rubric changed since/,
    );
    await runCli(["run", "evals/qa.yaml", "--out", "three"], { directory });
    expect((await readRun(fixture.path, "three")).judges).toEqual([
      {
        kind: "void",
        task: "qa",
        metric: "right",
        labels: 60,
        reason: "the grader with its rubric changed since",
      },
    ]);
    expect(await fixture.readFile("three/summary.md", "utf8")).toMatch(
      /\*\*The judge is not calibrated any more\*\*\s+- qa\/right: the calibration by 60 labels is void/,
    );
  });

  it("is the base's on a pull request: a change can't bring its own labels", async () => {
    const files = suiteFiles({ more: ["judge_calibration: judge.json"] });
    const bound = { grader: "sha256:of-another-grader", judge: null };
    const kept = (labels: number): string =>
      JSON.stringify({
        format: "regrade.judge-calibration/1",
        metrics: [
          {
            task: "qa",
            metric: "exact_match",
            bound,
            labels,
            agreement: { count: labels, of: labels, rate: 1, ci: [0.9, 1] },
            kappa: null,
            alpha: null,
            bias: { value: 0, ci: null },
            slope: null,
          },
        ],
      });
    await using judged = await judgeChange({
      base: { ...files, "evals/judge.json": kept(50) },
      head: { ...files, "evals/judge.json": kept(5000) },
    });
    expect(judged.run.suite.judge_calibration?.metrics).toMatchObject([{ labels: 50 }]);
    expect(judged.run.policy?.changed).toMatchObject([
      { part: "gate", note: "the labels of `judge_calibration` differ" },
    ]);
  });

  it.each([
    [["--judge", "labels.jsonl", "--write", "labels.txt"], "kept in a .json file"],
    [["--write", "judge.json"], "--judge is not given"],
  ])("is not kept by %j", async (flags, message) => {
    const argv = ["calibrate", "examples/quickstart/baseline", ...flags];
    const end = await runCli(argv, { directory: repository });
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it("is refused beside what has no meaning there", async () => {
    const end = await calibrate("labels.jsonl", "", "--runs", "3");
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining("--runs") });
  });
});
