import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { jsonLines, regrade } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** What is said first of results that another tool made, and of numbers that a grader gave for all cases together. */

const right = { score: 1 };

function rows(of: (i: number) => object): string {
  return jsonLines(Array.from({ length: 120 }, (_, i) => ({ id: `q${i}`, output: "x", ...of(i) })));
}

async function compared(head: (i: number) => object): Promise<string> {
  await using fixture = await createFixture({
    "base.jsonl": rows(() => right),
    "head.jsonl": rows(head),
  });
  const start = (...argv: readonly string[]) =>
    regrade(["run", "--max-drop", "0.02", "--results", ...argv], { in: fixture.path });
  await start("base.jsonl", "--baseline", "none", "--out", "base");
  const end = await start("head.jsonl", "--baseline", "base");
  return end.stdout.split("\n").slice(0, 2).join("\n");
}

const traceback = `Traceback (most recent call last):
  File "/srv/app.py", line 41, in handle
    return row["order"]
KeyError: 'order'`;

it("a traceback in imported results is told as a crash", async () => {
  const first = await compared((i) => (i < 60 ? { error: traceback } : right));
  expect(first).toMatch(
    /^❌ head: 60 of 120 cases broke, the gate fails\n {2}60 of 120 cases crashed: KeyError: 'order' at app\.py:41; /,
  );
});

it("an error that is none is told as no answer", async () => {
  const first = await compared((i) => (i < 60 ? { error: "refused" } : right));
  expect(first).toMatch(/^❌ head: .*\n {2}60 of 120 cases gave no answer: refused; /);
});

it("a number of grade_batch outside of its range is told as that, and not as a score", async () => {
  const files = suiteFiles({
    grader: "{ type: python, contract: batch, file: g.py }",
    gate: "{ rules: [{ metric: f1, max_drop: 0.02 }] }",
    more: ["metrics: [{ id: f1, range: [0, 1] }]"],
  });
  const grader = 'def grade_batch(samples):\n    return {"metrics": {"f1": 50}}\n';
  await using fixture = await createFixture({ ...files, "evals/g.py": grader });
  const end = await regrade(["run", "evals/qa.yaml", "--baseline", "none"], { in: fixture.path });
  expect(end.code).toBe(1);
  expect(end.stdout.split("\n")[1]).toMatch(
    /^ {2}qa\/f1: grade_batch returned 50 for f1, which its range \[0, 1\] does not hold/,
  );
  expect(end.stdout).not.toContain("no case has a score in it");
});
