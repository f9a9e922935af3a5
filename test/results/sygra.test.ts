import { createFixture } from "fs-fixture";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRunDirectory, regrade } from "../support/cli.ts";

function record(question: string, correct: boolean, more: object = {}): object {
  const match = {
    correct,
    golden: { text: "Art" },
    predicted: { text: correct ? "art" : "Music" },
    metadata: { validator: "exact_match" },
  };
  return {
    problem: question,
    topic: "Art",
    predicted_topic: match.predicted.text,
    exact_match: match,
    ...more,
  };
}

const uuid = "5f0c6d52-9a3e-4a58-8f0e-000000000001";

it("gates what SyGra recorded: results by field, lost records as wrong, random ids passed over", async () => {
  const main = [record("a", true, { id: uuid }), record("b", true), record("c", true)];
  const today = [
    record("a", false, { id: uuid.replace("1", "2") }),
    record("b", true),
    { problem: "c", topic: "Art", predicted_topic: null, exact_match: null },
  ];
  await using fixture = await createFixture({
    "main.json": JSON.stringify(main, null, 4),
    "today.jsonl": today.map((each) => `${JSON.stringify(each)}\n`).join(""),
    "MetricCollatorPostProcessor_x.json": JSON.stringify([
      { evaluation_summary: { total_records: 3 }, results: {} },
    ]),
  });
  const start = { in: fixture.path };
  const first = await regrade(["run", "--results", "main.json", "--out", "main"], start);
  expect(first.code, first.stderr).toBe(0);
  const argv = [
    "run",
    "--results",
    "today.jsonl",
    "--format",
    "sygra",
    "--baseline",
    "main",
    "--min",
    "0.5",
    "--out",
    "today",
  ];
  const second = await regrade(argv, start);
  expect(second.code, second.stderr).toBe(1);
  const { run } = await readRunDirectory(join(fixture.path, "today"));
  expect(run.metrics[0]).toMatchObject({ metric: "exact_match", n: 3, scale: "binary" });
  expect(run.metrics[0]?.value).toBeCloseTo(1 / 3);
  expect(run.cases).toMatchObject({ paired: 3, new: 0, missing: 0, failed: 1 });

  const report = await regrade(
    ["run", "--results", "MetricCollatorPostProcessor_x.json", "--format", "sygra"],
    start,
  );
  expect(report.code).toBe(2);
  expect(report.stderr).toContain("not the report beside it");
});
