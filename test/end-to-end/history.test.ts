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
