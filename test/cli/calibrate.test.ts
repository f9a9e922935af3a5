import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Calibration } from "../../src/model/figures/calibration.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import type { PowerReport } from "../../src/model/figures/power.ts";
import { readArguments } from "../../src/cli/program.ts";
import { runCli, type CliEnd } from "../end-to-end/run-cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** The commands as a user types them. */

function regrade(directory: string, ...argv: readonly string[]): Promise<CliEnd> {
  return runCli(argv, { directory });
}

/** Answers from a recording of its own in each run would be another suite: a worker that is wrong now and then is not. */
const moody = `import json, os, re, sys
# A number of its own in each run: how many runs there have been.
with open("starts.log", "a") as log:
    log.write("x")
seed = os.path.getsize("starts.log")
for line in sys.stdin:
    request = json.loads(line)
    a, b = (int(each) for each in re.search(r"(\\d+)\\+(\\d+)", request["prompt"]).groups())
    wrong = (a * 7919 + seed * 104729) % 97 < (29 if a % 3 == 0 else 0)
    print(json.dumps({"id": request["id"], "output_text": "wrong" if wrong else str(a + b)}), flush=True)
`;

const moodySuite = suiteFiles({
  cases: 90,
  candidates: "{ app: { worker: [python3, -S, app.py], inputs: [app.py] } }",
  gate: "{ rules: [{ metric: exact_match, max_drop: 0.02 }] }",
  more: ["run: { concurrency: 1 }"],
});

describe("regrade calibrate", () => {
  it(
    "runs a suite against itself, keeps the runs, and tells the same of them again",
    { tags: "long" },
    async () => {
      await using fixture = await createFixture({ ...moodySuite, "evals/app.py": moody });
      const argv = ["calibrate", "evals/qa.yaml", "--runs", "3", "--out", "runs", "--json"];
      const first = await regrade(fixture.path, ...argv, "--quiet");
      expect(first).toMatchObject({ code: 0, stderr: "" });
      const found = JSON.parse(first.stdout) as Calibration;
      expect(found).toMatchObject({ format: "regrade.calibration/1", alarms: { of: 6 } });
      expect(found.noise[0]?.flickering.count).toBeGreaterThan(5);
      expect(found.rules[0]?.detects).toBeGreaterThan(0.02);
      const again = await regrade(fixture.path, "calibrate", "runs", "--json");
      expect(again).toEqual(first);
      const named = ["runs/1", "runs/2", "runs/3"];
      expect(await regrade(fixture.path, "calibrate", ...named, "--json")).toEqual(first);
      const text = await regrade(fixture.path, "calibrate", "runs");
      expect(text.stdout).toContain("qa: 3 runs against each other, 6 ordered pairs.");
      const power = await regrade(fixture.path, "power", "runs/1", "--drop", "0.1", "--json");
      const report = JSON.parse(power.stdout) as PowerReport;
      expect(report.places[0]?.rows.map(({ drop }) => drop)).toEqual([0.1]);

      const over = await regrade(fixture.path, ...argv);
      expect(over).toMatchObject({ code: 2, stdout: "" });
      expect(over.stderr).toContain(`${join("runs", "1")} is there already`);
    },
  );

  it(
    "reads no answer of an earlier run: a cache would make noise look like none",
    { tags: "long" },
    async () => {
      await using fixture = await createFixture({ ...moodySuite, "evals/app.py": moody });
      await regrade(fixture.path, "run", "evals/qa.yaml", "--quiet", "--out", "before");
      const end = await regrade(
        fixture.path,
        "calibrate",
        "evals/qa.yaml",
        "--runs",
        "2",
        "--json",
      );
      const { noise, runs } = JSON.parse(end.stdout) as Calibration;
      expect(runs[0]?.directory).toMatch(/^\.regrade.calibrate.run_/);
      expect(noise[0]?.flickering.count).toBeGreaterThan(0);
    },
  );

  it.each([
    [["runs"], "runs holds no run"],
    [["evals/qa.yaml", "evals/qa.yaml"], "calibrate takes one suite"],
    [["evals/qa.yaml", "runs"], "calibrate takes one suite"],
    [["runs", "runs", "--runs", "3"], "--runs has no meaning beside finished runs"],
    [["runs", "--out", "x"], "--out has no meaning beside finished runs"],
    [["evals/none.yaml"], "no such suite: evals/none.yaml"],
  ])("%j is refused with a way out", async (argv, found) => {
    await using fixture = await createFixture({ ...suiteFiles(), "runs/note.txt": "" });
    const end = await regrade(fixture.path, "calibrate", ...argv);
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toContain(found);
    expect(end.stderr.trim().split("\n").length).toBeGreaterThan(1);
  });
});

describe("regrade power and validate", () => {
  it.each([
    // So few cases can show it only where hardly any of them changes, so that no share of runs is said.
    [
      { cases: 60, rule: "max_drop: 0.02" },
      "with 60 cases",
      "an unchanged run less often than 4 times in 5",
      "1,855 cases",
    ],
    [{ cases: 60, rule: "max_drop: 0.1" }, "with 60 cases", "only in about 72 of 100", "75 cases"],
    [{ cases: 80, rule: "max_drop: 0.1" }],
    [{ cases: 60, rule: "max_drop: 0.02, level: warn" }, "the others are inconclusive\n"],
  ])(
    "say of a no_drop rule how many cases it needs to pass an unchanged run: %o",
    async (asked, ...told) => {
      const gate = `{ rules: [{ metric: exact_match, prove: no_drop, ${asked.rule} }] }`;
      await using fixture = await createFixture(suiteFiles({ gate, cases: asked.cases }));
      const checked = await regrade(fixture.path, "validate", "evals/qa.yaml");
      expect(checked.code).toBe(0);
      if (told.length === 0) expect(checked.stderr).not.toContain("unchanged run");
      for (const text of told) expect(checked.stderr).toContain(text);
      if (told.length > 1)
        expect(checked.stderr).toMatch(/evals\/qa\.yaml:\d+:\d+: gate\.rules\[0\]\.max_drop: with/);
    },
  );

  it("reckon for a suite that has never run, and warn of a rule that no data could hold", async () => {
    await using fixture = await createFixture(suiteFiles({ gate: "{ max_drop: 0.02 }" }));
    const power = await regrade(fixture.path, "power", "evals/qa.yaml", "--power", "0.9");
    expect(power).toMatchObject({ code: 0, stderr: "" });
    expect(power.stdout).toContain("qa: what proves a drop 90% of the time, by assumption");
    expect(power.stdout).toContain("60 cases, 1 repeat");
    const checked = await regrade(fixture.path, "validate", "evals/qa.yaml");
    expect(checked.code).toBe(0);
    expect(checked.stderr).toMatch(
      /evals\/qa\.yaml:\d+:\d+: gate\.max_drop: qa\/exact_match asks to hold 2\.0 points/,
    );
    // The figure is the one that `power` has, with what it rests on.
    const usual = await regrade(fixture.path, "power", "evals/qa.yaml");
    const [, detects] = /could detect ≥ (\d+\.\d points)/.exec(usual.stdout) ?? [];
    expect(checked.stderr).toContain(`60 cases prove a loss only from about ${detects} on`);
    expect(checked.stderr).toContain("assumed: two unchanged runs disagree on 12% of the cases");
  });

  it("say of few clusters that they prove nothing, though nobody wrote a rule", async () => {
    const clustered = suiteFiles({
      gate: "{}",
      more: ["cluster_by: part"],
      row: (i) => ({ part: `p${i % 4}` }),
    });
    await using fixture = await createFixture(clustered);
    const checked = await regrade(fixture.path, "validate", "evals/qa.yaml");
    expect(checked.code).toBe(0);
    expect(checked.stderr).toMatch(
      /evals\/qa\.yaml:\d+:\d+: cluster_by: qa\/exact_match: 60 cases/,
    );
    expect(checked.stderr).toContain("60 cases in 4 clusters can't prove a loss, however large");
    expect(checked.stderr).toContain("at least 5 clusters");
    const power = await regrade(fixture.path, "power", "evals/qa.yaml");
    expect(power.stdout).toContain("could detect no drop, however large");
    expect(power.stdout).toContain("prove no drop, however large: a rule on them is inconclusive");
  });

  it("say the figure that a run of the suite says", async () => {
    await using fixture = await createFixture(suiteFiles({ gate: "{ max_drop: 0.02 }" }));
    for (const out of ["base", "head"])
      await regrade(
        fixture.path,
        "run",
        "evals/qa.yaml",
        "--out",
        out,
        "--baseline",
        out === "head" ? "base" : "none",
      );
    const run = await readFile(fixture.getPath("head/run.json"), "utf8");
    const { gate } = JSON.parse(run) as Run;
    const told = await regrade(fixture.path, "power", "head", "--json");
    const report = JSON.parse(told.stdout) as PowerReport;
    expect(gate.rules[0]?.mde).toBeGreaterThan(0.05);
    expect(report.places[0]?.detects).toBe(gate.rules[0]?.mde);
  });

  it.each([
    ["a default that nobody wrote", "{}"],
    ["a limit that 60 cases can hold", "{ max_drop: 0.1 }"],
    ["a bare difference", "{ rules: [{ metric: exact_match, max_drop: 0.01, prove: nothing }] }"],
    ["a gate that is none", "none"],
  ])("do not warn of %s", async (_, gate) => {
    await using fixture = await createFixture(suiteFiles({ gate }));
    const checked = await regrade(fixture.path, "validate", "evals/qa.yaml");
    expect(checked).toMatchObject({ code: 0, stderr: "" });
  });

  it("warn at the rule, once for all candidates, where several share alpha", async () => {
    const gate =
      "{ rules: [{ metric: exact_match, min: 0.5 }, { metric: exact_match, max_drop: 0.02 }] }";
    const candidates = "{ a: { replay: outputs.jsonl }, b: { replay: outputs.jsonl } }";
    await using fixture = await createFixture(suiteFiles({ gate, candidates }));
    const { stderr } = await regrade(fixture.path, "validate", "evals/qa.yaml");
    expect(stderr.match(/gate\.rules\[1\]\.max_drop/g)).toHaveLength(1);
    expect(stderr).toContain("asks to hold 2.0 points");
  });
});

describe("--help", () => {
  it.each(["calibrate", "power"])("of %s teaches by example", async (command) => {
    const { reading, text } = await read(command, "--help");
    expect(reading).toEqual({ kind: "answered", exitCode: 0 });
    expect(text).toMatch(new RegExp(`^Usage: regrade ${command} `));
    const [usage = "", examples = ""] = text.split("\nExamples:\n");
    expect(examples.match(new RegExp(`^  regrade ${command} `, "gm"))?.length).toBeGreaterThan(2);
    for (const [flag] of examples.matchAll(/ --[a-z-]+/g)) expect(usage).toContain(flag.trim());
  });

  it("of the whole names both", async () => {
    const { text } = await read("--help");
    for (const command of ["calibrate", "power"]) expect(text).toContain(`  regrade ${command} `);
  });

  it.each([
    [["calibrate"], "missing required argument 'suite-or-dir'"],
    [["calibrate", "x.yaml", "--runs", "1"], "whole number of at least 2"],
    [["calibrate", "x.yaml", "--runs", "2.5"], "whole number of at least 2"],
    [["power", "x.yaml", "--drop", "0"], "Give a size above 0"],
    [["power", "x.yaml", "--drop", ""], "Give a size above 0"],
    [["power", "x.yaml", "--power", "80"], "between 0 and 1"],
    [["power", "a", "b"], "too many arguments"],
  ])("%j is a mistake that is named", async (argv, found) => {
    const { reading, text } = await read(...argv);
    expect(reading).toEqual({ kind: "answered", exitCode: 2 });
    expect(text).toContain(found);
  });

  it("what is asked is done as it was typed", async () => {
    await using fixture = await createFixture(suiteFiles());
    const argv = ["calibrate", "evals/qa.yaml", "--runs", "7", "--out", "runs", "--json"];
    const calibration = JSON.parse((await regrade(fixture.path, ...argv)).stdout) as Calibration;
    expect(calibration.runs).toHaveLength(7);
    const drops = ["--drop", "0.05", "--drop", "0.1"];
    const power = await regrade(fixture.path, "power", "runs/1", ...drops, "--json");
    const report = JSON.parse(power.stdout) as PowerReport;
    expect(report.power).toBe(0.8);
    expect(report.places[0]?.rows.map(({ drop }) => drop)).toEqual([0.05, 0.1]);
  });
});

async function read(
  ...argv: readonly string[]
): Promise<{ readonly reading: object; readonly text: string }> {
  const texts: string[] = [];
  const write = (text: string): void => void texts.push(text);
  const reading = await readArguments(argv, { version: "0", write, complain: write });
  return { reading, text: texts.join("") };
}
