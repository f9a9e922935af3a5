import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { jsonLines, regrade } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** What a case takes in seconds, tokens and dollars, beside the baseline's. */

const gate = "{ confirm: never, rules: [{ metric: exact_match, max_drop: 0.02 }] }";

/** A recording of 20 right answers of so many tokens. */
function recorded(tokens: number | undefined): Record<string, string> {
  const usage = tokens === undefined ? {} : { usage: { input_tokens: 10, output_tokens: tokens } };
  const rows = Array.from({ length: 20 }, (_, i) => ({
    case_id: `c${i}`,
    output_text: `${i + 1}`,
    ...usage,
  }));
  return { ...suiteFiles({ cases: 20, gate }), "evals/outputs.jsonl": jsonLines(rows) };
}

/** A worker that is right, after so many seconds. */
function working(seconds: number): Record<string, string> {
  const candidates = "{ app: { worker: [python3, -S, app.py] } }";
  return {
    ...suiteFiles({ cases: 8, gate, candidates }),
    "evals/app.py": `import json, sys, time
for line in sys.stdin:
    r = json.loads(line)
    time.sleep(${seconds})
    n = int(r["prompt"].split("+")[0].split()[-1])
    print(json.dumps({"id": r["id"], "output_text": str(n + 1)}), flush=True)
`,
  };
}

async function runTwice(base: Record<string, string>, head: Record<string, string>) {
  const fixture = await createFixture(base);
  const start = (...argv: readonly string[]) =>
    regrade(["run", "evals/qa.yaml", "--no-cache", ...argv], { in: fixture.path });
  await start("--baseline", "none", "--out", "base");
  for (const [path, text] of Object.entries(head)) await fixture.writeFile(path, text);
  const end = await start("--baseline", "base", "--out", "out");
  const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
  const summary = await readFile(fixture.getPath("out/summary.md"), "utf8");
  return { run, end, summary, [Symbol.asyncDispose]: () => fixture.rm() };
}

it("a candidate that is right and many times slower passes, and a line of the verdict says so", async () => {
  await using done = await runTwice(working(0.001), working(0.4));
  expect(done.end.code, done.end.stderr).toBe(0);
  const line =
    /a case takes more: 0\.\d+ s → (?:0\.[4-9]|[1-9])\d*(?:\.\d+)? s \(\d+\.\d times\)\./;
  expect(done.end.stdout).toMatch(line);
  expect(done.summary).toMatch(line);
  expect(done.run.baseline?.effort).toMatchObject([{ metric: "latency_seconds", n: 8 }]);
});

it("a candidate that writes twice as much is told with the tokens of both sides", async () => {
  await using done = await runTwice(recorded(100), recorded(200));
  const line = "a case takes more: 10 → 10 input tokens, 100 → 200 output tokens (2.0 times).";
  expect(done.end.stdout).toContain(`\n  ${line}\n`);
  expect(done.summary).toContain(`\n- ${line}`);
  expect(done.run.baseline?.effort).toEqual([
    { task: "qa", candidate: "app", metric: "input_tokens", baseline: 10, value: 10, n: 20 },
    { task: "qa", candidate: "app", metric: "output_tokens", baseline: 100, value: 200, n: 20 },
  ]);
});

it("where a case takes about as much, the figures stand below, and no line of the verdict has them", async () => {
  await using done = await runTwice(recorded(100), recorded(104));
  const figures = "10 → 10 input tokens, 100 → 104 output tokens";
  expect(done.end.stdout).toContain(`\na case    ${figures}\n`);
  expect(done.summary).toContain(` · a case: ${figures} · `);
  expect(done.end.stdout).not.toContain("takes more");
});

it("where one side measured nothing, nothing is said", async () => {
  await using done = await runTwice(recorded(undefined), recorded(100));
  expect(done.end.stdout).not.toContain("a case ");
  expect(done.run.baseline).not.toHaveProperty("effort");
});
