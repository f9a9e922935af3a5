import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { JudgeCalibration } from "../../src/model/judge-calibration.ts";
import { repository } from "../support/cli.ts";
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
      /support-tickets\/label · classifier \(by 4 labels\) +152 +0\.934 .* 0\.684 /,
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

  it("is refused beside what has no meaning there", async () => {
    const end = await calibrate("labels.jsonl", "", "--runs", "3");
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining("--runs") });
  });
});
