import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, test } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { jsonLines, regrade } from "../support/cli.ts";

const grader = `def grade(sample, item):
    return {"scores": {"constructor": 1.0, "valueOf": 0.5}}
`;
const rows = ["constructor", "b"].map((id) => ({ id, q: id, toString: "x" }));

function suite(tasks: Readonly<Record<string, string>>): string {
  const parts = Object.entries(tasks).map(
    ([id, metric]) =>
      `  - { id: ${id}, dataset: { file: rows.jsonl }, prompt_template: "{{q}}", slices: [toString], grader: { type: python, file: grader.py }, metrics: [{ id: ${metric}, range: [0, 1] }] }\n`,
  );
  return `candidates: { valueOf: { command: [cat] } }\ngate: { rules: [{ metric: "*", max_drop: 0.1 }] }\ntasks:\n${parts.join("")}`;
}

test("tasks and metrics that a baseline lacks may be called as what every object inherits", async () => {
  await using fixture = await createFixture({
    "rows.jsonl": jsonLines(rows),
    "grader.py": grader,
    "base.yaml": suite({ qa: "valueOf" }),
    "suite.yaml": suite({ qa: "valueOf", constructor: "constructor" }),
  });
  const base = await regrade(["run", "base.yaml", "--out", "base"], { in: fixture.path });
  expect(base.code, base.stderr).not.toBe(70);
  const argv = ["run", "suite.yaml", "--out", "out", "--baseline", "base"];
  const end = await regrade(argv, { in: fixture.path });
  expect(end.code, end.stderr).not.toBe(70);
  const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
  for (const found of [
    { task: "qa", metric: "valueOf", value: 0.5 },
    { task: "constructor", metric: "constructor", value: 1 },
  ])
    expect(run.metrics).toContainEqual(expect.objectContaining({ ...found, slice: null }));
});
