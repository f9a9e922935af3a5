import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../../src/model/outcomes/run.ts";
import { readRunDirectory, regrade, repository, type RunDirectory } from "../../support/cli.ts";
import { suiteFiles } from "../../support/suite-files.ts";

/** What a run leaves behind: shapes that others read, bytes that can be had again. */

/** Two candidates, one of them slower the earlier a case comes; a grader with every outcome. */
const mixed: Record<string, string> = {
  ...suiteFiles({
    cases: 20,
    candidates: "{ app: { command: [python3, -S, app.py] }, recorded: { replay: outputs.jsonl } }",
    grader: "{ type: python, file: grader.py, timeout_seconds: 5 }",
    gate: "{ max_drop: 0.02, rules: [{ metric: right, min: 0.1, candidate: recorded }] }",
    unrecorded: (i) => i === 11,
    more: [
      "metrics: [{ id: right, range: [0, 1] }, { id: length, higher_is_better: false, aggregation: none }]",
      "repeats: 2",
      "slices: [id]",
      "run: { concurrency: 1 }",
    ],
  }),
  "evals/app.py": `import re, sys, time
n = int(re.search(r"(\\d+)\\+", sys.stdin.read()).group(1))
time.sleep(0.05 if n % 5 == 0 else 0)
if n == 13: sys.exit("no idea")
print(n + 1)
`,
  "evals/grader.py": `import time
def grade(sample, item):
    n = int(item["id"][1:])
    time.sleep(0.02 if n % 7 == 0 else 0)
    if n == 17: raise ValueError("seventeen")
    print("graded", n)
    right = sample["output_text"] == item["target"]
    return {"scores": {"right": right * 1.0, "length": len(sample["output_text"])}, "judge": {"n": n}}
`,
};

describe("a run directory", () => {
  it(
    "has the shapes of the schemas, whatever became of the samples",
    { tags: "long" },
    async () => {
      await using fixture = await createFixture(mixed);
      await regrade(["run", "evals/qa.yaml", "--out", "base"], { in: fixture.path });
      const end = await regrade(["run", "evals/qa.yaml", "--out", "out", "--baseline", "base"], {
        in: fixture.path,
      });
      expect(end.code, end.stderr).toBe(0);
      const out = await readRunDirectory(fixture.getPath("out"));
      const outcomes = new Set(out.scores.map(({ outcome }) => outcome));
      expect([...outcomes].toSorted()).toEqual(["failed", "invalid", "scored", "ungraded"]);
      await expectShapes(out);
      expect(out.samples).toHaveLength(80);
      expect(new Set(out.samples.map(({ id }) => id)).size).toBe(80);
      expect(out.run.cases).toMatchObject({ declared: 40, failed: 1, invalid: 2, ungraded: 1 });
      const seventeen = out.samples.find(({ case_id }) => case_id === "c17");
      expect(seventeen?.judge).toMatchObject({ invalid: true });
      expect(seventeen?.error).toMatchObject({ stage: "grade", fault: "grader" });
      expect(out.samples.find(({ case_id }) => case_id === "c3")?.printed).toContain("graded 3");
    },
  );

  it(
    "has the same scores to the byte at any concurrency, and when run again",
    { tags: "long" },
    async () => {
      await using fixture = await createFixture(mixed);
      const manifest = mixed["evals/qa.yaml"] ?? "";
      const scores: string[] = [];
      for (const [i, concurrency] of ["1", "25", "25", "auto"].entries()) {
        await fixture.writeFile(
          "evals/qa.yaml",
          manifest.replace("concurrency: 1", `concurrency: ${concurrency}`),
        );
        await regrade(["run", "evals/qa.yaml", "--out", `out${i}`, "--quiet"], {
          in: fixture.path,
        });
        const out = await readRunDirectory(fixture.getPath(`out${i}`));
        scores.push(out.scoresText);
        expect(out.run.input_hash).toBe(
          (await readRunDirectory(fixture.getPath("out0"))).run.input_hash,
        );
      }
      expect(new Set(scores).size).toBe(1);
    },
  );
});

async function expectShapes(out: RunDirectory): Promise<void> {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  const check = async (schema: string, values: readonly unknown[]): Promise<void> => {
    const text = await readFile(join(repository, "schemas", `${schema}.schema.json`), "utf8");
    const validate = ajv.compile(JSON.parse(text) as object);
    for (const value of values) {
      validate(value);
      expect(validate.errors ?? []).toEqual([]);
    }
  };
  await check("run", [out.run]);
  await check("sample", out.samples);
  await check("score", out.scores);
}

describe("compare and report", () => {
  const gate =
    "{ max_drop: 0.02, rules: [{ metric: exact_match, min: 0.5 }], baseline: { path: base } }";
  const worse = suiteFiles({ gate, answer: (i) => (i < 15 ? `wrong ${i}` : undefined) });
  const first = suiteFiles({
    gate: "{ max_drop: 0.02 }",
    answer: (i) => (i > 55 ? "no" : undefined),
  });

  it.each([
    ["the manifest", [], "publish: { content: full }"],
    ["the flag", ["--baseline", "other"], "publish: { content: ids }"],
    ["nothing said about texts", [], ""],
  ])("give the run's own gate and summary again, to the byte: %s", async (_, flags, publish) => {
    await using fixture = await createFixture(first);
    const quiet = ["run", "evals/qa.yaml", "--quiet"];
    await regrade([...quiet, "--out", "evals/base"], { in: fixture.path });
    await regrade([...quiet, "--out", "other"], { in: fixture.path });
    for (const [path, text] of Object.entries(worse)) await fixture.writeFile(path, text);
    await fixture.writeFile("evals/qa.yaml", `${worse["evals/qa.yaml"] ?? ""}${publish}\n`);
    const end = await regrade([...quiet, "--out", "out", ...flags], { in: fixture.path });
    expect(end.code, end.stderr).toBe(1);
    const before = await readRunDirectory(fixture.getPath("out"));
    const base = before.run.baseline?.source ?? "";
    expect(base).toBe(flags[1] ?? "evals/base");

    const compared = await regrade(["compare", base, "out", "--json"], { in: fixture.path });
    expect(compared.code).toBe(1);
    const again = JSON.parse(compared.stdout) as Run;
    expect(JSON.stringify(again.gate)).toBe(JSON.stringify(before.run.gate));
    expect(again).toEqual(before.run);

    await rm(fixture.getPath("out/summary.md"));
    const reported = await regrade(["report", "out"], { in: fixture.path });
    expect(reported).toMatchObject({ code: 0, stderr: "", stdout: before.summary });
    expect(await fixture.readFile("out/summary.md", "utf8")).toBe(before.summary);
    expect(before.summary.includes("wrong 3")).toBe(!publish.includes("ids"));
  });

  it("compare says in words what --json says, and leaves the runs as they were", async () => {
    await using fixture = await createFixture(first);
    await regrade(["run", "evals/qa.yaml", "--out", "base"], { in: fixture.path });
    for (const [path, text] of Object.entries(worse)) await fixture.writeFile(path, text);
    await fixture.writeFile(
      "evals/qa.yaml",
      (worse["evals/qa.yaml"] ?? "").replace(", baseline: { path: base }", ""),
    );
    await regrade(["run", "evals/qa.yaml", "--out", "head"], { in: fixture.path });
    const before = await readRunDirectory(fixture.getPath("head"));
    expect(before.run.gate.verdict).toBe("pass");
    const end = await regrade(["compare", "base", "head"], { in: fixture.path });
    expect(end).toMatchObject({ code: 1, stderr: "" });
    expect(end.stdout).toContain("4 cases were fixed");
    expect(await readRunDirectory(fixture.getPath("head"))).toEqual(before);
    await fixture.writeFile(
      "evals/strict.yaml",
      (worse["evals/qa.yaml"] ?? "").replace("0.5", "0.9"),
    );
    const same = await regrade(["compare", "base", "base", "--suite", "evals/strict.yaml"], {
      in: fixture.path,
    });
    expect(same.code, same.stderr).toBe(0);
  });

  it("report goes on without the baseline's texts where the baseline is gone, and never takes another's", async () => {
    await using fixture = await createFixture(first);
    await regrade(["run", "evals/qa.yaml", "--out", "evals/base"], { in: fixture.path });
    for (const [path, text] of Object.entries(worse)) await fixture.writeFile(path, text);
    await regrade(["run", "evals/qa.yaml", "--out", "out"], { in: fixture.path });
    const { summary } = await readRunDirectory(fixture.getPath("out"));
    await rename(fixture.getPath("evals/base"), fixture.getPath("evals/moved"));
    const gone = await regrade(["report", "out"], { in: fixture.path });
    expect(gone).toMatchObject({ code: 0, stderr: "" });
    expect(gone.stdout).toContain("wrong 3");
    const other = suiteFiles({ gate: "none", answer: () => "another run" });
    for (const [path, text] of Object.entries(other)) await fixture.writeFile(path, text);
    await regrade(["run", "evals/qa.yaml", "--out", "evals/base"], { in: fixture.path });
    const taken = await regrade(["report", "out"], { in: fixture.path });
    expect(taken.stdout).toBe(gone.stdout);
    await rm(fixture.getPath("evals/base"), { recursive: true });
    await rename(fixture.getPath("evals/moved"), fixture.getPath("evals/base"));
    expect((await regrade(["report", "out"], { in: fixture.path })).stdout).toBe(summary);
  });
});
