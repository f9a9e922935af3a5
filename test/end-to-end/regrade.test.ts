import { execFileSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import type { ScoreRow } from "../../src/model/outcomes/sample.ts";
import { parseLines, regrade } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** A suite whose grader is another one than that of the run it is compared with. */

const python = "{ type: python, metric_id: right, file: graders/right.py }";
const gate = "{ max_drop: 0.02 }";
const metrics = "metrics: [{ id: right, range: [0, 1], scale: binary }]";
const strict =
  "def grade(sample, item):\n    return 1.0 if sample['extracted_output'] == item['a'] else 0.0\n";
const kind =
  "def grade(sample, item):\n    return 1.0 if sample['extracted_output'].lower() == item['a'] else 0.0\n";

interface Parts {
  readonly grader?: string;
  readonly source: string;
  readonly answer: (i: number) => string | undefined;
  readonly more?: readonly string[];
}

function files({ grader = python, source, answer, more = [] }: Parts): Record<string, string> {
  return {
    ...suiteFiles({ grader, gate, answer, more: [metrics, ...more] }),
    "evals/graders/right.py": source,
  };
}

async function put(fixture: FsFixture, parts: Parts): Promise<void> {
  for (const [path, text] of Object.entries(files(parts)))
    await writeFile(fixture.getPath(path), text);
}

async function runTwice(base: Parts, head: Parts, between?: (fixture: FsFixture) => Promise<void>) {
  const fixture = await createFixture(files(base));
  const made = await regrade(["run", "evals/qa.yaml", "--baseline", "none", "--out", "base"], {
    in: fixture.path,
  });
  expect(made.code, made.stderr).toBeLessThan(4);
  await put(fixture, head);
  await between?.(fixture);
  const argv = ["run", "evals/qa.yaml", "--baseline", "base", "--out", "out"];
  const end = await regrade(argv, { in: fixture.path });
  const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
  return { fixture, end, run, [Symbol.asyncDispose]: () => fixture.rm() };
}

async function compared({ fixture }: { readonly fixture: FsFixture }): Promise<unknown> {
  const end = await regrade(["compare", "base", "out", "--json"], { in: fixture.path });
  return JSON.parse(end.stdout);
}

const wrongBelow = (n: number) => (i: number) => (i < n ? "wrong" : undefined);
const batch = (score: string): string =>
  `def grade_batch(samples):\n    right = [1.0 if ${score} else 0.0 for s in samples]\n    return {"metrics": {"right": sum(right) / len(right)}, "sample_updates": []}\n`;

const sayTheSum = (i: number): string => `I say ${i < 2 ? 0 : i + 1}.`;

/** Right but for the case of the letters, in the first so many. */
const shouted = (n: number) => (i: number) => (i < n ? "X" : undefined);

describe("a grader that is another one than the baseline's", () => {
  it(
    "grades the baseline's stored outputs too, so that both sides are compared by one grader",
    { tags: "smoke" },
    async () => {
      const answer = wrongBelow(3);
      await using done = await runTwice({ source: strict, answer }, { source: kind, answer });
      const { run, end } = done;
      expect(end.code, end.stderr).toBe(0);
      expect(run.gate.rules[0]).toMatchObject({ code: "no_drop_detected", broke: 0, fixed: 0 });
      expect(run.baseline?.comparable).toEqual({ qa: true });
      expect(run.baseline?.regraded).toEqual([
        { task: "qa", parts: ["grader"], samples: 60, differ: 0, given: [] },
      ]);
      expect(run.baseline?.notes).toContain(
        "qa: the grader changed since the baseline; its 60 stored outputs were graded again by this run's: none of them scores otherwise, and both sides are compared by one grader",
      );
      expect(await compared(done)).toEqual(run);
    },
  );

  it("can't hide a drop behind its own kindness", async () => {
    const lenient =
      "def grade(sample, item):\n    return 0.0 if sample['extracted_output'] == 'wrong' else 1.0\n";
    const before = shouted(20);
    const after = (i: number): string | undefined => (i < 10 ? "wrong" : before(i));
    await using done = await runTwice(
      { source: strict, answer: before },
      { source: lenient, answer: after },
    );
    const { run, end } = done;
    expect(end.code, end.stderr).toBe(1);
    // By the old grader 40 were right, and by the old and the new one together 50 would look like a rise.
    expect(run.gate.rules[0]).toMatchObject({
      code: "drop_proven",
      baseline: 1,
      broke: 10,
      fixed: 0,
    });
    expect(run.baseline?.regraded?.[0]).toMatchObject({ differ: 20 });
    expect(await compared(done)).toEqual(run);
    const scores = parseLines(
      await readFile(done.fixture.getPath("out/regraded.jsonl"), "utf8"),
    ) as ScoreRow[];
    expect(scores).toHaveLength(60);
    expect(scores.every(({ scores: { right } }) => right === 1)).toBe(true);
  });

  it("leaves the task not comparable where an output is not there any more", async () => {
    const answer = shouted(3);
    await using done = await runTwice(
      { source: strict, answer },
      { source: kind, answer },
      async (fixture) => {
        const path = fixture.getPath("base/samples.jsonl");
        const lines = (await readFile(path, "utf8")).split("\n");
        await writeFile(path, lines.slice(1).join("\n"));
      },
    );
    const { run, end } = done;
    expect(end.code).toBe(3);
    expect(end.stderr).toContain("the baseline's outputs are not all there");
    expect(run.gate.rules[0]).toMatchObject({ code: "not_comparable", outcome: "inconclusive" });
    expect(run.baseline).not.toHaveProperty("regraded");
    expect(await compared(done)).toEqual(run);
  });

  it("grades the newest of several runs that are one baseline, which stands alone then", async () => {
    const answer = wrongBelow(3);
    await using fixture = await createFixture(files({ source: strict, answer }));
    const run = (...argv: readonly string[]) =>
      regrade(["run", "evals/qa.yaml", ...argv], { in: fixture.path });
    for (const out of ["b1", "b2"]) await run("--baseline", "none", "--out", out);
    await put(fixture, { source: kind, answer: wrongBelow(12) });
    const end = await run("--baseline", "b1", "--baseline", "b2", "--out", "out");
    expect(end.code, end.stderr).toBe(1);
    expect(end.stderr).toContain("the newest of them, b2, is, and stands alone");
    const left = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
    expect(left.gate.rules[0]).toMatchObject({ code: "drop_proven", broke: 9, fixed: 0, n: 60 });
    expect(left.baseline).toMatchObject({ source: "b2", comparable: { qa: true } });
    expect(left.baseline?.pool).toBeUndefined();
    expect(left.baseline?.regraded).toMatchObject([{ task: "qa", samples: 60 }]);
    for (const bases of [["b2"], ["b1", "b2"]]) {
      const again = await regrade(["compare", ...bases, "out", "--json"], {
        in: fixture.path,
      });
      expect(JSON.parse(again.stdout)).toEqual(left);
    }
  });

  it("refuses to compare again without the scores that it gave, where they are gone", async () => {
    const answer = shouted(3);
    await using done = await runTwice({ source: strict, answer }, { source: kind, answer });
    await rm(done.fixture.getPath("out/regraded.jsonl"));
    const end = await regrade(["compare", "base", "out"], { in: done.fixture.path });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("regraded.jsonl");
  });

  it("is settled by its own policy as well, where a change edits the grader and nothing else", async () => {
    const answer = shouted(3);
    await using fixture = await createFixture(files({ source: strict, answer }));
    const git = (...args: readonly string[]): void => {
      const who = ["-c", "user.name=n", "-c", "user.email=n@example.org"];
      execFileSync("git", [...who, ...args], { cwd: fixture.path });
    };
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("commit", "--quiet", "--message=base");
    const start = (...argv: readonly string[]) =>
      regrade(["run", "evals/qa.yaml", ...argv], { in: fixture.path });
    await start("--baseline", "none", "--out", "base");
    await put(fixture, { source: kind, answer });
    const end = await start("--baseline", "base", "--out", "out", "--policy-from", "main");
    expect(end.code, end.stderr).toBe(0);
    const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
    expect(run.policy).toMatchObject({
      base: { verdict: "pass" },
      head: { verdict: "pass", rules: [{ code: "no_drop_detected", baseline: 0.95 }] },
      decided_by: "both",
    });
    // The base's grader judged both already.
    expect(run.baseline).not.toHaveProperty("regraded");
    const own = await readFile(fixture.getPath("out/own-policy/run.json"), "utf8");
    expect((JSON.parse(own) as Run).baseline?.regraded).toMatchObject([{ samples: 60 }]);
    expect(await compared({ fixture })).toEqual(run);
  });

  it("regrades by another extraction, too", async () => {
    const answer = sayTheSum;
    const extract = "output_extraction: { type: number }";
    await using done = await runTwice(
      { source: strict, answer },
      { source: strict, answer, more: [extract] },
    );
    expect(done.run.baseline?.regraded?.[0]).toMatchObject({ parts: ["extraction"], differ: 58 });
    expect(done.run.gate.rules[0]).toMatchObject({ broke: 0, fixed: 0, baseline: 58 / 60 });
  });

  it("regrades by a batch grader, with what it gives all cases together", async () => {
    const grader = "{ type: python, contract: batch, file: graders/right.py }";
    const answer = wrongBelow(6);
    const exact = batch("s['extracted_output'] == s['target']");
    const trimmed = batch("s['extracted_output'].strip() == s['target']");
    await using done = await runTwice(
      { grader, source: exact, answer },
      { grader, source: trimmed, answer },
    );
    const { run, end } = done;
    expect(end.code, end.stderr).toBe(0);
    expect(run.baseline?.regraded?.[0]?.given).toEqual([
      { candidate: "app", metrics: { right: 0.9 }, dropped: [] },
    ]);
    expect(run.gate.rules[0]).toMatchObject({ value: 0.9, baseline: 0.9, outcome: "met" });
    expect(await compared(done)).toEqual(run);
  });
});
