import { expect, it } from "vitest";
import { judgeChange } from "../support/change.ts";
import { suiteFiles, sumApp, sumCandidate } from "../support/suite-files.ts";

const cases = Array.from({ length: 12 }, (_, i) => `What is ${i}+1?,${i + 1}\n`);
const base = {
  ...suiteFiles({ cases: 12, candidates: sumCandidate }),
  "evals/app.py": sumApp,
  "docs/key.csv": cases.join(""),
  "docs/page.csv": "a page that the app may know\n",
};
const reading = (path: string): string => `${sumApp}open("../docs/${path}").read()\n`;

it.each([
  ["names a file of the base that has the answers is told of", "key.csv", true],
  ["names another file of the base is not", "page.csv", false],
])("a change whose program %s", async (_, path, isTold) => {
  await using judged = await judgeChange({ base, head: { "evals/app.py": reading(path) } });
  const { run, summary } = judged;
  expect(run.gate.verdict).toBe("pass");
  const told =
    "`evals/app.py`, as this change has it, names `docs/key.csv`, which has the answers of 12 cases";
  expect(summary.includes(told), summary).toBe(isTold);
});

it("a change whose program names what the base's program names, too, is not told of", async () => {
  const known = { ...base, "evals/app.py": reading("key.csv") };
  const head = { "evals/app.py": `${reading("key.csv")}# a comment\n` };
  await using judged = await judgeChange({ base: known, head });
  expect(judged.summary).not.toContain("which has the answers of");
});
