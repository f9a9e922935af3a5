import { describe, expect, it } from "vitest";
import { startProject, workflowPath, type Files, type Project } from "../support/github/project.ts";
import { runAction } from "../support/github/run-action.ts";
import { runOf } from "../support/github/run-of.ts";
import { createFixture } from "fs-fixture";
import { readFile } from "node:fs/promises";
import { regrade } from "../support/cli.ts";
import { itSome } from "../support/rows.ts";

/** The action's input `results`: dist/main.mjs against the stand-in of GitHub, with no manifest anywhere. */

/** What a step before the gate left; the first `wrong` answers are wrong. */
function recorded(wrong: number, judged_by = "large"): Files {
  const lines = Array.from({ length: 60 }, (_, i) =>
    JSON.stringify({
      id: `c${i}`,
      input: `${i}+1`,
      output: "x",
      score: i < wrong ? 0 : 1,
      judged_by,
    }),
  );
  return { "out.jsonl": `${lines.join("\n")}\n` };
}

const inputs = { results: "out.jsonl", format: "jsonl", "max-drop": "0.02", name: "support" };

/** A run directory of results, as files of a commit. */
async function runResultsOf(results: Files): Promise<Files> {
  await using fixture = await createFixture({ "out.jsonl": results["out.jsonl"] ?? "" });
  const args = ["run", "--results", "out.jsonl", "--format", "jsonl", "--name", "support"];
  await regrade([...args, "--out", "kept"], { in: fixture.path });
  const names = ["run.json", "scores.jsonl", "samples.jsonl"];
  const texts = names.map(async (name) => [
    `kept/${name}`,
    await readFile(fixture.getPath("kept", name), "utf8"),
  ]);
  return Object.fromEntries(await Promise.all(texts)) as Files;
}

async function worsened(): Promise<Project> {
  const project = await startProject(recorded(0));
  await project.push("main", { inputs });
  await project.commit("change", recorded(20));
  return project;
}

describe("the input `results`", () => {
  it(
    "is judged against the base branch's own results, with comment, check and artifacts",
    { tags: "smoke" },
    async () => {
      await using project = await worsened();
      const end = await project.pull("change", { inputs });
      expect(end.code, end.stdout + end.stderr).toBe(1);
      expect(end.outputs).toMatchObject({ verdict: "fail", regressed: "20" });
      const run = runOf(end);
      expect(run.baseline).toMatchObject({
        sha: await project.sha("main"),
        reason: "the base commit's own run",
      });
      expect(run.policy).toMatchObject({ suite: "none", base: null, head: null });
      const own = project.github.artifacts.all.filter((artifact) => artifact.run === "run-101");
      expect(own.map(({ name }) => name).toSorted()).toEqual([
        expect.stringMatching(/^regrade-attempt~out\.jsonl-[0-9a-f]{12}~1$/),
        "regrade-support",
        expect.stringMatching(/^regrade-support~scores-/),
      ]);
      const { state } = project.github.rest;
      expect(state.comments).toHaveLength(1);
      expect(state.comments[0]?.body).toContain("cases broke, merge blocked");
      expect(state.checks.at(-1)).toMatchObject({
        name: "Regrade: support",
        conclusion: "failure",
      });
      expect(end.summary).toContain("--results out.jsonl");
    },
  );

  it("passes where nothing got worse", async () => {
    await using project = await startProject(recorded(3));
    await project.push("main", { inputs });
    await project.commit("change", { "README.md": "x" });
    const end = await project.pull("change", { inputs });
    expect(end.outputs["verdict"], end.stdout).toBe("pass");
  });

  it("tells reviewers of another judge, and blocks nothing", async () => {
    await using project = await startProject(recorded(0));
    await project.push("main", { inputs });
    await project.commit("change", recorded(0, "small"));
    const end = await project.pull("change", { inputs });
    expect(end.outputs["verdict"], end.stdout).toBe("pass");
    const told = "60 of 60 cases were judged by other assertions, limits or judges";
    expect(project.github.rest.state.comments[0]?.body).toContain(told);
  });

  itSome([
    [
      "has the results in git",
      { "README.md": "x" },
      "`out.jsonl`, which holds the results, is a file",
    ],
    [
      "edits the workflow",
      { [workflowPath]: "on: push\n" },
      "`.github/workflows/evals.yml`: whether",
    ],
  ])("tells reviewers of a change that %s", async (_, files, told) => {
    const base = { ...recorded(0), [workflowPath]: "on: pull_request\n" };
    await using project = await startProject(base);
    await project.push("main", { inputs });
    await project.commit("change", { ...recorded(1), ...files });
    const end = await project.pull("change", { inputs });
    expect(end.outputs["verdict"], end.stdout).toBe("pass");
    expect(end.summary).toContain(told);
    expect(project.github.rest.state.comments[0]?.body).toContain(told);
    expect(runOf(end).policy).toMatchObject({ suite: "none", base: null, head: null });
  });

  it("compares with a baseline as the base has it, not as the change has written it", async () => {
    const run = await runResultsOf(recorded(0));
    const before = { ...recorded(0), ...run };
    await using project = await startProject(before);
    await project.commit("change", { ...recorded(20), ...(await runResultsOf(recorded(20))) });
    const end = await project.pull("change", { inputs: { ...inputs, baseline: "kept" } });
    expect(end.outputs["verdict"], end.stdout).toBe("fail");
  });

  it("says where the base's files can't be had, and judges", async () => {
    await using project = await startProject(recorded(0));
    await project.push("main", { inputs });
    await project.commit("change", recorded(1));
    project.github.rest.state.trees.clear();
    const end = await project.pull("change", {
      inputs,
      env: { GITHUB_SERVER_URL: "http://github.localhost:9" },
    });
    expect(end.outputs["verdict"], end.stdout).toBe("pass");
    expect(end.stdout).toContain("not known whether this change edits its results");
  });

  it("says of a fork's results that nobody has verified them", async () => {
    await using project = await worsened();
    const end = await project.pull("change", { inputs, fork: true, author: "stranger" });
    const run = runOf(end);
    expect(run.outputs_from).toMatchObject({ repository: "stranger/app", scored: true });
    expect(end.summary).toContain("Unverified: the results, scores included");
    expect(run.gate.verdict).toBe("fail");
  });

  it("has nothing to grade again in `mode: report`, and says so", async () => {
    await using project = await worsened();
    const end = await project.pull("change", {
      inputs: { ...inputs, mode: "report" },
      event: "workflow_run",
    });
    expect(end.code, end.stderr).toBe(0);
    expect(end.outputs["verdict"]).toBe("neutral");
    expect(end.stdout).toContain("can't be graded again here");
  });

  it("needs neither Python nor a token, and refuses what would mean nothing", async () => {
    await using workspace = await createFixture({ "out.jsonl": recorded(0)["out.jsonl"] ?? "" });
    const start = { workspace: workspace.path, token: "" };
    const fine = await runAction({
      ...start,
      inputs: { results: "out.jsonl", min: "0.9" },
      env: { PATH: "/nowhere" },
    });
    expect(fine.outputs["verdict"], fine.stdout + fine.stderr).toBe("pass");
    const wrong = await runAction({
      ...start,
      inputs: {
        results: "out.jsonl",
        format: "promptfo",
        "max-drop": "2%",
        suite: "evals/a.yaml",
        shard: "1/2",
        name: "a/b",
      },
    });
    expect(wrong.code).toBe(2);
    for (const word of ["promptfo", "max-drop", "'suite'", "'shard'", "'name'"])
      expect(wrong.stdout + wrong.stderr).toContain(word);
    const alone = await runAction({ ...start, inputs: { "max-drop": "0.02" } });
    expect(alone.stdout + alone.stderr).toContain("the input 'results' names none");
  });
});
