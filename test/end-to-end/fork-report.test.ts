import { describe, expect, it, onTestFinished } from "vitest";
import { putLabel, type Labelled } from "../support/github/labels.ts";
import { listFork, reportFiles, runFork, runReport } from "../support/github/fork-report.ts";
import { startProject, type Files, type Project } from "../support/github/project.ts";
import { runOf } from "../support/github/run-of.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/** The report on a fork's run: its check carries the verdict, its job says whether it did its work. dist/main.mjs against the stand-in. */

function suite(wrong: number, gate = "{ max_drop: 0.02, accept_label: loss-ok }"): Files {
  const answer = (i: number): string | undefined => (i < wrong ? "wrong" : undefined);
  return { ...reportFiles, ...suiteFiles({ gate, answer, cases: 40 }) };
}

/** A fork's pull request of which so many answers are wrong; its run has ended. */
async function forked(wrong: number, end = runFork): Promise<Project> {
  const project = await startProject(suite(0));
  onTestFinished(() => project[Symbol.asyncDispose]());
  await project.push("main");
  await project.commit("change", suite(wrong));
  await end(project);
  return project;
}

async function checksOf({ github, sha }: Project): Promise<readonly unknown[]> {
  const head = await sha("change");
  return github.rest.state.checks
    .filter((each) => each.head_sha === head)
    .map(({ conclusion }) => conclusion);
}

/** Puts a label on pull request 7; the fork's run began in minute 10. */
function label(project: Project, put: Labelled): void {
  putLabel(project.github.rest.state, 7, put);
}

const faults = ["permission", 401, 403, 404, 410, 422, 502, "reset", "garbage"] as const;

describe("the report's job", () => {
  itSome([
    { told: "a loss", wrong: 20, verdict: "fail", conclusion: "failure", exit: "1" },
    { told: "no loss", wrong: 0, verdict: "pass", conclusion: "success", exit: "0" },
  ])("is green once it told $told: the check is red or green", async ({ wrong, ...told }) => {
    const project = await forked(wrong);
    const end = await runReport(project);
    expect(end.outputs).toMatchObject({ verdict: told.verdict, "exit-code": told.exit });
    expect(end.outputs["check-url"]).toContain("http");
    expect(await checksOf(project)).toEqual([told.conclusion]);
    expect(end.code, end.stdout).toBe(0);
    expect(end.stdout).toContain("the verdict is the check's on the pull request");
  });

  it(
    "is green, and the check is red, where the fork's run left nothing that could be judged",
    { tags: "long" },
    async () => {
      const project = await forked(0, listFork);
      const end = await runReport(project);
      expect(end.outputs).toMatchObject({ verdict: "error" });
      expect(await checksOf(project)).toEqual(["failure"]);
      expect(end.code, end.stdout).toBe(0);
    },
  );

  it(
    "is red where the check can't be written, whatever the verdict and the fault",
    { tags: "long" },
    async () => {
      for (const wrong of [0, 20]) {
        const project = await forked(wrong);
        const { rest } = project.github;
        const { permissions } = rest.state.token;
        for (const fault of wrong === 0 ? faults : (["permission", 502] as const)) {
          if (fault === "permission")
            rest.state.token.permissions = { ...permissions, checks: "read" };
          else rest.faults.add({ route: "POST /repos/{owner}/{repo}/check-runs", as: fault });
          const end = await runReport(project);
          expect([fault, end.code, end.outputs["verdict"]], end.stdout).toEqual([
            fault,
            4,
            wrong > 0 ? "fail" : "pass",
          ]);
          expect(end.stdout).toContain("nobody sees the verdict on the pull request");
          expect(end.stdout).toContain("checks: write");
          rest.state.token.permissions = permissions;
          rest.faults.clear();
        }
      }
    },
  );

  it("is red where the outputs can't be fetched just now, and the check is no pass", async () => {
    const project = await forked(0);
    project.github.rest.faults.add({
      route: "GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts",
      as: 403,
    });
    const end = await runReport(project);
    expect(end.code, end.stdout).toBe(4);
    expect(await checksOf(project)).toEqual(["failure"]);
    expect(end.stdout).toContain("could not be fetched");
  });

  it("refuses to work without its check", async () => {
    const project = await forked(20);
    const end = await runReport(project, { "check-run": "false" });
    expect(end.code).toBe(2);
    expect(end.stdout).toContain("`mode: report` tells its verdict by a check");
  });
});

describe("several pull requests at one commit", () => {
  itSome([
    ["first", [8, 7]],
    ["last", [7, 8]],
  ])(
    "give its check the worst verdict, also where the one to a milder base comes %s",
    async (_, order) => {
      const project = await startProject(suite(0, "none"));
      onTestFinished(() => project[Symbol.asyncDispose]());
      const mild = await project.commit(
        "legacy",
        suite(0, "{ rules: [{ metric: exact_match, min: 0.1 }] }"),
      );
      const strict = await project.commit("main", suite(0));
      await project.push("main");
      await project.commit("change", suite(20));
      await runFork(project);
      const { pulls } = project.github.rest.state;
      const [one] = pulls;
      if (one === undefined) throw new Error("no pull request");
      const bases = new Map([
        [7, { sha: strict, ref: "main" }],
        [8, { sha: mild, ref: "legacy" }],
      ]);
      const all = order.map((number) => ({ ...one, number, base: bases.get(number) ?? one.base }));
      pulls.splice(0, pulls.length, ...all);
      const end = await runReport(project);
      expect(end.code, end.stdout).toBe(0);
      expect(await checksOf(project)).toEqual(["failure"]);
    },
  );
});

describe("the label that accepts a loss", () => {
  it("counts for a fork's pull request", async () => {
    const project = await forked(20);
    label(project, { label: "loss-ok", minute: 11 });
    const end = await runReport(project);
    expect(runOf(end)).toMatchObject({
      gate: { verdict: "pass" },
      approvals: { policy: null, loss: { label: "loss-ok", by: "ann" } },
    });
    expect(await checksOf(project)).toEqual(["success"]);
    expect(end.code).toBe(0);
  });

  itSome<readonly [string, Labelled]>([
    ["put on before the push", { label: "loss-ok", minute: 10 }],
    ["put on by the fork's author", { label: "loss-ok", minute: 11, by: "stranger" }],
    ["of another name", { label: "rules-ok", minute: 11 }],
  ])("does not where it was %s", async (_, put) => {
    const project = await forked(20);
    label(project, put);
    const end = await runReport(project);
    expect(runOf(end)).toMatchObject({ gate: { verdict: "fail" } });
    expect(await checksOf(project)).toEqual(["failure"]);
  });
});
