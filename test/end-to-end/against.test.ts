import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { startProject, workflowPath } from "../support/github/project.ts";
import { runOf } from "../support/github/run-of.ts";
import { jsonLines } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { readRunDirectory, runCli } from "./run-cli.ts";

/** Two candidates of one run, the one held against the other. */

const rule = "{ metric: exact_match, max_drop: 0.02, against: plain }";

/** `skilled` fails so many of 60 cases that `plain` gets right. */
function suite(broken: number, gate = `{ rules: [${rule}] }`): Record<string, string> {
  const skilled = Array.from({ length: 60 }, (_, i) => ({
    case_id: `c${i}`,
    output_text: i < broken ? "no idea" : `${i + 1}`,
  }));
  const candidates = "{ plain: { replay: outputs.jsonl }, skilled: { replay: skilled.jsonl } }";
  return {
    [workflowPath]: "name: Evals\n",
    ...suiteFiles({ gate, candidates }),
    "evals/skilled.jsonl": jsonLines(skilled),
  };
}

describe("a candidate held against another one of the same run", () => {
  it("blocks on the command line without a baseline, and names both", async () => {
    await using fixture = await createFixture(suite(9));
    const options = { directory: fixture.path };
    const end = await runCli(["run", "evals/qa.yaml", "--out", "out"], options);
    expect(end.code).toBe(1);
    expect(end.stdout).toContain("qa/exact_match · skilled · against plain");
    const [found] = (await readRunDirectory(fixture.getPath("out"))).run.gate.rules;
    expect(found).toMatchObject({ against: "plain", broke: 9, value: 0.85, baseline: 1 });
    const summary = await fixture.readFile("out/summary.md", "utf8");
    expect(summary).toContain("against plain");
    // What was answered "before" is what the other candidate answered.
    const again = await runCli(["compare", "out", "out", "--json"], options);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({ gate: { verdict: "fail" } });
    const listed = await runCli(["show", "out"], options);
    expect(listed.stdout).toContain("against plain");
  });

  it("shows what the other candidate answered to a case that broke", async () => {
    const files = suite(9);
    await using project = await startProject({
      ...files,
      "evals/qa.yaml": `${files["evals/qa.yaml"] ?? ""}publish: { content: full }\n`,
    });
    const push = await project.push("main");
    expect(push.outputs).toMatchObject({ verdict: "fail", regressed: "0" });
    expect(push.summary).toMatch(/- 1\s+\+ no idea/);
    expect(push.summary).toContain("regrade run evals/qa.yaml --task=qa\n");
  });

  it("is judged on the merged whole of shards", async () => {
    await using fixture = await createFixture(suite(9));
    const options = { directory: fixture.path };
    for (const part of [1, 2])
      await runCli(["run", "evals/qa.yaml", "--out", `s${part}`, `--shard=${part}/2`], options);
    const end = await runCli(["merge", "s1", "s2", "--out", "whole"], options);
    expect(end.code).toBe(1);
    expect((await readRunDirectory(fixture.getPath("whole"))).run.gate.rules).toMatchObject([
      { against: "plain", n: 60, broke: 9, outcome: "missed" },
    ]);
  });

  it("is not taken out by the change that it blocks", async () => {
    await using project = await startProject(suite(0));
    const push = await project.push("main");
    expect(push.outputs).toMatchObject({ verdict: "pass" });
    await project.commit("change", suite(9, "{ rules: [{ metric: exact_match, min: 0 }] }"));
    const pull = await project.pull("change");
    const run = runOf(pull);
    expect(run.gate.verdict).toBe("fail");
    expect(run.policy?.changed).toMatchObject([{ part: "gate", effect: "changed" }]);
    expect(pull.summary).toContain("against plain");
  });

  it("is not measured where only one of them was run", async () => {
    await using fixture = await createFixture(suite(9));
    const args = ["run", "evals/qa.yaml", "--out", "out", "--candidate=skilled"];
    const end = await runCli(args, { directory: fixture.path });
    expect(end.code).toBe(0);
    expect((await readRunDirectory(fixture.getPath("out"))).run.gate.reasons.join("\n")).toContain(
      "this run has no answers of `plain`",
    );
  });
});
