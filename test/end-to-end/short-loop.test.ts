import { existsSync } from "node:fs";
import { readdir, rename } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { caseFlags, type PageIndex } from "../../src/model/page.ts";
import {
  expectRefusal,
  jsonLines,
  parseLines,
  readIfThere,
  readRunDirectory,
  regrade,
  until,
  type CliEnd,
} from "../support/cli.ts";
import { runCliHere } from "../support/cli-here.ts";
import { unpack } from "../support/page/unpack.ts";
import { patience } from "../support/patience.ts";
import { sumApp, sumCandidate, suiteFiles } from "../support/suite-files.ts";

/** Break, look, mend, run what broke again: the loop that takes seconds. */

const gate = "{ rules: [{ metric: exact_match, max_drop: 0.02 }] }";
const answering = (answer: (i: number) => string | undefined): Record<string, string> =>
  suiteFiles({
    cases: 40,
    answer,
    gate,
    more: ["slices: [kind]"],
    row: (i) => ({ kind: i % 2 === 0 ? "even" : "odd" }),
  });

const start = (fixture: FsFixture, argv: readonly string[]): Promise<CliEnd> =>
  regrade(argv, { in: fixture.path });

/** The part of the output that says why cases got worse. */
const why = ({ stdout }: CliEnd): string | undefined =>
  /^why .+by reason\n(?: +\S.*\n)+/m.exec(stdout)?.[0];

describe("regrade run --case", () => {
  it(
    "runs the named cases alone, tells that the rest is not selected, and is no baseline",
    { tags: "smoke" },
    async () => {
      await using fixture = await createFixture(answering(() => undefined));
      const run = ["run", "evals/qa.yaml", "--out"];
      await start(fixture, [...run, "base"]);
      const some = [...run, "some", "--case", "c7", "--case", "c1?", "--baseline", "base"];
      const end = await start(fixture, some);
      expect(end.stdout, end.stderr).toContain("selected  11 of 40 cases of qa");
      const { run: made, samples } = await readRunDirectory(fixture.getPath("some"));
      expect(samples).toHaveLength(11);
      expect(made.cases).toMatchObject({ declared: 11, paired: 11, missing: 0 });
      expect(made.suite.not_selected.cases).toEqual([
        { task: "qa", selected: 11, of: 40, up_to: 1, only: ["c7", "c1?"] },
      ]);
      const base = await readRunDirectory(fixture.getPath("base"));
      expect(made.input_hash).not.toBe(base.run.input_hash);
      const against = await start(fixture, [...run, "again", "--baseline", "some"]);
      expectRefusal(against, 2);
      expect(against.stderr).toContain("only some of its cases were run");
      const odd = ["--where", "kind=o*", "--case", "c1?", "--baseline", "base"];
      const few = await start(fixture, [...run, "few", ...odd]);
      const { run: found } = await readRunDirectory(fixture.getPath("few"));
      expect(found.cases, few.stderr).toMatchObject({ declared: 5, paired: 5, missing: 0 });
      for (const [where, said] of [
        ["kind=none", "no case of the suite has a row with kind=none"],
        ["kind", "--where kind is not FIELD=GLOB"],
      ] as const)
        expect((await start(fixture, [...run, "x", "--where", where])).stderr).toContain(said);
      const typo = await start(fixture, [...run, "typo", "--case", "c77"]);
      expectRefusal(typo, 2);
      expect(typo.stderr).toContain("--case c77 matches no case of the suite");
      const both = await start(fixture, [...run, "x", "--case", "c7", "--max-samples", "3"]);
      expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("--max-samples")]);
    },
  );
});

describe("after a red run", () => {
  it("the next command is told, and lists what broke; --failed runs that again, until nothing is left", async () => {
    const long = "word ".repeat(2000);
    await using fixture = await createFixture({
      ...answering(() => undefined),
      ".git/HEAD": "ref: refs/heads/main\n",
      "evals/deep/kept.txt": "",
    });
    const run = ["run", "evals/qa.yaml"];
    await start(fixture, run);
    const broken = answering((i) => (i < 30 ? long : undefined))["evals/outputs.jsonl"] ?? "";
    await fixture.writeFile("evals/outputs.jsonl", broken);
    const red = await start(fixture, [...run, "--baseline", "latest"]);
    expect([red.code, red.stderr]).toEqual([
      1,
      expect.stringMatching(/^Next: .+ show latest .*\n.+ view latest /m),
    ]);
    const [, before = ""] = /^baseline +([^\s,]+)/m.exec(red.stdout) ?? [];
    expect(why(red), red.stdout).toBeDefined();
    expect(why(await start(fixture, ["compare", before, "latest"]))).toBe(why(red));
    const list = await start(fixture, ["show", "latest"]);
    expect(list.stdout, list.stderr).toContain("broken: 30 cases");
    expect(list.stdout).toContain("and 10 more: --full lists all");
    expect(list.stdout).toMatch(/One of them: .+ show latest c\d+\n/);
    const odd = ["show", "latest", "--broken", "--slice", "kind=odd", "--json"];
    expect(parseLines((await start(fixture, odd)).stdout)).toHaveLength(15);
    for (const [filter, said] of [
      [
        "--slice=knd=odd",
        /--slice knd: the run has no such field of slices\n.*Did you mean 'kind'\?/,
      ],
      ["--slice=kind=od", /--slice kind=od: the run has no such slice\n.*Did you mean 'odd'\?/],
      ["--metric=exact_mtch", /has no such metric\n.*Did you mean 'exact_match'\?/],
      ["--task=qaa", /--task qaa: the run has no such task\n.*Did you mean 'qa'\?/],
      ["--candidate=zzzzzz", /has no such candidate\n.*It has /],
    ] as const) {
      const refused = await start(fixture, ["show", "latest", filter]);
      expect([refused.code, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toMatch(said);
    }
    const none = await start(fixture, ["show", "latest", "--fixed"]);
    expect(none.stdout).toContain("No cases to list.");
    const deep = await regrade(["show", "latest", "c7"], { in: fixture.getPath("evals/deep") });
    expect(deep.stdout, deep.stderr).toMatch(/… [\d,]+ more characters: --full shows all/);
    const whole = await start(fixture, ["show", "latest", "c7", "--full"]);
    expect(whole.stdout).toContain(long.trimEnd());
    const idle = await start(fixture, ["show", "latest", "c7", "--broken"]);
    expect([idle.code, idle.stderr]).toEqual([2, expect.stringContaining("--broken is for")]);
    await fixture.writeFile(
      "evals/outputs.jsonl",
      answering(() => undefined)["evals/outputs.jsonl"] ?? "",
    );
    const again = await start(fixture, [...run, "--failed", "--baseline", "latest"]);
    expect(again.stdout, again.stderr).toContain("selected  30 of 40 cases of qa");
    const nothing = await start(fixture, [...run, "--failed"]);
    expect([nothing.code, nothing.stderr]).toEqual([0, expect.stringContaining("nothing is run")]);
    const elsewhere = await start(fixture, [...run, "--baseline", "latest", "--out", "out"]);
    expect(elsewhere.code, elsewhere.stderr).toBe(0);
    // The run of 30 cases in between is no baseline, the one before it is.
    expect((await readRunDirectory(fixture.getPath("out"))).run.cases.paired).toBe(40);
    const some = await start(fixture, [...run, "--max-samples", "9"]);
    expect(some.stdout, some.stderr).toContain(
      "selected  9 of 40 cases of qa: `--baseline latest`",
    );
    const all = await start(fixture, [...run, "--baseline", "latest", "--out", "whole"]);
    expect(all.code, all.stderr).toBe(0);
    expect((await readRunDirectory(fixture.getPath("whole"))).run.cases.paired).toBe(40);
    const power = await start(fixture, ["power", "latest"]);
    expect(power.code, power.stderr).toBe(0);
    expect(await fixture.readFile(".regrade/.gitignore", "utf8")).toBe("*\n");
  });

  it("the list finds a case by what its error says, and refuses a filter that it can't read", async () => {
    await using fixture = await createFixture(
      suiteFiles({ cases: 4, unrecorded: (i) => i === 3, gate: "none" }),
    );
    const run = await start(fixture, ["run", "evals/qa.yaml"]);
    // No recording is made by asking again.
    expect(run.stderr).not.toContain("rerun-failed");
    const found = await start(fixture, ["show", "latest", "--failed", "--error", "no_recording"]);
    expect(found.stdout, found.stderr).toMatch(/failed: 1 case\n +c3 /);
    const other = await start(fixture, ["show", "latest", "--error", "KeyError"]);
    expect(other.stdout).toContain("No cases to list.");
    const slice = await start(fixture, ["show", "latest", "--slice", "hard"]);
    expectRefusal(slice, 2);
    const elsewhere = await start(fixture, ["show", "latest/..", "--broken"]);
    expectRefusal(elsewhere, 2);
    const outputs = await fixture.readFile("evals/outputs.jsonl", "utf8");
    await fixture.writeFile("evals/outputs.jsonl", outputs.replaceAll(/"c(?=\d)/g, '"row-c'));
    const foreign = await start(fixture, ["validate", "evals/qa.yaml"]);
    expectRefusal(foreign, 2);
    expect(foreign.stderr).toMatch(/answers no case: its ids are such as row-c0.+ such as c0/);
  });
});

describe("a limit that is missed", () => {
  it("is explained by the cases beyond it: terminal, list, summary and report name them", async () => {
    await using fixture = await createFixture(
      suiteFiles({
        cases: 20,
        answer: (i) => (i % 4 === 0 ? "none" : undefined),
        gate: "{ rules: [{ metric: exact_match, min: 0.9 }] }",
        more: ["publish: { content: failures }"],
      }),
    );
    const out = fixture.getPath("out");
    const end = await runCliHere({
      argv: ["run", "evals/qa.yaml", "--out", out, "--report"],
      directory: fixture.path,
      env: {},
    });
    expect(end.stdout, end.stderr).toContain(
      "below     5 of 20 cases fail in qa/exact_match: c0, c12,",
    );
    expect(end.stdout).toMatch(/by reason\n +5 +got "none" for 5 different targets/);
    const list = await runCliHere({
      argv: ["show", out, "--beyond", "--json"],
      directory: fixture.path,
      env: {},
    });
    expect(parseLines(list.stdout)).toHaveLength(5);
    const summary = await fixture.readFile("out/summary.md", "utf8");
    expect(summary).toContain("5 of 20 cases fail in `qa/exact_match`:");
    expect(summary).toMatch(/\| \*\*5\*\* \| got "none" for 5 different targets \|/);
    const page = await fixture.readFile("out/report.html", "utf8");
    const [run] = (unpack(page, "index") as PageIndex).runs;
    expect(run?.groups).toMatchObject([{ kind: "beyond", cases: 5, metric: "exact_match" }]);
    const flagged = run?.cases.flags.filter((each) => (each & caseFlags.beyond) !== 0);
    expect(flagged).toHaveLength(5);
  });
});

describe("cases without an id of their own", () => {
  it("are listed with what is asked in them, and a list that is piped leaves nothing out", async () => {
    const long = "a-name-of-a-task-that-is-longer-than-most-terminals-are-wide".repeat(2);
    await using fixture = await createFixture({
      "rows.jsonl": jsonLines([1, 2, 3].map((i) => ({ topic: `topic ${i}`, a: "x" }))),
      "app.py": "print('y')\n",
      "suite.yaml": [
        `name: ${long.slice(0, 100)}`,
        "dataset: rows.jsonl",
        'prompt_template: "{{topic}}"',
        'target_template: "{{a}}"',
        "grader: exact_match",
        "candidates: { app: { command: [python3, app.py] } }",
        "gate: { rules: [{ metric: exact_match, min: 0.5 }] }",
        "",
      ].join("\n"),
    });
    const end = await start(fixture, ["run", "suite.yaml"]);
    expect(end.stdout).toMatch(/^rule +baseline +now +difference +interval +limit +outcome$/m);
    expect(end.stdout).toContain(`${long.slice(0, 100)}/exact_match`);
    const list = await start(fixture, ["show", "latest"]);
    expect(list.stdout).toMatch(/^ +[0-9a-f]{16} \(topic=topic 1, a=x\)/m);
  });
});

describe("regrade run --resume without --out", () => {
  it("goes on with the last interrupted run of the same inputs, once; there is nothing to go on with else", async () => {
    await using fixture = await createFixture({
      ...suiteFiles({ cases: 30, candidates: sumCandidate, gate: "none" }),
      "evals/app.py": `import time\n${sumApp}time.sleep(0.05)\n`,
    });
    const run = ["run", "evals/qa.yaml"];
    const nothing = await start(fixture, [...run, "--resume"]);
    expectRefusal(nothing, 2);
    expect(nothing.stderr).toContain("no run with these inputs was interrupted");
    const calls = (): Promise<string> => readIfThere(fixture.getPath("evals/calls.log"));
    const stopped = await regrade(run, {
      in: fixture.path,
      meanwhile: async ({ kill }) => {
        await until("some calls", async () => (await calls()).split("\n").length > 4);
        kill("SIGINT");
      },
    });
    expect(stopped.code, stopped.stderr).toBe(130);
    expect(stopped.stdout).toMatch(/Stopped after \d+ of 30 samples/);
    const ended = await start(fixture, [...run, "--resume"]);
    expect(ended.stdout, ended.stderr).toContain("cases     30, all graded");
    expect(await readdir(fixture.getPath(".regrade/runs"))).toHaveLength(1);
  });
});

describe("regrade run --watch", () => {
  it(
    "runs again when a file changes, waits out a mistake, and is not set off by what the run writes",
    { tags: "long" },
    async () => {
      await using fixture = await createFixture({
        ...suiteFiles({ cases: 3, candidates: sumCandidate, gate: "none" }),
        // It writes a file beside itself with each call.
        "evals/app.py": sumApp,
      });
      // At once: a file that is emptied, and filled later by a busy machine, sets off two runs.
      const replace = async (path: string, content: string): Promise<void> => {
        await fixture.writeFile("next", content);
        await rename(fixture.getPath("next"), fixture.getPath(path));
      };
      const runs = (): Promise<readonly string[]> =>
        readdir(fixture.getPath(".regrade/runs")).catch(() => []);
      const finished = async (n: number): Promise<boolean> => {
        const made = await runs();
        const files = made.map((id) => fixture.getPath(`.regrade/runs/${id}/summary.md`));
        return files.filter((file) => existsSync(file)).length >= n;
      };
      const manifest = await fixture.readFile("evals/qa.yaml", "utf8");
      const end = await regrade(["run", "evals/qa.yaml", "--watch"], {
        in: fixture.path,
        meanwhile: async ({ kill, stderr }) => {
          // Seconds of a busy machine: what is waited for is said, or is in the folder.
          const most = await patience(30);
          const said = (what: string): Promise<void> =>
            until(what, () => stderr().includes(what), most);
          await until("the first run", () => finished(1), most);
          await replace("evals/app.py", `${sumApp}# mended\n`);
          await said("Changed: evals/app.py\n");
          const isIdle = (): boolean =>
            stderr().lastIndexOf("Watching ") > stderr().lastIndexOf("Changed: ");
          await until("the end of that run", isIdle, most);
          const before = (await runs()).length;
          await replace("evals/qa.yaml", `${manifest}oops: 1\n`);
          await fixture.writeFile("evals/data/more.txt", "new");
          await said("there is no key `oops` here");
          // Whether the refused run is over or not.
          await replace("evals/qa.yaml", manifest);
          await until("a run after the mistake", () => finished(before + 1), most);
          await new Promise((resolve) => setTimeout(resolve, 1000));
          kill("SIGINT");
        },
      });
      expect(end.stderr).toContain("Changed: evals/app.py\n");
      expect(end.stderr).toContain("there is no key `oops` here");
      expect(end.stderr).toMatch(/Watching \d+ files; Ctrl-C ends\./);
      expect(end.code, end.stderr).toBe(0);
      // What the candidate writes set off one run more at most.
      expect((await runs()).length).toBeLessThanOrEqual(4);
    },
  );

  it("is not for a run directory of its own", async () => {
    await using fixture = await createFixture(answering(() => undefined));
    const end = await start(fixture, ["run", "evals/qa.yaml", "--watch", "--out", "x"]);
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining("--out")]);
  });
});

describe("several suites", () => {
  it("end in one overview, the worst first, and one line for all", async () => {
    const judged = "{ rules: [{ metric: exact_match, min: 0.8 }] }";
    const bad = suiteFiles({ name: "bad", cases: 4, gate: judged, answer: () => "?" })[
      "evals/qa.yaml"
    ];
    await using fixture = await createFixture({
      ...suiteFiles({ cases: 4, gate: judged }),
      "evals/bad.yaml": (bad ?? "").replace("outputs.jsonl", "bad.jsonl"),
      "evals/bad.jsonl": suiteFiles({ cases: 4, answer: () => "?" })["evals/outputs.jsonl"] ?? "",
    });
    const both = ["run", "evals/qa.yaml", "evals/bad.yaml"];
    const end = await start(fixture, [...both, "--out", "out"]);
    expect(end.code, end.stderr).toBe(1);
    const lines = end.stdout.trimEnd().split("\n").slice(-3);
    expect(lines[0]).toMatch(/^bad +❌ .*4 cases/);
    expect(lines[1]).toMatch(/^qa +✅ passes +4 cases/);
    expect(lines[2]).toBe("2 suites: 1 failed, 1 passed; the worst decides: fail");
    const quiet = await start(fixture, [...both, "--out", "quiet", "--quiet"]);
    expect(quiet.stdout).toBe("");
  });
});
