import { execFileSync } from "node:child_process";
import { cp } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { startProject, workflowPath, type Files, type Project } from "../support/github/project.ts";
import { runOf } from "../support/github/run-of.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { runCli } from "./run-cli.ts";

/** Cases that must pass, on main, in pull requests and in the merge queue: dist/main.mjs against the stand-in. */

/** c0 has been failing for long. */
function suite(broken: readonly number[], rule = "must_pass: [c0, c1, c2]"): Files {
  const parts = {
    gate: `{ rules: [{ metric: exact_match, ${rule} }] }`,
    answer: (i: number) => (broken.includes(i) ? "wrong" : undefined),
  };
  return { [workflowPath]: "name: Evals\n", ...suiteFiles(parts) };
}

async function change(project: Project, files: Files): ReturnType<Project["pull"]> {
  await project.commit("change", files);
  return project.pull("change");
}

describe("a case that must pass and fails on main already", () => {
  it("is red on main's own push, and is named and blocks nobody in a pull request", async () => {
    await using project = await startProject(suite([0]));
    const push = await project.push("main");
    expect(push.outputs).toMatchObject({ verdict: "fail", "exit-code": "1" });
    const pull = await change(project, { "README.md": "x" });
    expect(pull.outputs).toMatchObject({ verdict: "pass", "exit-code": "0" });
    expect(pull.summary).toContain("already failing on");
    expect(runOf(pull).gate.reasons[0]).toContain("in the baseline already: c0");
  });

  it.each([
    ["breaks another one", suite([0, 1]), "1 of 3 must-pass cases fails: c1"],
    ["asks for it always", suite([0], "always: true, must_pass: [c0]"), "c0"],
  ])("does not excuse a pull request that %s", async (_, files, told) => {
    await using project = await startProject(suite([0]));
    await project.push("main");
    const pull = await change(project, files);
    expect(pull.outputs).toMatchObject({ verdict: "fail", "exit-code": "1" });
    expect(runOf(pull).gate.reasons.join("\n")).toContain(told);
  });

  it(
    "blocks where the base says `always`, and a change can't take that out by itself",
    { tags: "long" },
    async () => {
      await using project = await startProject(suite([0], "always: true, must_pass: [c0, c1]"));
      await project.push("main");
      expect((await change(project, { "README.md": "x" })).outputs).toMatchObject({
        verdict: "fail",
      });
      const without = await change(project, suite([0], "must_pass: [c0, c1]"));
      const run = runOf(without);
      expect(run.gate.verdict).toBe("fail");
      expect(run.policy?.changed).toMatchObject([{ part: "gate", effect: "changed" }]);
    },
  );

  it("blocks where the baseline is not there or can't be read: nobody knows that it failed before", async () => {
    await using project = await startProject(suite([0]));
    const pull = await change(project, { "README.md": "x" });
    expect(pull.outputs).toMatchObject({ verdict: "fail" });
    expect(pull.summary).toContain("there is no baseline");
  });

  it("is judged again as CI did by `regrade compare`", async () => {
    await using project = await startProject(suite([0]));
    const push = await project.push("main");
    const pull = await change(project, { "README.md": "x" });
    await using fixture = await createFixture({});
    await cp(push.outputs["run-path"] ?? "", fixture.getPath("base"), { recursive: true });
    await cp(pull.outputs["run-path"] ?? "", fixture.getPath("head"), { recursive: true });
    const at = { directory: fixture.path };
    expect(await runCli(["compare", "base", "head"], at)).toMatchObject({ code: 0 });
    expect(await runCli(["compare", "head", "base"], at)).toMatchObject({ code: 1 });
  });

  it("is excused on the command line where the base is named, in shards that are merged too", async () => {
    const files = suiteFiles({
      gate: "{ rules: [{ metric: exact_match, must_pass: [c0, c1] }] }",
      answer: (i) => (i === 0 ? "wrong" : undefined),
    });
    const base = Object.entries(files).map(([path, text]) => [`base/${path}`, text] as const);
    await using fixture = await createFixture({ ...files, ...Object.fromEntries(base) });
    // Runs that no commit of a repository has were made by whoever starts this.
    execFileSync("git", ["init", "--quiet"], { cwd: fixture.path });
    const at = { directory: fixture.path };
    const run = (...args: readonly string[]): ReturnType<typeof runCli> =>
      runCli(["run", "evals/qa.yaml", ...args], at);
    expect(await run("--out", "main")).toMatchObject({ code: 1 });
    expect(await run("--out", "branch", "--baseline", "main")).toMatchObject({ code: 1 });
    const named = ["--baseline", "main", "--policy-from", "base"];
    expect(await run("--out", "change", ...named)).toMatchObject({ code: 0 });
    for (const part of ["1", "2"])
      await run("--out", `part${part}`, "--policy-from", "base", "--shard", `${part}/2`);
    const merged = await runCli(["merge", "part1", "part2", "--out", "whole", ...named], at);
    expect(merged, merged.stderr).toMatchObject({ code: 0 });
  });
});
