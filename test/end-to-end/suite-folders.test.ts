import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { regrade } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** A folder that holds the runs of several suites, in the place of one run directory. */

const gate = "{ rules: [{ metric: exact_match, max_drop: 0.02 }] }";
const both = ["run", "evals/qa.yaml", "evals/other.yaml", "--quiet"];

/** Two suites, and their runs in `base/`; after that every answer of the second one is wrong. */
async function createProject(): Promise<FsFixture> {
  const fixture = await createFixture({
    ...suiteFiles({ gate }),
    "evals/other.yaml": (suiteFiles({ gate, name: "other" })["evals/qa.yaml"] ?? "").replace(
      "outputs.jsonl",
      "other.jsonl",
    ),
    "evals/other.jsonl": suiteFiles()["evals/outputs.jsonl"] ?? "",
  });
  const made = await regrade([...both, "--out", "base"], { in: fixture.path });
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const wrong = suiteFiles({ answer: () => "?" })["evals/outputs.jsonl"] ?? "";
  await fixture.writeFile("evals/other.jsonl", wrong);
  return fixture;
}

function sourcesOf(stdout: string): readonly (string | undefined)[] {
  const runs = stdout.trim().split(/\n(?=\{)/);
  return runs.map((text) => (JSON.parse(text) as Run).baseline?.source);
}

describe("a folder with the runs of several suites", () => {
  it("is a baseline: each suite is compared with its own run, whatever its folder is called", async () => {
    await using fixture = await createProject();
    const start = { in: fixture.path };
    const run = await regrade([...both, "--json", "--out", "now", "--baseline", "base"], start);
    expect(run.code, run.stderr).toBe(1);
    expect(sourcesOf(run.stdout)).toEqual(["base/qa", "base/other"]);

    const compared = await regrade(["compare", "base", "now", "--json"], start);
    expect(compared.code, compared.stderr).toBe(1);
    expect(sourcesOf(compared.stdout)).toEqual(["base/other", "base/qa"]);
    const alone = await regrade(["compare", "base", "now/qa", "--json"], start);
    expect(alone.code, alone.stderr).toBe(0);
    expect(sourcesOf(alone.stdout)).toEqual(["base/qa"]);

    // The action names the folder after the manifest's file.
    await fixture.mv("base/qa", "base/by-file");
    const renamed = await regrade(["compare", "base", "now/qa", "--json"], start);
    expect(sourcesOf(renamed.stdout)).toEqual(["base/by-file"]);
  });

  it("judges a new suite without a baseline, and the others; one that may only have another name is told so", async () => {
    await using fixture = await createProject();
    const start = { in: fixture.path };
    const added = suiteFiles({ gate, name: "added" })["evals/qa.yaml"] ?? "";
    await fixture.writeFile("evals/added.yaml", added);
    const all = [...both.slice(0, 3), "evals/added.yaml", "--baseline", "base"];
    const run = await regrade([...all, "--out", "one"], start);
    expect(run.code, run.stderr).toBe(1);
    expect(run.stdout).toContain("base has no run of added, and has runs of other, qa");
    expect(run.stdout).toMatch(/^added +➖/m);
    const good = [all[0] ?? "", all[1] ?? "", ...all.slice(3)];
    const without = await regrade([...good, "--out", "two"], start);
    expect(without.code, without.stdout).toBe(0);

    await fixture.rm("evals/other.yaml");
    const renamed = await regrade([...good, "--out", "three"], start);
    expect(renamed.code, renamed.stdout).toBe(3);
    expect(renamed.stdout).toContain("If added was called other before");
    await fixture.rm("base/qa");
    const neither = await regrade([...good, "--out", "four"], start);
    expect(neither.code).toBe(2);
    expect(neither.stderr).toContain("base holds no run");
  });

  it("is a baseline of the manifest, too, and one without the suite is told with the way to make it", async () => {
    await using fixture = await createProject();
    const start = { in: fixture.path };
    const declared = gate.replace("{ rules", "{ baseline: { path: ../base }, rules");
    await fixture.writeFile("evals/qa.yaml", suiteFiles({ gate: declared })["evals/qa.yaml"] ?? "");
    const run = await regrade(["run", "evals/qa.yaml", "--quiet", "--json"], start);
    expect(sourcesOf(run.stdout)).toEqual(["base/qa"]);
    await fixture.rm("base/qa");
    const gone = await regrade(["run", "evals/qa.yaml", "--quiet"], start);
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain("regrade run evals/qa.yaml --baseline none --out base/qa");
    const named = await regrade(["run", "evals/qa.yaml", "--quiet", "--baseline", "base"], start);
    expect(named.code).toBe(2);
    expect(named.stderr).toContain("base holds no run");
    expect(named.stderr).toContain("Name one of these: base/other.");
  });

  it("is reported and shown, a suite after the other; a command for one run names the choices", async () => {
    await using fixture = await createProject();
    const start = { in: fixture.path };
    const report = await regrade(["report", "base", "--junit", "all.xml", "--as", "waza"], start);
    expect(report.code, report.stderr).toBe(0);
    expect(report.stdout.match(/^#+ .*qa: |^#+ .*other: /gm)).toHaveLength(2);
    expect(await fixture.readFile("all.xml", "utf8")).toMatch(/name="other[^]*name="qa/);
    expect(await fixture.exists("other/results.json")).toBe(true);
    const shown = await regrade(["show", "base", "c7", "--suite", "qa"], start);
    expect(shown.code, shown.stderr).toBe(0);
    const other = await regrade(["show", "base/qa", "--suite", "other"], start);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("base/qa is a run of the suite qa, not of other");
    const refused = await regrade(["rerun-failed", "base"], start);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("Name one of these: base/other, base/qa.");
  });
});
