import { execFileSync } from "node:child_process";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import {
  expectRefusal,
  jsonLines,
  readRunDirectory,
  regrade,
  type CliEnd,
} from "../support/cli.ts";
import { sumApp, sumCandidate, suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/** Shards on several machines, joined on another one: what a matrix of jobs does, without GitHub. */

const start = (fixture: FsFixture, argv: readonly string[]): Promise<CliEnd> =>
  regrade(argv, { in: fixture.path });

const batchGrader = `def grade_batch(samples):
    right = [1.0 if s["output_text"] == s["target"] else 0.0 for s in samples]
    return {
        "metrics": {"share": sum(right) / len(right), "seen": float(len(samples))},
        "samples": [
            {"sample_id": s["sample_id"], "scores": {"right": score}}
            for s, score in zip(samples, right)
        ],
    }
`;

/** Two tasks, one graded as a whole; repeats, slices, clusters; two candidates; a seeded bootstrap over a median. */
function bigSuite(wrong: (i: number) => boolean): Record<string, string> {
  const rows = Array.from({ length: 41 }, (_, i) => ({
    id: `c${i}`,
    q: `${i}+1`,
    a: `${i + 1}`,
    topic: i % 3 === 0 ? "even [x]" : "odd",
    page: `p${i % 7}`,
  }));
  const outputs = (right: (i: number) => boolean): string =>
    jsonLines(
      rows.flatMap(({ id, a }, i) =>
        i === 5 ? [] : [{ case_id: id, output_text: right(i) ? a : "no idea" }],
      ),
    );
  return {
    "evals/data.jsonl": jsonLines(rows),
    "evals/few.jsonl": jsonLines(rows.slice(0, 5)),
    "evals/app.jsonl": outputs((i) => !wrong(i)),
    "evals/other.jsonl": outputs((i) => i % 2 === 0),
    "evals/graders/batch.py": batchGrader,
    "evals/big.yaml": `name: big
tasks:
  - id: sums
    dataset: { file: data.jsonl, id_field: id }
    prompt_template: "{{q}}"
    target_template: "{{a}}"
    grader: { type: python, metric_id: right, source: "def grade(sample, item):\\n    return 1.0 if sample['output_text'] == item['a'] else 0.0\\n" }
    slices: [topic]
    cluster_by: page
    repeats: 2
    metrics: [{ id: right, range: [0, 1], scale: binary }]
  - id: few
    dataset: { file: few.jsonl, id_field: id }
    prompt_template: "{{q}}"
    target_template: "{{a}}"
    grader: exact_match
  - id: whole
    dataset: { file: data.jsonl, id_field: id }
    prompt_template: "{{q}}"
    target_template: "{{a}}"
    grader: { type: python, contract: batch, execution: aggregate, file: graders/batch.py }
    metrics: [{ id: share, range: [0, 1] }, { id: right, range: [0, 1], scale: binary }, { id: seen }]
candidates:
  "app@1/x": { replay: app.jsonl }
  other: { replay: other.jsonl }
gate:
  max_drop: 0.02
  rules: [{ metric: "sums/right", slice: "topic=*", max_drop: 0.05 }, { metric: "whole/right", min: 0.5 }]
`,
  };
}

const suite = "evals/big.yaml";

/** Runs a suite whole and in shards, and merges these. */
async function bothWays(
  fixture: FsFixture,
  { manifest, of, flags = [] }: { manifest: string; of: number; flags?: readonly string[] },
): Promise<{ whole: CliEnd; merged: CliEnd; shards: readonly string[] }> {
  const whole = await start(fixture, ["run", manifest, "--out", "whole", ...flags]);
  const shards: string[] = [];
  for (let i = 1; i <= of; i += 1) {
    const out = `shard-${i}`;
    shards.push(out);
    const argv = ["run", manifest, "--shard", `${i}/${of}`, "--out", out, ...flags];
    const end = await start(fixture, argv);
    expect(end, end.stderr).toMatchObject({ code: 0 });
  }
  // In any order.
  const asked = [...shards.toReversed(), "--out", "merged", ...flags];
  return { whole, shards, merged: await start(fixture, ["merge", ...asked]) };
}

/** What must be the same, byte for byte: all but who ran when, and for how long. */
function withoutTimes(run: Run): string {
  const metrics = run.metrics.filter(({ metric }) => metric !== "latency_seconds");
  const baseline = run.baseline && { ...run.baseline, age_days: 0 };
  const own = { id: 0, created_at: 0, completed_at: 0, timing: 0, merged: 0, usage: 0 };
  const sorted = Object.entries({ ...run, metrics, baseline, ...own });
  return JSON.stringify(
    Object.fromEntries(sorted.toSorted(([x], [y]) => (x < y ? -1 : 1))),
    null,
    1,
  );
}

describe("a merged run is the run that was never cut up", () => {
  it(
    "in verdict, figures, cases, samples and order, whatever the number of shards",
    { tags: "long" },
    async () => {
      await using fixture = await createFixture(bigSuite((i) => i % 10 === 0));
      const base = await start(fixture, ["run", suite, "--out", "base", "--baseline", "none"]);
      expect([0, 1, 3], base.stderr).toContain(base.code);
      await fixture.writeFile(
        "evals/app.jsonl",
        bigSuite((i) => i % 3 === 0)["evals/app.jsonl"] ?? "",
      );
      const flags = ["--baseline", "base"];
      const { whole, merged } = await bothWays(fixture, { manifest: suite, of: 4, flags });
      expect(merged, merged.stderr).toMatchObject({ code: whole.code });
      const one = await readRunDirectory(fixture.getPath("whole"));
      const other = await readRunDirectory(fixture.getPath("merged"));
      expect(JSON.stringify(other.run.gate)).toBe(JSON.stringify(one.run.gate));
      expect(withoutTimes(other.run)).toBe(withoutTimes(one.run));
      expect(other.scoresText).toBe(one.scoresText);
      expect(other.run.merged).toHaveLength(4);
      expect(other.samples.map(({ id }) => id).toSorted()).toEqual(
        one.samples.map(({ id }) => id).toSorted(),
      );
      expect(new Set(other.samples.map(({ run_id }) => run_id))).toEqual(new Set([other.run.id]));
      expect(other.files).toEqual(one.files);
    },
  );

  it("also where a batch grader judges all samples together", async () => {
    await using fixture = await createFixture(bigSuite(() => false));
    const argv = ["--task", "whole", "--candidate", "app*/*"];
    for (const i of [1, 2])
      await start(fixture, ["run", suite, "--shard", `${i}/2`, "--out", `s${i}`, ...argv]);
    const merged = await start(fixture, ["merge", "s1", "s2", "--out", "merged"]);
    expect(merged.stderr).toContain("grade_batch is given 40 samples");
    const { run } = await readRunDirectory(fixture.getPath("merged"));
    expect(run.metrics.find(({ metric }) => metric === "seen")?.value).toBe(40);
    const part = await readRunDirectory(fixture.getPath("s2"));
    expect(part.run.batches).toBeUndefined();
  });

  it("also where only some tasks and candidates were chosen, with names like paths", async () => {
    await using fixture = await createFixture(bigSuite((i) => i % 4 === 0));
    const flags = ["--task", "sums", "--candidate", "app*/*"];
    const whole = await start(fixture, ["run", suite, "--out", "whole", ...flags]);
    for (const i of [1, 2])
      await start(fixture, ["run", suite, "--shard", `${i}/2`, "--out", `s${i}`, ...flags]);
    const merged = await start(fixture, ["merge", "s1", "s2", "--out", "merged"]);
    expect(merged, merged.stderr).toMatchObject({ code: whole.code });
    const one = await readRunDirectory(fixture.getPath("whole"));
    const other = await readRunDirectory(fixture.getPath("merged"));
    expect(withoutTimes(other.run)).toBe(withoutTimes(one.run));
  });

  it(
    "also where flags chose fewer cases, more repeats and metadata",
    { tags: "smoke" },
    async () => {
      const files = suiteFiles({ cases: 30, answer: (i) => (i < 9 ? "wrong" : undefined) });
      await using fixture = await createFixture(files);
      const flags = ["--max-samples", "12", "--repeats", "3", "--metadata", "who=me"];
      const manifest = "evals/qa.yaml";
      const whole = await start(fixture, ["run", manifest, "--out", "whole", ...flags]);
      for (const i of [1, 2])
        await start(fixture, ["run", manifest, "--shard", `${i}/2`, "--out", `s${i}`, ...flags]);
      const merged = await start(fixture, ["merge", "s1", "s2", "--out", "merged"]);
      expect(merged, merged.stderr).toMatchObject({ code: whole.code });
      const one = await readRunDirectory(fixture.getPath("whole"));
      const other = await readRunDirectory(fixture.getPath("merged"));
      expect(one.samples).toHaveLength(36);
      expect(withoutTimes(other.run)).toBe(withoutTimes(one.run));
    },
  );

  it("also by two policies that ask how often, or by a flag over both", async () => {
    const files = suiteFiles({ cases: 30 });
    await using fixture = await createFixture(files);
    commit(fixture.path, "base");
    const manifest = files["evals/qa.yaml"] ?? "";
    await fixture.writeFile("evals/qa.yaml", `${manifest}repeats: 2\n`);
    for (const [out, flags] of [
      ["by-manifest", []],
      ["by-flag", ["--repeats", "3", "--max-samples", "10"]],
    ] as const) {
      const policy = ["--policy-from", "HEAD"];
      for (const i of [1, 2]) {
        const argv = ["run", "evals/qa.yaml", "--shard", `${i}/2`, "--out", `${out}-${i}`];
        const end = await start(fixture, [...argv, ...policy, ...flags]);
        expect(end.code, end.stderr).toBe(0);
      }
      const argv = ["merge", `${out}-1`, `${out}-2`, "--out", out];
      const merged = await start(fixture, [...argv, ...policy]);
      expect(merged.code, merged.stderr).toBe(0);
      const { run } = await readRunDirectory(fixture.getPath(out));
      // 30 cases once by the base's manifest, or 10 of them three times.
      expect(run.request_counts.total).toBe(30);
      expect(run.suite.tasks["qa"]?.repeats).toBe(out === "by-flag" ? 3 : 1);
    }
  });

  it("also by two policies, where the change alters its own rules", { tags: "long" }, async () => {
    const files = suiteFiles({ cases: 30, answer: (i) => (i < 9 ? "wrong" : undefined) });
    await using fixture = await createFixture(files);
    commit(fixture.path, "base");
    const easier = (files["evals/qa.yaml"] ?? "").replace("min: 0.8", "min: 0.5");
    await fixture.writeFile("evals/qa.yaml", easier);
    commit(fixture.path, "change");
    const flags = ["--policy-from", "HEAD~1"];
    const { whole, merged } = await bothWays(fixture, { manifest: "evals/qa.yaml", of: 3, flags });
    expect([whole.code, merged.code], merged.stderr).toEqual([1, 1]);
    const one = await readRunDirectory(fixture.getPath("whole"));
    const other = await readRunDirectory(fixture.getPath("merged"));
    expect(other.run.policy?.head?.verdict).toBe("pass");
    expect(withoutTimes(other.run)).toBe(withoutTimes(one.run));
    const without = await start(fixture, ["merge", "shard-1", "shard-2", "shard-3", "--out", "m"]);
    expectRefusal(without, 2);
    expect(without.stderr).toContain("--policy-from HEAD~1");
  });

  it("also where there are more shards than cases", async () => {
    await using fixture = await createFixture(suiteFiles({ cases: 2 }));
    const { whole, merged } = await bothWays(fixture, { manifest: "evals/qa.yaml", of: 4 });
    expect(merged, merged.stderr).toMatchObject({ code: whole.code });
  });
});

function commit(folder: string, message: string): void {
  const settings = ["-c", "user.name=n", "-c", "user.email=n@example.org"];
  const git = (...args: string[]): Buffer =>
    execFileSync("git", [...settings, "-c", "commit.gpgsign=false", ...args], { cwd: folder });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", `--message=${message}`);
}

describe("a shard", () => {
  it("asks for every n-th case only, and says what it is", async () => {
    const files = {
      ...suiteFiles({ cases: 10, candidates: sumCandidate }),
      "evals/app.py": sumApp,
    };
    await using fixture = await createFixture(files);
    const end = await start(fixture, ["run", "evals/qa.yaml", "--shard", "2/4", "--out", "out"]);
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(end.stdout).toContain("Shard 2/4");
    const { run, samples } = await readRunDirectory(fixture.getPath("out"));
    expect(run).toMatchObject({
      status: "completed",
      shard: { index: 2, of: 4, plan_cases: 10 },
      gate: { verdict: "neutral", rules: [] },
      baseline: null,
    });
    expect(samples.map(({ case_id }) => case_id).toSorted()).toEqual(["c1", "c5", "c9"]);
    const calls = await readFile(fixture.getPath("evals/calls.log"), "utf8");
    expect(calls.trim().split("\n")).toHaveLength(3);
  });

  it("is no baseline: its other cases would look new", async () => {
    await using fixture = await createFixture(suiteFiles({ cases: 4 }));
    await start(fixture, ["run", "evals/qa.yaml", "--shard", "1/2", "--out", "part"]);
    const end = await start(fixture, ["run", "evals/qa.yaml", "--baseline", "part"]);
    expectRefusal(end, 2);
    expect(end.stderr).toContain("regrade merge");
  });

  it("is not gone on with as another shard", async () => {
    await using fixture = await createFixture(suiteFiles({ cases: 6 }));
    await start(fixture, ["run", "evals/qa.yaml", "--shard", "1/2", "--out", "out"]);
    const header = `{"object":"regrade.plan/1","run_id":"run_x","input_hash":"other","created_at":"x"}\n`;
    await fixture.writeFile("out/generated.jsonl", header);
    await rm(fixture.getPath("out/run.json"));
    const end = await start(fixture, [
      "run",
      "evals/qa.yaml",
      "--shard",
      "2/2",
      "--out",
      "out",
      "--resume",
    ]);
    expectRefusal(end, 2);
  });
});

describe("nothing is judged", () => {
  const cases: readonly {
    readonly why: string;
    readonly spoil?: (fixture: FsFixture) => Promise<unknown>;
    readonly merge?: readonly string[];
    readonly says: string;
  }[] = [
    { why: "a shard is missing", merge: ["s1", "s3"], says: "shard 2 of 3 is missing" },
    { why: "a shard is there twice", merge: ["s1", "s2", "s2", "s3"], says: "is there twice" },
    { why: "a whole run is among them", merge: ["s1", "s2", "whole"], says: "no shard of one" },
    {
      why: "a shard was stopped",
      spoil: (f) => editRun(f, "s2", (run) => ({ ...run, status: "cancelled" })),
      says: "status cancelled",
    },
    {
      why: "a shard is of another commit",
      spoil: (f) =>
        editRun(f, "s2", (run) => ({ ...run, git: { ...run.git, sha: "0".repeat(40) } })),
      says: "commit",
    },
    {
      why: "a shard is of another number",
      spoil: async (f) => {
        await rm(f.getPath("s2"), { recursive: true });
        await start(f, ["run", "evals/qa.yaml", "--shard", "2/4", "--out", "s2"]);
      },
      says: "number of shards",
    },
    {
      why: "a shard asked with another recording",
      spoil: async (f) => {
        await rm(f.getPath("s2"), { recursive: true });
        await f.writeFile("evals/outputs.jsonl", '{"case_id":"c1","output_text":"2"}\n');
        await start(f, ["run", "evals/qa.yaml", "--shard", "2/3", "--out", "s2"]);
      },
      says: "input hash",
    },
    {
      why: "the data have changed since",
      spoil: (f) => f.writeFile("evals/data/qa.jsonl", jsonLines([{ id: "c0", q: "1+1", a: "2" }])),
      says: "not the suite that the shards ran",
    },
    {
      why: "a shard has lost a sample",
      spoil: async (f) => {
        const lines = (await readFile(f.getPath("s2/samples.jsonl"), "utf8")).split("\n");
        await writeFile(f.getPath("s2/samples.jsonl"), lines.slice(1).join("\n"));
      },
      says: "lacks a sample",
    },
    {
      why: "a shard has lost a score",
      spoil: async (f) => {
        const lines = (await readFile(f.getPath("s2/scores.jsonl"), "utf8")).split("\n");
        await writeFile(f.getPath("s2/scores.jsonl"), lines.slice(1).join("\n"));
      },
      says: "not a run that Regrade can read",
    },
  ];

  let made: FsFixture;

  beforeAll(async () => {
    made = await createFixture(suiteFiles({ cases: 7 }));
    await start(made, ["run", "evals/qa.yaml", "--out", "whole"]);
    for (const i of [1, 2, 3])
      await start(made, ["run", "evals/qa.yaml", "--shard", `${i}/3`, "--out", `s${i}`]);
  });

  afterAll(() => made.rm());

  itSome(cases)("where $why", async ({ spoil, merge = ["s1", "s2", "s3"], says }) => {
    await using fixture = await createFixture({});
    await cp(made.path, fixture.path, { recursive: true });
    await spoil?.(fixture);
    const end = await start(fixture, ["merge", ...merge, "--out", "merged"]);
    expectRefusal(end, 2);
    expect(end.stderr).toContain(says);
  });
});

async function editRun(
  fixture: FsFixture,
  directory: string,
  edit: (run: Run) => object,
): Promise<void> {
  const path = fixture.getPath(`${directory}/run.json`);
  const run = JSON.parse(await readFile(path, "utf8")) as Run;
  await writeFile(path, JSON.stringify(edit(run)));
}
