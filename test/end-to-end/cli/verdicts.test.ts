import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../../src/model/outcomes/run.ts";
import { parseLines, readRunDirectory, regrade } from "../../support/cli.ts";
import { suiteFiles, type SuiteParts } from "../../support/suite-files.ts";

/** The exit code is the verdict: small recorded suites, run as a user would. */

const run = ["run", "evals/qa.yaml", "--out", "out"];
const wrongBelow = (n: number) => (i: number) => (i < n ? "wrong" : undefined);

interface Example {
  readonly verdict: Run["gate"]["verdict"];
  readonly why: string;
  readonly code: number;
  readonly base?: SuiteParts;
  /** The baseline has run.json and scores.jsonl only. */
  readonly isCompact?: boolean;
  readonly head: SuiteParts;
  readonly says: string;
}

const drop = "{ max_drop: 0.02 }";
const qualityGrader = (score: number): string =>
  `{ type: python, metric_id: quality, source: "def grade(s, i): return ${score}" }`;
const qualityGate = "{ rules: [{ metric: quality, max_drop: 0.02 }] }";

const examples: readonly Example[] = [
  { verdict: "pass", why: "a rule that is met", code: 0, head: {}, says: "qa: passes" },
  {
    verdict: "pass",
    why: "nothing lost since the baseline",
    code: 0,
    base: { gate: drop },
    head: { gate: drop },
    says: "No regression detected",
  },
  {
    verdict: "pass",
    why: "cases that were fixed",
    code: 0,
    base: { gate: drop, answer: wrongBelow(20) },
    head: { gate: drop },
    says: "20 cases were fixed, none broke.",
  },
  {
    verdict: "pass",
    why: "a drop that is seen and not proven",
    code: 0,
    base: { gate: drop },
    head: { gate: drop, answer: wrongBelow(2) },
    says: "not proven",
  },
  {
    verdict: "fail",
    why: "a value below its limit",
    code: 1,
    head: { answer: wrongBelow(20) },
    says: "66.7%",
  },
  {
    verdict: "fail",
    why: "a proven drop",
    code: 1,
    base: { gate: drop },
    head: { gate: drop, answer: wrongBelow(20) },
    says: "broken    20 cases: c0, c1",
  },
  {
    verdict: "fail",
    why: "a case that the baseline has and this run has not",
    code: 1,
    base: { gate: drop },
    head: { gate: drop, cases: 59 },
    says: "missing",
  },
  {
    verdict: "inconclusive",
    why: "another grader than the baseline's, whose outputs are gone",
    code: 3,
    isCompact: true,
    base: { gate: qualityGate, grader: qualityGrader(0.5) },
    head: { gate: qualityGate, grader: qualityGrader(0.25) },
    says: "grader",
  },
  {
    verdict: "error",
    why: "no recording of any case",
    code: 4,
    head: { unrecorded: (i) => i > 0, cases: 60 },
    says: "59 ungraded",
  },
  {
    verdict: "error",
    why: "fewer cases than min_cases",
    code: 4,
    head: { more: ["min_cases: 61"] },
    says: "61",
  },
  {
    verdict: "neutral",
    why: "nothing to compare with",
    code: 0,
    head: { gate: drop },
    says: "baseline",
  },
  {
    verdict: "neutral",
    why: "gate: none, whatever the answers are",
    code: 0,
    head: { gate: "none", answer: () => "wrong" },
    says: "gate",
  },
];

describe("the exit code", () => {
  it.each(examples)("is $code for $verdict: $why", async (example) => {
    const { verdict, code, base, head, says } = example;
    await using fixture = await createFixture(suiteFiles(base ?? head));
    const flags = base === undefined ? [] : ["--baseline", "base"];
    if (base !== undefined) {
      const made = await regrade(["run", "evals/qa.yaml", "--out", "base"], { in: fixture.path });
      expect(made.code, made.stderr).toBe(0);
      if (example.isCompact) await rm(fixture.getPath("base/samples.jsonl"));
      for (const [path, text] of Object.entries(suiteFiles(head))) {
        await fixture.writeFile(path, text);
      }
    }
    const end = await regrade([...run, ...flags], { in: fixture.path });
    expect(end.code, end.stderr).toBe(code);
    expect(end.stdout).toContain(says);
    expect(end.leftovers).toEqual([]);
    const stored = await readRunDirectory(fixture.getPath("out"));
    expect(stored.run).toMatchObject({ status: "completed", gate: { verdict } });
    expect(stored.files).toEqual(["run.json", "samples.jsonl", "scores.jsonl", "summary.md"]);
    expect(stored.samples).toHaveLength(head.cases ?? 60);
  });

  it("is that of the worst of several suites, each in a folder of its own", async () => {
    await using fixture = await createFixture({
      ...suiteFiles(),
      ...inFolder("red", suiteFiles({ name: "red", answer: () => "wrong" })),
      ...inFolder("lost", suiteFiles({ name: "lost", unrecorded: (i) => i > 0 })),
    });
    const suites = ["evals/qa.yaml", "red/evals/qa.yaml", "lost/evals/qa.yaml"];
    const end = await regrade(["run", ...suites, "--out", "out", "--json"], { in: fixture.path });
    expect(end.code).toBe(4);
    expect((await readdir(fixture.getPath("out"))).toSorted()).toEqual(["lost", "qa", "red"]);
    const runs = parseLines(end.stdout) as Run[];
    expect(runs.map(({ gate }) => gate.verdict)).toEqual(["pass", "fail", "error"]);
    for (const one of runs) {
      const stored = await readRunDirectory(fixture.getPath("out", one.suite.name));
      expect(stored.run).toEqual(one);
    }
    const some = await regrade(["run", ...suites.slice(0, 2), "--out", "two", "--quiet"], {
      in: fixture.path,
    });
    expect(some.code).toBe(1);
  });

  it("is 2 where one of several suites is refused, and none of them is run", async () => {
    await using fixture = await createFixture({ ...suiteFiles(), "broken.yaml": "name: [\n" });
    const end = await regrade(["run", "evals/qa.yaml", "broken.yaml", "--out", "out"], {
      in: fixture.path,
    });
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toContain("broken.yaml:2:1: ");
    expect(await readdir(fixture.path)).not.toContain("out");
  });

  it("is 2 where two suites would share a folder", async () => {
    await using fixture = await createFixture({
      ...suiteFiles(),
      ...inFolder("more", suiteFiles()),
    });
    const suites = ["evals/qa.yaml", "more/evals/qa.yaml"];
    const end = await regrade(["run", ...suites, "--out", "out"], { in: fixture.path });
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toContain("two suites are called 'qa': evals/qa.yaml, more/evals/qa.yaml");
    expect(end.stderr).toContain("another 'name'");
  });
});

function inFolder(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]),
  );
}

describe("what a script reads", () => {
  it(
    "is run.json on one line, and nothing else on standard output",
    { tags: "smoke" },
    async () => {
      await using fixture = await createFixture(suiteFiles());
      const end = await regrade([...run, "--json"], { in: fixture.path });
      expect(end.stdout.endsWith("}\n")).toBe(true);
      expect(end.stdout.trimEnd()).not.toContain("\n");
      const { run: stored } = await readRunDirectory(fixture.getPath("out"));
      expect(JSON.parse(end.stdout)).toEqual(stored);
      expect(end.stderr).toContain("qa: 60 samples");
    },
  );

  it("is nothing with --quiet, but the exit code", async () => {
    await using fixture = await createFixture(suiteFiles({ answer: () => "wrong" }));
    const end = await regrade([...run, "--quiet"], { in: fixture.path });
    expect(end).toMatchObject({ code: 1, stdout: "", stderr: "" });
  });

  it("is in .regrade/runs where no --out is given, and the table says where", async () => {
    await using fixture = await createFixture(suiteFiles());
    const end = await regrade(["run", "evals/qa.yaml"], { in: fixture.path });
    const [id = ""] = await readdir(fixture.getPath(".regrade/runs"));
    expect(end.stdout).toContain(`run       .regrade/runs/${id}`);
    expect((await readRunDirectory(fixture.getPath(".regrade/runs", id))).run.id).toBe(id);
  });

  it("is kept out of git there, unless the user decided otherwise", async () => {
    await using fixture = await createFixture(suiteFiles());
    const ignore = fixture.getPath(".regrade/.gitignore");
    expect((await regrade([...run, "--out", "out"], { in: fixture.path })).code).toBe(0);
    expect(await readdir(fixture.path)).not.toContain(".regrade");
    await regrade(["run", "evals/qa.yaml"], { in: fixture.path });
    expect(await readFile(ignore, "utf8")).toBe("*\n");
    await writeFile(ignore, "runs/\n");
    expect((await regrade(["run", "evals/qa.yaml"], { in: fixture.path })).code).toBe(0);
    expect(await readFile(ignore, "utf8")).toBe("runs/\n");
  });
});

const twoTasks = [
  "name: two",
  "tasks:",
  ...["qa-short", "qa-long", "other"].map(
    (id) =>
      `  - { id: ${id}, dataset: data/qa.jsonl, prompt_template: "{{q}}", target_template: "{{a}}", grader: exact_match }`,
  ),
  "candidates: { app-a: { replay: outputs.jsonl }, app-b: { replay: outputs.jsonl }, last: { replay: outputs.jsonl } }",
  "gate: { max_drop: 0.02 }",
  "",
].join("\n");

describe("--task and --candidate", () => {
  it("choose by glob, and what was left out is not missing", async () => {
    await using fixture = await createFixture({ ...suiteFiles(), "evals/two.yaml": twoTasks });
    const all = ["run", "evals/two.yaml"];
    expect((await regrade([...all, "--out", "base"], { in: fixture.path })).code).toBe(0);
    const chosen = ["--task", "qa-*", "--candidate", "app-?", "--baseline", "base"];
    const end = await regrade([...all, ...chosen, "--out", "some"], { in: fixture.path });
    expect(end.code, end.stdout).toBe(0);
    const { run: some, scores } = await readRunDirectory(fixture.getPath("some"));
    expect(Object.keys(some.suite.tasks)).toEqual(["qa-short", "qa-long"]);
    expect(some.candidates.map(({ id }) => id)).toEqual(["app-a", "app-b"]);
    expect(some.suite.not_selected).toEqual({ tasks: ["other"], candidates: ["last"] });
    expect(some.cases).toMatchObject({ declared: 240, paired: 240, missing: 0 });
    expect(some.gate.verdict).toBe("pass");
    expect(new Set(scores.map(({ task, candidate }) => `${task} ${candidate}`)).size).toBe(4);
    const twice = ["--task", "other", "--task", "qa-short", "--candidate", "last"];
    const two = await regrade([...all, ...twice, "--json"], { in: fixture.path });
    expect(Object.keys((JSON.parse(two.stdout) as Run).suite.tasks)).toEqual(["qa-short", "other"]);
  });

  it.each([
    ["--task", "nothing*", "qa-short, qa-long, other"],
    ["--candidate", "apq", "app-a, app-b, last"],
  ])("are refused where they choose nothing: %s %s", async (flag, glob, known) => {
    await using fixture = await createFixture({ ...suiteFiles(), "evals/two.yaml": twoTasks });
    const end = await regrade(["run", "evals/two.yaml", flag, glob], { in: fixture.path });
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toContain(`${flag} ${glob} selects nothing`);
    expect(end.stderr).toContain(`There is: ${known}.`);
  });
});

describe("the baseline", () => {
  it("of the flag beats that of the manifest, and none is none", async () => {
    const gate = "{ max_drop: 0.02, baseline: { path: good } }";
    await using fixture = await createFixture(suiteFiles({ gate: drop }));
    const plain = ["run", "evals/qa.yaml", "--quiet"];
    await regrade([...plain, "--out", "evals/good"], { in: fixture.path });
    for (const [path, text] of Object.entries(suiteFiles({ gate, answer: wrongBelow(20) }))) {
      await fixture.writeFile(path, text);
    }
    const read = async (flags: readonly string[]): Promise<Run> => {
      const end = await regrade([...plain, "--json", ...flags], { in: fixture.path });
      return JSON.parse(end.stdout) as Run;
    };
    const byManifest = await read(["--out", "bad"]);
    expect(byManifest.gate.verdict).toBe("fail");
    expect(byManifest.baseline).toMatchObject({ source: "evals/good", comparable: { qa: true } });
    const byFlag = await read(["--baseline", "bad"]);
    expect(byFlag.gate.verdict).toBe("pass");
    expect(byFlag.baseline).toMatchObject({ source: "bad", run_id: byManifest.id });
    const none = await read(["--baseline", "none"]);
    expect(none.gate.verdict).toBe("neutral");
    expect(none.baseline).toBeNull();
  });
});
