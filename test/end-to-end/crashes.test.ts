import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { regrade } from "../support/cli.ts";
import { suiteFiles, type SuiteParts } from "../support/suite-files.ts";

/** Cases that end without an answer or a valid score: what the built program says of them first. */

const suite: SuiteParts = {
  cases: 60,
  candidates: "{ app: { worker: [python3, -S, app.py] } }",
  gate: "{ confirm: never, rules: [{ metric: exact_match, max_drop: 0.02 }] }",
};

/** A worker that adds up, and fails as `line` says. */
function app(line: string): string {
  return `import json, sys
def handle(q):
    n = int(q.split("+")[0].split()[-1])
    ${line}
    return str(n + 1)
for line in sys.stdin:
    r = json.loads(line)
    print(json.dumps({"id": r["id"], "output_text": handle(r["prompt"])}), flush=True)
`;
}

const crashing = (broken: string): string => app(`if ${broken}: return {}["order"]`);

async function runTwice(base: Record<string, string>, head: Record<string, string>) {
  const fixture = await createFixture(base);
  const start = (...argv: readonly string[]) =>
    regrade(["run", "evals/qa.yaml", "--no-cache", ...argv], { in: fixture.path });
  await start("--baseline", "none", "--out", "base");
  for (const [path, text] of Object.entries(head)) await fixture.writeFile(path, text);
  const end = await start("--baseline", "base", "--out", "out");
  const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
  const summary = await readFile(fixture.getPath("out/summary.md"), "utf8");
  const [first = "", second = ""] = end.stdout.split("\n");
  const again = await regrade(["compare", "base", "out", "--json"], { in: fixture.path });
  expect(JSON.parse(again.stdout)).toEqual(run);
  return { run, end, first, second, summary, [Symbol.asyncDispose]: () => fixture.rm() };
}

const well = { ...suiteFiles(suite), "evals/app.py": app("pass") };

it("crashes of the candidate are the first words of a red run, with the end of the traceback", async () => {
  await using done = await runTwice(well, { "evals/app.py": crashing("n % 5 == 0") });
  expect(done.end.code).toBe(1);
  expect(done.first).toBe("❌ qa: 12 of 60 cases broke, the gate fails");
  expect(done.second).toMatch(
    /^ {2}12 of 60 cases crashed: KeyError: 'order' at app\.py:4; qa\/exact_match/,
  );
  expect(done.summary).toContain("12 of 60 cases crashed: KeyError: 'order' at app.py:4; ");
  expect(done.summary).toContain("| **12** | KeyError: 'order' at app.py:4 |");
  // The same is not told as a fault of the set-up, too.
  expect(done.summary).not.toContain("Look at the set-up");
  expect(done.run.gate.rules[0]).toMatchObject({ broke: 12, crashed: 12 });
  expect(done.run.gate.rules[0]?.reason).toMatch(/; all 12 broken cases ended without a score$/);
});

it("a crash that is new is the first word of a run that passes, and one of the baseline is not", async () => {
  const old = { ...well, "evals/app.py": crashing("n == 7") };
  await using done = await runTwice(old, { "evals/app.py": crashing("n in (7, 9)") });
  expect(done.end.code, done.end.stdout).toBe(0);
  expect(done.first).toMatch(/^✅ qa: passes/);
  expect(done.second).toMatch(/^ {2}1 of 60 cases crashed: KeyError: 'order' at app/);
  await using same = await runTwice(old, {});
  expect(same.second).toMatch(/^ {2}No regression detected/);
  expect(same.run.diagnoses).toEqual([]);
});

it("crashes are told by what they have in common, the most frequent first", async () => {
  const both = app(
    'if n % 5 == 0: return {}["order"]\n    if n in (1, 2, 3): raise ValueError(f"bad {n}")',
  );
  await using done = await runTwice(well, { "evals/app.py": both });
  expect(done.second).toContain(
    "12 of 60 cases crashed: KeyError: 'order' at app.py:4; 3 of 60 cases crashed: ValueError: bad 1 at app.py:5; ",
  );
});

it("metrics that fell with the crashes alone are one line, and those that fell otherwise their own", async () => {
  const metrics = ["a", "b", "c"].map(
    (id) => `  - { id: ${id}, aggregation: mean, range: [0, 1], scale: binary }`,
  );
  const rules = ["a", "b", "c"].map((id) => `{ metric: ${id}, max_drop: 0.02 }`).join(", ");
  const files = suiteFiles({
    ...suite,
    grader: "{ type: python, file: grader.py }",
    gate: `{ confirm: never, rules: [${rules}] }`,
    more: ["metrics:", ...metrics],
  });
  const grader = `def grade(sample, item):
    return {"scores": {"a": 1.0, "b": 1.0, "c": 0.0 if sample["output_text"] == "none" else 1.0}}
`;
  await using done = await runTwice(
    { ...files, "evals/grader.py": grader, "evals/app.py": app("n = n") },
    {
      "evals/app.py": app('if n % 5 == 0: return {}["order"]\n    if n % 5 == 1: return "none"'),
    },
  );
  expect(done.end.code, done.end.stdout).toBe(1);
  const [, , ...lines] = done.end.stdout.split("\n\n")[0]?.split("\n") ?? [];
  // How long workers take to start again is the machine's affair.
  expect(lines.filter((line) => !line.includes("a case takes"))).toEqual([
    "  fallen with the cases that ended without a score, and by nothing else: qa/b.",
    expect.stringMatching(/^ {2}fails: qa\/c /),
  ]);
});

it("an exception of the grader is told as one", async () => {
  const grader = `def grade(sample, item):
    FAIL
    return {"scores": {"score": float(sample["output_text"] == item["target"])}}
`;
  const files = suiteFiles({
    ...suite,
    grader: "{ type: python, file: grader.py }",
    gate: "{ confirm: never, rules: [{ metric: score, max_drop: 0.02 }] }",
  });
  const parts = { ...files, "evals/app.py": app("pass") };
  const broken = grader.replace("FAIL", 'if item["target"].endswith("5"): return {}["order"]');
  await using done = await runTwice(
    { ...parts, "evals/grader.py": grader.replace("FAIL", "pass") },
    { "evals/grader.py": broken },
  );
  expect(done.second).toMatch(
    / 6 of 60 cases got no valid score: KeyError: 'order' \(grader\.py:2, in grade\); /,
  );
});

it(
  "cases that a worker was not asked any more are not told as crashes, nor as slower",
  { tags: "long" },
  async () => {
    await using done = await runTwice(well, { "evals/app.py": crashing("True") });
    expect(done.end.code).toBe(4);
    const told =
      / (\d+) of 60 cases crashed: KeyError: 'order' at app\.py:4; (\d+) of 60 cases went unasked: 20 processes in a row ended without an answer, so no more are started\.$/;
    const [, crashed = 0, unasked = 0] = told.exec(done.second) ?? [];
    expect(Number(crashed), done.second).toBeGreaterThanOrEqual(20);
    expect(Number(crashed) + Number(unasked)).toBe(60);
    expect(done.end.stdout).not.toContain("a case takes more");
  },
);

it("what a crash said is kept back where texts are", async () => {
  const files = suiteFiles({ ...suite, more: ["publish: { content: ids }"] });
  const parts = { ...files, "evals/app.py": app("pass") };
  await using done = await runTwice(parts, { "evals/app.py": crashing("n % 5 == 0") });
  expect(done.second).toMatch(/^ {2}12 of 60 cases crashed; qa\/exact_match/);
  expect(done.summary).not.toContain("KeyError");
});

it("answers that are none are told as such, and not as crashes", async () => {
  const wrong = app("if n % 5 == 0: return [n]");
  await using done = await runTwice(well, { "evals/app.py": wrong });
  expect(done.second).toMatch(/^ {2}12 of 60 cases gave no answer: /);
});
