import { readFile, writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { regrade } from "../support/cli.ts";
import { labelPull } from "../support/github/labels.ts";
import { startProject } from "../support/github/project.ts";
import { runOf } from "../support/github/run-of.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** A baseline whose stored outputs score something else by today's grader. */

const python = "{ type: python, metric_id: right, file: graders/right.py }";
const metrics = "metrics: [{ id: right, range: [0, 1], scale: binary }]";
const grade = (body: string): string => `def grade(sample, item):\n    return ${body}\n`;
const exact = grade("1.0 if sample['extracted_output'] == item['a'] else 0.0");

interface Parts {
  readonly source?: string;
  readonly wrong?: number;
  readonly gate?: string;
  readonly more?: readonly string[];
}

function files({ source = exact, wrong = 4, gate, more = [] }: Parts): Record<string, string> {
  const answer = (i: number): string | undefined => (i < wrong ? "wrong" : undefined);
  const parts = { grader: python, gate: gate ?? "{ max_drop: 0.02 }", answer };
  return {
    ...suiteFiles({ ...parts, more: [metrics, ...more] }),
    "evals/graders/right.py": source,
  };
}

async function runTwice(base: Parts, head: Parts, ...argv: readonly string[]) {
  const fixture = await createFixture(files(base));
  const start = (...more: readonly string[]) =>
    regrade(["run", "evals/qa.yaml", ...argv, ...more], { in: fixture.path });
  await start("--baseline", "none", "--out", "base");
  for (const [path, text] of Object.entries(files(head)))
    await writeFile(fixture.getPath(path), text);
  const end = await start("--baseline", "base", "--out", "out");
  const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
  const summary = await readFile(fixture.getPath("out/summary.md"), "utf8");
  const again = await regrade(["compare", "base", "out", "--json"], { in: fixture.path });
  // The same bytes but for the last line's end.
  const isSame = JSON.stringify(JSON.parse(again.stdout)) === JSON.stringify(run);
  return { end, run, summary, isSame, [Symbol.asyncDispose]: () => fixture.rm() };
}

interface Moved {
  readonly what: string;
  readonly base?: Parts;
  readonly head: Parts;
  /** What a reader is told. */
  readonly says: string;
}

const extraction = "output_extraction: { type: number }";

const moved: readonly Moved[] = [
  {
    what: "gives everybody 0",
    head: { source: grade("0.0") },
    says: "stored outputs now score 0.0% instead of 93.3% (95%: 84.1% to 97.4%)",
  },
  {
    what: "gives everybody 1",
    base: { wrong: 20 },
    head: { source: grade("1.0"), wrong: 40 },
    says: "now score 100.0% instead of 66.7%",
  },
  {
    what: "asks for another answer, under a rule that asks for proof of no drop",
    base: { gate: "{ rules: [{ metric: right, max_drop: 0.5, prove: no_drop }] }" },
    head: {
      source: grade("1.0 if len(item['a']) == 1 else 0.0"),
      gate: "{ rules: [{ metric: right, max_drop: 0.5, prove: no_drop }] }",
    },
    says: "now score 15.0% instead of 93.3%",
  },
  {
    what: "finds nothing in the outputs any more",
    base: { more: [extraction] },
    head: { more: ["output_extraction: { type: regex, pattern: 'answer: (.*)' }"] },
    says: "the extraction changed since the baseline, whose stored outputs now score 0.0%",
  },
  {
    what: "is kind to one slice alone, whose rule compares it",
    base: {
      wrong: 20,
      more: ["slices: [q]"],
      gate: "{ rules: [{ metric: right, slice: 'q=3+1', max_drop: 0.1 }] }",
    },
    head: {
      wrong: 20,
      more: ["slices: [q]"],
      gate: "{ rules: [{ metric: right, slice: 'q=3+1', max_drop: 0.1 }] }",
      source: exact.replace("== item['a']", "== item['a'] or item['q'] == '3+1'"),
    },
    says: "stored outputs in q=3+1 now score 100.0% instead of 0.0%",
  },
];

describe("a grader that moves the baseline outside of its own interval", () => {
  it.each(moved)("proves nothing where it $what", async ({ base = {}, head, says }) => {
    await using done = await runTwice(base, head);
    const { run, end, summary } = done;
    expect(run.gate.rules[0]).toMatchObject({ outcome: "inconclusive", code: "baseline_moved" });
    expect(end.code, end.stderr).toBe(3);
    for (const text of [run.gate.reasons[0], summary, end.stdout.replaceAll(/\s+/g, " ")])
      expect(text).toContain(says);
    expect(run.gate.reasons[0]).toContain("take a new baseline");
    expect(run.baseline?.regraded?.[0]?.moved).toHaveLength(1);
    expect(done.isSame).toBe(true);
  });

  it("keeps the loss that is seen all the same, and says both values", async () => {
    const kind = grade("0.0 if sample['extracted_output'] == 'wrong' else 1.0");
    const shouted = grade("1.0 if sample['extracted_output'] == item['a'] + '!' else 0.0");
    await using done = await runTwice({ source: shouted, wrong: 0 }, { source: kind, wrong: 20 });
    expect(done.end.code).toBe(1);
    expect(done.run.gate.rules[0]).toMatchObject({ outcome: "missed", code: "drop_proven" });
    expect(done.run.gate.reasons[0]).toContain("now score 100.0% instead of 0.0%");
    expect(done.isSame).toBe(true);
  });

  it("leaves the comparison as it is where the move is within the interval", async () => {
    const trimmed = exact.replace("== item['a']", "== item['a'] or item['a'] == '1'");
    await using done = await runTwice({}, { source: trimmed });
    expect(done.end.code, done.end.stderr).toBe(0);
    expect(done.run.baseline?.regraded?.[0]).toMatchObject({ differ: 1 });
    expect(done.run.baseline?.regraded?.[0]).not.toHaveProperty("moved");
  });
});

describe("a pull request whose grader moves the baseline", () => {
  it(
    "is held up by its own policy until that is approved, and passes then",
    { tags: "long" },
    async () => {
      const gate = "{ max_drop: 0.02, policy_label: rules-ok }";
      await using project = await startProject(files({ gate }));
      await project.push("main");
      const strict = grade("1.0 if len(item['a']) == 1 else 0.0");
      await project.commit("change", files({ gate, source: strict }));
      const before = await project.pull("change");
      expect(before.code, before.stdout).toBe(3);
      expect(runOf(before)).toMatchObject({
        gate: { verdict: "inconclusive" },
        policy: {
          base: { verdict: "pass" },
          head: { verdict: "inconclusive", rules: [{ code: "baseline_moved" }] },
          decided_by: "head",
        },
      });
      expect(before.summary).toContain("instead of 93.3%");
      await labelPull(project, { label: "rules-ok", minute: 11 });
      const after = await project.pull("change");
      expect(after.code, after.stdout).toBe(0);
      expect(runOf(after)).toMatchObject({ gate: { verdict: "pass" }, approvals: { loss: null } });
    },
  );

  it(
    "is not stopped for good on the base branch: its run there is the next baseline",
    { tags: "long" },
    async () => {
      const source = grade("1.0 if len(item['a']) == 1 else 0.0");
      await using project = await startProject(files({}));
      await project.push("main");
      await project.commit("main", files({ source }));
      const merged = await project.push("main");
      expect(runOf(merged).gate.rules[0]).toMatchObject({ code: "baseline_moved" });
      await project.commit("main", { "README.md": "more" });
      const next = await project.push("main");
      expect(runOf(next).gate.verdict).toBe("pass");
    },
  );
});
