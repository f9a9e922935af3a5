import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { recordProject, type Files, type Project } from "../support/github/project.ts";
import type { WorkflowRun } from "../support/github/state.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/** Events that change nothing about the verdict: dist/main.mjs against the stand-in. */

function suite(wrong: number): Files {
  const answer = (i: number): string | undefined => (i < wrong ? "no" : undefined);
  const gate =
    "{ policy_label: rules-ok, accept_label: loss-ok, rules: [{ metric: exact_match, min: 0.9 }] }";
  return suiteFiles({ cases: 10, answer, gate });
}

const judgedAgain = "Judged in full all the same";
const stands = "Nothing was judged again";
const foreign = { action: "labeled", label: { name: "docs" } };

const red = recordProject(suite(0), async (project) => {
  await project.commit("change", suite(5));
  const first = await project.pull("change", { listed: {}, runId: 50 });
  expect(first.code, first.stdout).toBe(1);
});

let project: Project;
beforeEach(async () => {
  project = await red();
  onTestFinished(() => project[Symbol.asyncDispose]());
});

describe("a label that no suite asks for", () => {
  it(
    "ends red where the last run was red, posts nothing, and so does the next one",
    { tags: "long" },
    async () => {
      const { state } = project.github.rest;
      const [checks, comments] = [state.checks.length, state.comments.length];
      for (const payload of [foreign, { ...foreign, action: "unlabeled" }]) {
        const end = await project.pull("change", { payload, listed: {} });
        expect(end.stdout).toContain(stands);
        expect(end.code, end.stdout).toBe(1);
        expect(end.outputs).toMatchObject({ verdict: "fail", "exit-code": "1" });
        expect(end.summary).toContain("/actions/runs/");
      }
      expect([state.checks.length, state.comments.length]).toEqual([checks, comments]);
    },
  );

  it("is judged in full where the base has moved", async () => {
    await project.commit("main", { "README.md": "moved\n" });
    const end = await project.pull("change", { payload: foreign });
    expect(end.stdout).toContain("was of another commit or base");
    expect(end.stdout).not.toContain(stands);
    expect(end.code).toBe(1);
  });

  it("is judged in full after a push", async () => {
    await project.commit("change", suite(0));
    const end = await project.pull("change", { payload: foreign });
    expect(end.stdout).toContain("there is no earlier run for this commit");
    expect(end.code, end.stdout).toBe(0);
  });

  itSome<readonly [string, Partial<WorkflowRun>]>([
    ["is under way", { status: "in_progress", conclusion: null }],
    ["waits", { status: "pending", conclusion: null }],
    ["was cancelled", { conclusion: "cancelled" }],
    ["was run again, and its new attempt left nothing", { attempt: 2 }],
    ["ended otherwise than the suites", { conclusion: "success" }],
  ])("is judged in full where the last run %s", async (_, changed) => {
    const { runs } = project.github.rest.state;
    const [last] = runs.splice(-1);
    if (last !== undefined) runs.push({ ...last, ...changed });
    const end = await project.pull("change", { payload: foreign });
    expect(end.stdout).toContain(judgedAgain);
    expect(end.code).toBe(1);
  });

  it("is judged in full on a fork's pull request, whose outputs the report grades", async () => {
    const end = await project.pull("change", { payload: foreign, fork: true });
    expect(end.stdout).not.toContain(stands);
    expect(Object.keys(end.artifacts)).toContain("regrade-qa");
  });
});

itSome(["rules-ok", "LOSS-OK"])("the suite's own label %s is judged in full", async (name) => {
  const end = await project.pull("change", {
    payload: { action: "labeled", label: { name } },
  });
  expect(end.stdout).toContain("is one that the suite asks for");
  expect(end.stdout).not.toContain(stands);
});

it("a pull request that is opened again is judged anew, and reviewers are told that it had failed", async () => {
  const end = await project.pull("change", { payload: { action: "reopened" }, listed: {} });
  expect(end.stdout).not.toContain(stands);
  expect(end.summary).toMatch(/for the same commit failed: http\S+\/actions\/runs\/50\./);
});

describe("an edit", () => {
  it("of the title ends as the last run did", async () => {
    const payload = { action: "edited", changes: { title: { from: "x" } } };
    const end = await project.pull("change", { payload });
    expect(end.stdout).toContain(stands);
    expect(end.code).toBe(1);
  });

  const retargeted = { action: "edited", changes: { base: { ref: { from: "old" } } } };

  it("of the base is judged in full, and its check names the new one", async () => {
    const end = await project.pull("change", { payload: retargeted });
    expect(end.stdout).not.toContain(stands);
    expect(end.code).toBe(1);
    const [check] = project.github.rest.state.checks.slice(-1);
    expect(check?.output.title).toMatch(/, against main: /);
  });

  it("of the base is refused while GitHub's merge commit is still one into the old base", async () => {
    await project.commit("old", suite(0));
    const end = await project.pull("change", { payload: retargeted, into: "old" });
    expect(end.code, end.stdout).toBe(4);
    expect(end.stdout).toContain("Close the pull request and open it again");
  });
});
