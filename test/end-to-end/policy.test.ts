import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { git, judgeChange, makeChange, runChange } from "../support/change.ts";
import { jsonLines, parseLines, regrade } from "../support/cli.ts";
import { sumApp, sumCandidate, suiteFiles, type SuiteParts } from "../support/suite-files.ts";

const wrongBelow = (n: number) => (i: number) => (i < n ? "wrong" : undefined);
/** 45 of 60 are right: less than is asked. */
const worse: SuiteParts = { answer: wrongBelow(15) };
const pythonGrader = "{ type: python, metric_id: right, file: graders/right.py }";
const rightGate = "{ rules: [{ metric: right, min: 0.8 }] }";
const right =
  "def grade(sample, item):\n    return 1.0 if sample['output_text'] == item['a'] else 0.0\n";

/** The verdicts, by whose rules the run's was reached, and what changed. */
function told({ policy, gate }: Run): unknown {
  return {
    verdict: gate.verdict,
    base: policy?.base?.verdict ?? null,
    head: policy?.head?.verdict ?? null,
    by: policy?.decided_by,
    changed: policy?.changed.map(({ part, effect }) => `${part} ${effect}`),
  };
}

const gateOf = (min: number): string => `{ rules: [{ metric: exact_match, min: ${min} }] }`;
const rows = (n: number): string =>
  jsonLines(Array.from({ length: n }, (_, i) => ({ id: `c${i}`, q: `${i}+1`, a: `${i + 1}` })));

describe("a change can't judge itself:", () => {
  it(
    "a threshold that it lowers still holds, and both verdicts are shown",
    { tags: "smoke" },
    async () => {
      await using judged = await judgeChange({
        base: suiteFiles(worse),
        head: suiteFiles({ ...worse, gate: gateOf(0.5) }),
      });
      const { end, run, summary, fixture } = judged;
      expect(told(run)).toEqual({
        verdict: "fail",
        base: "fail",
        head: "pass",
        by: "base",
        changed: ["gate changed"],
      });
      expect(end.code).toBe(1);
      expect(run.policy).toMatchObject({
        source: "main",
        sha: git(fixture.path, "rev-parse", "main"),
      });
      expect(run.policy?.head?.rules[0]).toMatchObject({ limit: 0.5, outcome: "met" });
      expect(run.suite.gate).toEqual({ rules: [{ metric: "exact_match", min: 0.8 }] });
      expect(end.stdout).toContain("By the base's policy: fail; by its own: pass.");
      expect(summary).toContain("| Rule | main: ❌ fail | this change: ✅ pass |");
      expect(end.leftovers).toEqual([]);
    },
  );

  it("nor by a gate that it takes away", async () => {
    await using judged = await judgeChange({
      base: suiteFiles(worse),
      head: suiteFiles({ ...worse, gate: "none" }),
    });
    expect(told(judged.run)).toMatchObject({ verdict: "fail", head: "neutral", by: "base" });
  });

  it("a data set that is opened fails no run outside of CI: an editor or git may have done it", async () => {
    const base = suiteFiles({ cases: 4, candidates: sumCandidate });
    const opens = `open("".join(chr(ord(c) - 1) for c in "ebub0rb/ktpom")).read()\n`;
    await using fixture = await makeChange({
      base: { ...base, "evals/app.py": sumApp },
      head: { "evals/app.py": `${sumApp}${opens}` },
    });
    const argv = ["run", "evals/qa.yaml", "--policy-from", "main"];
    const end = await regrade(argv, { in: fixture.path });
    expect(end.stdout).toContain("evals/data/qa.jsonl was opened while the candidates ran");
    expect(end.code).toBe(0);
  });

  it("a failing case that it drops is still asked", async () => {
    await using judged = await judgeChange({
      base: suiteFiles({ cases: 60, answer: wrongBelow(15) }),
      head: { "evals/data/qa.jsonl": rows(60).split("\n").slice(15).join("\n") },
    });
    const { run } = judged;
    expect(told(run)).toEqual({
      verdict: "fail",
      base: "fail",
      head: "pass",
      by: "base",
      changed: ["dataset changed"],
    });
    expect(run.policy?.changed[0]?.note).toBe("15 of the base's cases are gone or changed");
    expect(run.cases.declared).toBe(60);
  });

  it("a target that it corrects to its own answer is still the base's", async () => {
    const flattered = jsonLines(
      Array.from({ length: 60 }, (_, i) => ({
        id: `c${i}`,
        q: `${i}+1`,
        a: i < 15 ? "wrong" : `${i + 1}`,
      })),
    );
    await using judged = await judgeChange({
      base: suiteFiles(worse),
      head: { "evals/data/qa.jsonl": flattered },
    });
    expect(told(judged.run)).toMatchObject({ base: "fail", head: "pass", by: "base" });
  });

  it.each([
    ["the grader", "graders/right.py", "def grade(sample, item):\n    return 1.0\n"],
    ["what the grader imports", "graders/rules.py", "def same(a, b):\n    return True\n"],
  ])("%s that it edits does not grade, and nothing is asked twice", async (_, path, text) => {
    const imported =
      "from rules import same\n\ndef grade(sample, item):\n    return 1.0 if same(sample['output_text'], item['a']) else 0.0\n";
    const files = {
      ...suiteFiles({ cases: 12, grader: pythonGrader, gate: rightGate, candidates: sumCandidate }),
      "evals/app.py": sumApp.replace("int(a) + int(b)", "int(a) - int(b)"),
      "evals/graders/right.py": imported,
      "evals/graders/rules.py": "def same(a, b):\n    return a == b\n",
    };
    await using judged = await judgeChange({ base: files, head: { [`evals/${path}`]: text } });
    const { run, fixture } = judged;
    expect(told(run)).toEqual({
      verdict: "fail",
      base: "fail",
      head: "pass",
      by: "base",
      changed: ["grader changed"],
    });
    expect(run.policy?.changed[0]?.note).toBe("12 of 12 stored outputs have other scores by it");
    const calls = await readFile(join(fixture.path, "evals", "calls.log"), "utf8");
    expect(calls.trim().split("\n")).toHaveLength(12);
    expect(run.usage.cached).toBe(0);
  });

  it("a candidate slot that it removes is missing", async () => {
    const two = "{ app: { replay: outputs.jsonl }, other: { replay: outputs.jsonl } }";
    await using judged = await judgeChange({
      base: suiteFiles({ candidates: two }),
      head: { "evals/qa.yaml": suiteFiles()["evals/qa.yaml"] ?? "" },
    });
    const { run, end } = judged;
    expect(told(run)).toEqual({
      verdict: "fail",
      base: "fail",
      head: "pass",
      by: "base",
      changed: ["candidates changed"],
    });
    expect(run.policy?.slots).toEqual({ new: [], missing: ["other"] });
    expect(run.gate.reasons[0]).toContain("`other` is in the base's list");
    expect(end.stdout).toContain("other is in the base's list");
  });

  it("a suite that it deletes is run as the base has it", async () => {
    await using judged = await judgeChange({
      base: suiteFiles(worse),
      head: { "evals/qa.yaml": null, "evals/data/qa.jsonl": null },
    });
    expect(told(judged.run)).toEqual({
      verdict: "fail",
      base: "fail",
      head: null,
      by: "base",
      changed: ["suite changed"],
    });
    expect(judged.run.policy?.suite).toBe("deleted");
  });

  it("a suite that it moves, with a lower threshold, is known by its name", async () => {
    const moved = suiteFiles({ ...worse, gate: gateOf(0.5) })["evals/qa.yaml"] ?? "";
    await using judged = await judgeChange({
      base: suiteFiles(worse),
      head: { "evals/qa.yaml": null, "evals/renamed.yaml": moved },
      argv: ["evals/renamed.yaml"],
    });
    const { run } = judged;
    expect(run.policy).toMatchObject({ suite: "moved", base_path: "evals/qa.yaml" });
    expect(told(run)).toMatchObject({ verdict: "fail", base: "fail", head: "pass", by: "base" });
  });

  it("a suite that it calls otherwise, with a lower threshold, is known by its path", async () => {
    await using judged = await judgeChange({
      base: suiteFiles(worse),
      head: suiteFiles({ ...worse, name: "easy", gate: gateOf(0.5) }),
    });
    const { run } = judged;
    expect(told(run)).toMatchObject({ verdict: "fail", base: "fail", head: "pass", by: "base" });
    expect(run.suite.name).toBe("qa");
    expect(run.policy?.changed.map(({ note }) => note)).toContain("the base calls it `qa`");
  });

  it("a baseline that it replaces is still the base's", async () => {
    const gate = "{ max_drop: 0.02, baseline: { path: baseline } }";
    const good = await createFixture(suiteFiles({ gate }));
    const bad = await createFixture(suiteFiles({ gate, ...worse }));
    await using judged = await judgeChange({
      base: { ...suiteFiles({ gate }), ...(await record(good)) },
      head: { ...suiteFiles({ gate, ...worse }), ...(await record(bad)) },
    });
    await good.rm();
    await bad.rm();
    expect(judged.run.gate).toMatchObject({ verdict: "fail", rules: [{ code: "drop_proven" }] });
    expect(judged.run.policy).toMatchObject({ changed: [], recorded: ["app"] });
  });
});

describe("what only adds, or comes to the same, needs nobody's leave:", () => {
  it("a column that it adds to its rows: they are still compared with the baseline", async () => {
    const gate = "{ max_drop: 0.02, baseline: { path: baseline } }";
    const good = await createFixture(suiteFiles({ gate }));
    const base = { ...suiteFiles({ gate }), ...(await record(good)) };
    await good.rm();
    const head = suiteFiles({ gate, row: (i) => ({ lang: i % 2 === 0 ? "de" : "en" }) });
    await using judged = await judgeChange({ base, head });
    expect(told(judged.run)).toEqual({
      verdict: "pass",
      base: "pass",
      head: "pass",
      by: "both",
      changed: ["dataset equivalent"],
    });
  });

  it("cases that it adds inform, and the base's decide", async () => {
    const more = suiteFiles({ cases: 90, answer: (i) => (i < 60 ? undefined : "wrong") });
    await using judged = await judgeChange({ base: suiteFiles(), head: more });
    const { run, end, fixture } = judged;
    expect(told(run)).toEqual({
      verdict: "pass",
      base: "pass",
      head: "fail",
      by: "base",
      changed: ["dataset added"],
    });
    expect(end.code).toBe(0);
    expect(run.policy?.changed[0]?.note).toContain("30 cases were added and none changed");
    const own = await readFile(join(fixture.path, "out/own-policy/scores.jsonl"), "utf8");
    expect(parseLines(own)).toHaveLength(90);
  });

  it("a grader that gives every stored output the same scores is the same", async () => {
    const files = {
      ...suiteFiles({ grader: pythonGrader, gate: rightGate }),
      "evals/graders/right.py": right,
    };
    const refactored =
      "def grade(sample, item):\n    same = item['a'] == sample['output_text']\n    return float(same)\n";
    await using judged = await judgeChange({
      base: files,
      head: { "evals/graders/right.py": refactored },
    });
    const { run, summary } = judged;
    expect(told(run)).toMatchObject({ verdict: "pass", changed: ["grader equivalent"] });
    expect(summary).toContain("both graders give each of the 60 stored outputs the same scores");
  });

  it("a candidate slot that it adds is run, and informs", async () => {
    const two = "{ app: { replay: outputs.jsonl }, other: { replay: other.jsonl } }";
    await using judged = await judgeChange({
      base: suiteFiles(),
      head: {
        "evals/qa.yaml": suiteFiles({ candidates: two })["evals/qa.yaml"] ?? "",
        "evals/other.jsonl": suiteFiles({ answer: () => "wrong" })["evals/outputs.jsonl"] ?? "",
      },
    });
    const { run } = judged;
    expect(told(run)).toMatchObject({ verdict: "pass", changed: ["candidates added"] });
    expect(run.policy?.slots).toEqual({ new: ["other"], missing: [] });
    expect(run.metrics.map(({ candidate }) => candidate)).toContain("other");
    expect(run.gate.rules.map(({ candidate }) => candidate)).toEqual(["app"]);
    expect(run.policy?.recorded).toEqual(["other"]);
  });

  it("a prompt, and a candidate's own definition, are what is judged", async () => {
    const base = suiteFiles();
    const manifest = (base["evals/qa.yaml"] ?? "")
      .replace("What is {{q}}?", "Add: {{q}}")
      .replace("app: { replay: outputs.jsonl }", "better: { replay: outputs.jsonl }");
    await using judged = await judgeChange({ base, head: { "evals/qa.yaml": manifest } });
    const { run, end } = judged;
    expect(run.policy).toMatchObject({
      changed: [
        {
          part: "candidates",
          effect: "told",
          note: "the candidate `better` is called `app` on the base",
        },
        { part: "candidates", effect: "told", note: "another prompt is asked for `qa`" },
      ],
      base: null,
      head: null,
      decided_by: "both",
      recorded: [],
    });
    expect(end.code).toBe(0);
    expect(existsSync(judged.fixture.getPath("out/own-policy"))).toBe(false);
    expect(await readFile(judged.fixture.getPath("out/samples.jsonl"), "utf8")).toContain(
      "Add: 0+1",
    );
  });

  it("a new suite is judged by its own rules, and marked", async () => {
    const added = suiteFiles({ name: "other" })["evals/qa.yaml"] ?? "";
    await using judged = await judgeChange({
      base: suiteFiles(),
      head: { "evals/other.yaml": added },
      argv: ["evals/other.yaml"],
    });
    expect(judged.run.policy).toMatchObject({ suite: "new", base: null, decided_by: "head" });
    expect(judged.end.stdout).toContain("A new suite is judged by its own rules");
  });
});

describe("the stricter decides:", () => {
  it("a threshold that it raises holds for itself", async () => {
    await using judged = await judgeChange({
      base: suiteFiles({ ...worse, gate: gateOf(0.5) }),
      head: suiteFiles({ ...worse, gate: gateOf(0.8) }),
    });
    const { run, end } = judged;
    expect(told(run)).toMatchObject({ verdict: "fail", base: "pass", head: "fail", by: "head" });
    expect(end.code).toBe(1);
    expect(run.gate.reasons[0]).toMatch(/^By the change's own policy: /);
    expect(end.stdout).toMatch(/^❌ qa: .*the gate fails\n {2}By the change's own policy: /);
  });

  it("and `compare` says byte for byte what the run said", async () => {
    await using judged = await judgeChange({
      base: suiteFiles({ ...worse, gate: gateOf(0.5) }),
      head: suiteFiles({ ...worse, gate: gateOf(0.8) }),
    });
    const { fixture } = judged;
    const argv = [
      "run",
      "evals/qa.yaml",
      "--out",
      "again",
      "--baseline",
      "out",
      "--policy-from",
      "main",
    ];
    await regrade(argv, { in: fixture.path });
    const compared = await regrade(["compare", "out", "again", "--json"], {
      in: fixture.path,
    });
    const again = JSON.parse(await readFile(fixture.getPath("again/run.json"), "utf8")) as Run;
    expect(compared.stdout.trim()).toBe(JSON.stringify(again));
    expect(compared.code).toBe(1);
  });
});

describe("--policy-from", () => {
  it("takes a folder with a tree of the base", async () => {
    const base = suiteFiles(worse);
    const inFolder = Object.entries(base).map(([path, text]) => [`base/${path}`, text]);
    await using fixture = await createFixture({
      ...suiteFiles({ ...worse, gate: gateOf(0.5) }),
      ...Object.fromEntries(inFolder),
    });
    const end = await runChange(fixture, ["evals/qa.yaml"], "./base");
    expect(end.code).toBe(1);
    const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
    expect(run.policy).toMatchObject({ source: "./base", sha: null, decided_by: "base" });
    expect(existsSync(fixture.getPath("base/evals/qa.yaml"))).toBe(true);
  });

  it("is satisfied with a checkout of depth 1 and the base fetched alike", async () => {
    await using origin = await makeChange({
      base: suiteFiles(worse),
      head: suiteFiles({ ...worse, gate: gateOf(0.5) }),
    });
    await using place = await createFixture({});
    const url = `file://${origin.path}`;
    git(place.path, "clone", "--quiet", "--depth=1", "--branch=change", url, "clone");
    const clone = place.getPath("clone");
    git(clone, "fetch", "--quiet", "--depth=1", "origin", "main");
    const argv = ["run", "evals/qa.yaml", "--out", "out", "--policy-from", "FETCH_HEAD"];
    const end = await regrade(argv, { in: clone });
    expect(end.code).toBe(1);
    expect(end.stdout).toContain("The stricter one decides: the base's.");
    expect(git(clone, "status", "--porcelain")).toBe("?? out/");
    expect(readdirSync(join(clone, ".git"))).not.toContain("worktrees");
  });

  it("refuses what is neither, and says how to fetch it", async () => {
    await using fixture = await makeChange({ base: suiteFiles(), head: {} });
    const end = await runChange(fixture, ["evals/qa.yaml"], "origin/main");
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toContain("git fetch --depth=1 origin main");
  });

  it("takes the branch where a change brings a folder of its name", async () => {
    const easy = suiteFiles({ ...worse, gate: gateOf(0.5) });
    const planted = Object.entries(easy).map(([path, text]) => [`main/${path}`, text]);
    await using judged = await judgeChange({
      base: suiteFiles(worse),
      head: { ...easy, ...Object.fromEntries(planted) },
    });
    expect(told(judged.run)).toMatchObject({ base: "fail", by: "base" });
  });

  it("writes the base's files as the base has them, whatever attributes the change gives them", async () => {
    const files = {
      ...suiteFiles({ grader: pythonGrader, gate: rightGate }),
      "evals/graders/right.py": right,
    };
    await using judged = await judgeChange({
      base: files,
      head: { ".gitattributes": "*.py text eol=crlf\n" },
    });
    expect(judged.run.policy).toMatchObject({ changed: [], decided_by: "both" });
  });

  it("judges a suite whose whole folder is gone", async () => {
    const files = suiteFiles(worse);
    await using judged = await judgeChange({
      base: { ...files, "README.md": "" },
      head: Object.fromEntries(Object.keys(files).map((path) => [path, null])),
    });
    expect(told(judged.run)).toMatchObject({ verdict: "fail", head: null, by: "base" });
  });

  it("goes on with the change's own cases after a stop among them", { tags: "long" }, async () => {
    const parts = { grader: pythonGrader, gate: rightGate, candidates: sumCandidate };
    const files = {
      ...suiteFiles({ ...parts, cases: 4 }),
      "evals/app.py": `import time\ntime.sleep(0.2)\n${sumApp}`,
      "evals/graders/right.py": right,
    };
    await using fixture = await makeChange({
      base: files,
      head: { "evals/data/qa.jsonl": rows(24) },
    });
    const argv = ["run", "evals/qa.yaml", "--out", "out", "--policy-from", "main"];
    const stopped = await regrade(argv, {
      in: fixture.path,
      meanwhile: async ({ stderr, kill }) => {
        await expect.poll(stderr).toMatch(/qa: [6-9] of 24/);
        kill("SIGINT");
      },
    });
    expect(stopped).toMatchObject({ code: 130, leftovers: [] });
    const resumed = await regrade([...argv, "--resume"], { in: fixture.path });
    expect(resumed.code).toBe(0);
    const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
    expect(told(run)).toMatchObject({ verdict: "pass", head: "pass", changed: ["dataset added"] });
    const calls = await readFile(fixture.getPath("evals/calls.log"), "utf8");
    expect(new Set(calls.trim().split("\n")).size).toBe(24);
  });

  it("says where in the base a manifest is wrong", async () => {
    const broken = (suiteFiles()["evals/qa.yaml"] ?? "").replace("exact_match", "exakt_match");
    await using fixture = await makeChange({
      base: { ...suiteFiles(), "evals/qa.yaml": broken },
      head: suiteFiles(),
    });
    const end = await runChange(fixture, ["evals/qa.yaml"]);
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("main:evals/qa.yaml:5");
    expect(end.leftovers).toEqual([]);
  });

  it(
    "goes on after a stop with what was paid for, and leaves no tree behind",
    { tags: "long" },
    async () => {
      const files = {
        ...suiteFiles({
          cases: 24,
          grader: pythonGrader,
          gate: rightGate,
          candidates: sumCandidate,
        }),
        "evals/app.py": `import time\ntime.sleep(0.2)\n${sumApp}`,
        "evals/graders/right.py": right,
      };
      const loose = "def grade(sample, item):\n    return 1.0 if sample['output_text'] else 0.5\n";
      await using fixture = await makeChange({
        base: files,
        head: { "evals/graders/right.py": loose },
      });
      const argv = ["run", "evals/qa.yaml", "--out", "out", "--policy-from", "main"];
      const stopped = await regrade(argv, {
        in: fixture.path,
        meanwhile: async ({ stderr, kill }) => {
          await expect.poll(stderr).toMatch(/qa: [2-9] of 24/);
          kill("SIGINT");
        },
      });
      expect(stopped).toMatchObject({ code: 130, leftovers: [] });
      const resumed = await regrade([...argv, "--resume"], { in: fixture.path });
      expect(resumed.code).toBe(0);
      const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
      expect(told(run)).toMatchObject({ verdict: "pass", changed: ["grader equivalent"] });
    },
  );

  it("plans what both policies ask, with --dry-run", async () => {
    await using fixture = await makeChange({
      base: suiteFiles(),
      head: suiteFiles({ cases: 70 }),
    });
    const argv = ["run", "evals/qa.yaml", "--dry-run", "--json", "--policy-from", "main"];
    const end = await regrade(argv, { in: fixture.path });
    expect(end.code).toBe(0);
    expect(parseLines(end.stdout)).toHaveLength(2);
    expect(existsSync(fixture.getPath("out"))).toBe(false);
  });

  it("judges several suites, a deleted one among them", async () => {
    const other = (suiteFiles({ name: "other" })["evals/qa.yaml"] ?? "").replace("0.8", "0.7");
    await using fixture = await makeChange({
      base: { ...suiteFiles(worse), "evals/other.yaml": other },
      head: { "evals/qa.yaml": null },
    });
    const end = await runChange(fixture, ["evals/qa.yaml", "evals/other.yaml"]);
    expect(end.code).toBe(1);
    expect(readdirSync(fixture.getPath("out")).toSorted()).toEqual(["other", "qa"]);
  });
});

it("tells of what a program gains that may hold answers in a form that nobody can read", async () => {
  const keys = Array.from({ length: 30 }, (_, i) => (i * 7919) % 65_537);
  const head = {
    "evals/app.py": `import json, os\nT = json.load(open("keys.json"))\nU = "http://answers.example.org/"\n${sumApp}`,
    "evals/keys.json": JSON.stringify(keys),
    "evals/README.md": "See https://example.com/manual.\n",
    "evals/__pycache__/app.cpython-311.pyc": "\u0001compiled",
  };
  const base = { ...suiteFiles({ candidates: sumCandidate }), "evals/app.py": sumApp };
  await using change = await judgeChange({ base, head });
  expect(change.end.code, change.end.stderr).toBe(0);
  expect(change.summary).toContain("`evals/keys.json`, of which a program is made, brings tables");
  expect(change.summary).toContain("names an address that the base does not");
  expect(change.summary).toContain("app.cpython-311.pyc` is compiled code");
  expect(change.summary).not.toContain("example.com");
});

it("tells of an app asked over HTTP whose code newly names the data set, and of no code that did before", async () => {
  const server = createServer((request, response) => {
    response.end(String(Number.parseInt(request.url?.split("?")[1] ?? "", 10) + 1));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const http = `{ url: "http://127.0.0.1:${port}/?{{q}}", method: GET, output: "" }`;
  const reading = `ROWS = open("data/qa.jsonl").read()\n`;
  const base = {
    ...suiteFiles({ candidates: `{ app: { http: ${http} } }` }),
    "evals/server.py": "import http.server\n",
    "scripts/build.py": "print(1)\n",
  };
  try {
    await using change = await judgeChange({ base, head: { "evals/server.py": reading } });
    expect(change.end.code, change.end.stderr).toBe(0);
    expect(change.summary).toContain("`evals/server.py` names what holds the answers");
    const known = { ...base, "evals/make.py": reading };
    const head = { "evals/make.py": `${reading}# A comment.\n` };
    await using honest = await judgeChange({ base: known, head });
    expect(honest.summary).not.toContain("names what holds the answers");
  } finally {
    server.close();
  }
});

/** Makes a baseline of a project, as files of another. */
async function record(from: FsFixture): Promise<Record<string, string>> {
  const argv = ["run", "evals/qa.yaml", "--baseline", "none", "--out", "evals/baseline"];
  await regrade(argv, { in: from.path });
  const names = ["run.json", "scores.jsonl", "samples.jsonl", "summary.md"];
  const read = names.map(async (name) => {
    const path = `evals/baseline/${name}`;
    return [path, await readFile(join(from.path, path), "utf8")] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
