import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";

import { regrade } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

describe("regrade history", () => {
  it("lists the runs of the folder, with what differs, as text, CSV and JSON", async () => {
    await using fixture = await createFixture(suiteFiles({ cases: 20 }));
    const at = { in: fixture.path };
    await regrade(["run", "evals/qa.yaml", "--baseline", "none"], at);
    const worse = suiteFiles({ cases: 20, answer: (i) => (i < 5 ? "no" : undefined) });
    await fixture.writeFile("evals/outputs.jsonl", worse["evals/outputs.jsonl"] ?? "");
    await regrade(["run", "evals/qa.yaml", "--baseline", "none"], at);
    await fixture.mkdir(".regrade/runs/run_20200101T000000_aaaaaa");
    await fixture.writeFile(".regrade/runs/run_20200101T000000_aaaaaa/run.json", "{ half");
    const text = await regrade(["history"], at);
    expect(text.code, text.stderr).toBe(0);
    expect(text.stdout).toMatch(/75\.0%, −25\.0 points\n[^]*100\.0%\n/);
    expect(text.stderr).toContain("run_20200101T000000_aaaaaa");
    const csv = await regrade(["history", "qa", "--csv", "--last", "1"], at);
    expect(csv.stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^suite,run_id,.*,difference,break$/),
      expect.stringMatching(/^qa,run_\w+,.*,exact_match,0\.75,.*,20,-0\.25,false$/),
    ]);
    const json = await regrade(["history", "qa", "--json"], at);
    const rows = json.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(rows).toMatchObject([{ suite: "qa", verdict: "fail" }, { metrics: [{ value: 1 }] }]);
    expect(JSON.parse(json.stdout.split("\n")[0] ?? "")).toHaveProperty("metrics");
  });

  it("lists runs of folders that are named, however deep an artifact lies, and no part of a run", async () => {
    await using fixture = await createFixture(suiteFiles({ cases: 20 }));
    const at = { in: fixture.path };
    for (const out of ["ci/regrade-qa~evals/one", "ci/regrade-qa~evals/two/deep", "alone"])
      await regrade(["run", "evals/qa.yaml", "--out", out, "--baseline", "none", "--quiet"], at);
    await fixture.mkdir("ci/empty");
    const inside = "ci/regrade-qa~evals/one/own-policy";
    await fixture.mkdir(inside);
    await fixture.writeFile(`${inside}/run.json`, await fixture.readFile("alone/run.json"));
    const rowsOf = async (...argv: readonly string[]): Promise<readonly string[]> => {
      const end = await regrade(["history", "--json", ...argv], at);
      expect(end.code, end.stderr).toBe(0);
      const lines = end.stdout.trim().split("\n");
      return lines.map((line) => (JSON.parse(line) as { directory: string }).directory).toSorted();
    };
    const deep = ["ci/regrade-qa~evals/one", "ci/regrade-qa~evals/two/deep"];
    expect(await rowsOf("ci")).toEqual(deep);
    expect(await rowsOf("alone", "./ci", "qa")).toEqual(["alone", ...deep]);
    const none = await regrade(["history", "ci/empty", "--csv"], at);
    expect([none.code, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toContain("ci/empty holds no run");
    const said = async (...argv: readonly string[]): Promise<string> => {
      const end = await regrade(argv, at);
      expect([end.code, end.stdout]).toEqual([2, ""]);
      return end.stderr;
    };
    expect(await said("history", "./cii")).toMatch(
      /there is no folder \.\/cii\n.*Did you mean 'ci'\?/,
    );
    expect(await said("history", "./ci", "qaa")).toMatch(
      /ci has no finished run of a suite called 'qaa'.*\n.*Did you mean 'qa'\?/,
    );
    expect(await said("show", "alnoe")).toMatch(
      /there is no folder alnoe\n.*Did you mean 'alone'\?/,
    );
    expect(await said("power", "latest")).toContain("has no finished run");
  });

  it("refuses what it can't list, with a way out", async () => {
    await using fixture = await createFixture({ "README.md": "" });
    const none = await regrade(["history"], { in: fixture.path });
    expect([none.code, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toContain("Runs with --out are not looked for");
    const both = await regrade(["history", "--csv", "--json"], { in: fixture.path });
    expect(both.code).toBe(2);
    const few = await regrade(["history", "--last", "0"], { in: fixture.path });
    expect(few.stderr).toContain("Give a whole number above 0");
  });
});
