import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { act, runAct, type ActEnd } from "../support/act.ts";
import { repository } from "../support/cli.ts";
import { startGitHub, type GitHub } from "../support/github/server.ts";
import { suiteFiles, type SuiteParts } from "../support/suite-files.ts";

/*
 * The repository's own example workflows, run as files. What act can't do, and what is therefore seen elsewhere or not at all:
 * - It does not fetch: the checkout of the repository itself is skipped, that of another one is a stand-in's.
 * - It has no token rules: a fork's read-only token and missing secrets are played in the tests of dist/main.mjs.
 * - It starts no workflow by the end of another one: the second half of the pair is given the event that GitHub would send.
 * - It keeps no limits (annotations, summaries, outputs), and throws the job summary away.
 * - It has no attempts: "Re-run failed jobs" is played in action-shards.test.ts.
 * - Its own artifact service does not take what the library sends: the stand-in's is used.
 */

const example = (name: string): string =>
  readFileSync(join(repository, "examples/workflows", name), "utf8");
const own = (name: string): string =>
  readFileSync(join(repository, ".github/workflows", name), "utf8");

async function project(
  workflows: Readonly<Record<string, string>>,
  parts: SuiteParts,
): Promise<FsFixture> {
  const files = Object.entries(workflows).map(([name, text]) => [
    `.github/workflows/${name}`,
    text,
  ]);
  const fixture = await createFixture({ ...suiteFiles(parts), ...Object.fromEntries(files) });
  git(fixture, "init", "--quiet", "--initial-branch=main");
  git(fixture, "remote", "add", "origin", "https://github.com/owner/app.git");
  git(fixture, "add", "--all");
  git(fixture, "commit", "--quiet", "--message=first");
  return fixture;
}

function git(fixture: FsFixture, ...args: readonly string[]): string {
  const who = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...who, ...args], { cwd: fixture.path, encoding: "utf8" }).trim();
}

const push = { ref: "refs/heads/main", before: "0".repeat(40), repository: { id: 1 } };
const names = (github: GitHub): readonly string[] => github.artifacts.all.map(({ name }) => name);
const wrong = (i: number): string | undefined => (i % 3 === 0 ? "wrong" : undefined);
const slow = { timeout: 300_000 };

describe.skipIf(act === undefined)("under act", () => {
  it("the plain workflow is green, and leaves a baseline", slow, async () => {
    await using github = await startGitHub();
    await using fixture = await project({ "evals.yml": example("evals.yml") }, { cases: 12 });
    const end = await runAct({
      fixture,
      workflow: "evals.yml",
      event: "push",
      payload: push,
      github,
    });
    expect(end.code, end.log).toBe(0);
    expect(end.log).toContain("Regrade: pass (exit code 0)");
    expect(names(github)).toEqual(
      expect.arrayContaining([
        "regrade-qa",
        expect.stringMatching(/^regrade-qa~scores-/) as string,
      ]),
    );
  });

  it("the plain workflow is red where the gate fails", slow, async () => {
    await using github = await startGitHub();
    const parts = { cases: 12, answer: wrong };
    await using fixture = await project({ "evals.yml": example("evals.yml") }, parts);
    const end = await runAct({
      fixture,
      workflow: "evals.yml",
      event: "push",
      payload: push,
      github,
    });
    expect(end.code).toBe(1);
    expect(end.log).toContain("Regrade: fail (exit code 1)");
  });

  it("the matrix is judged once, by the job that joins it", slow, async () => {
    await using github = await startGitHub();
    const workflows = { "evals-sharded.yml": example("evals-sharded.yml") };
    await using fixture = await project(workflows, { cases: 12, answer: wrong });
    const workflow = "evals-sharded.yml";
    const end = await runAct({ fixture, workflow, event: "push", payload: push, github });
    expectMerged(end, github, 4);
  });

  it(
    "the reusable workflow does the same, with the shards that its caller asks for",
    slow,
    async () => {
      await using github = await startGitHub();
      const caller = [
        "on: push",
        "jobs:",
        "  evals:",
        "    uses: ./.github/workflows/regrade.yml",
        "    with: { suite: evals/qa.yaml, shards: 2, setup: 'echo prepared > .prepared' }",
        "",
      ].join("\n");
      const workflows = { "call.yml": caller, "regrade.yml": own("regrade.yml") };
      await using fixture = await project(workflows, { cases: 12, answer: wrong });
      const end = await runAct({
        fixture,
        workflow: "call.yml",
        event: "push",
        payload: push,
        github,
      });
      expectMerged(end, github, 2);
    },
  );

  it("the README's workflow works in a repository that has nothing but a suite", slow, async () => {
    await using github = await startGitHub();
    const readme = readFileSync(join(repository, "README.md"), "utf8");
    const [, text = ""] =
      /```yaml\n(# \.github\/workflows\/evals\.yml\n[^]*?)```/.exec(readme) ?? [];
    await using fixture = await project({ "evals.yml": text }, { cases: 6 });
    const workflow = "evals.yml";
    const end = await runAct({ fixture, workflow, event: "push", payload: push, github });
    expect(end.code, end.log).toBe(0);
    expect(end.log).toContain("Regrade: pass (exit code 0)");
  });

  it("the pair tells a fork's pull request what the first half could not", slow, async () => {
    await using github = await startGitHub();
    const workflows = {
      "evals.yml": example("evals.yml"),
      "evals-report.yml": example("evals-report.yml"),
    };
    await using fixture = await project(workflows, { cases: 12 });
    const main = git(fixture, "rev-parse", "HEAD");
    const changed = suiteFiles({ cases: 12, answer: wrong });
    await fixture.writeFile("evals/outputs.jsonl", changed["evals/outputs.jsonl"] ?? "");
    git(fixture, "commit", "--quiet", "--all", "--message=change");
    const head = git(fixture, "rev-parse", "HEAD");
    const { state } = github.rest;
    const fork = { id: 2, full_name: "stranger/app" };
    const pull = {
      number: 7,
      state: "open",
      head: { sha: head, ref: "main", repo: fork },
      base: { sha: main, ref: "main" },
    } as const;
    state.pulls.push(pull);
    state.commits.push({ sha: head, parents: [main] }, { sha: main, parents: [] });
    // What GitHub gives a fork; act would give it all.
    Object.assign(state.token.permissions, { checks: "read", "pull-requests": "read" });
    const first = await runAct({
      fixture,
      workflow: "evals.yml",
      event: "pull_request",
      payload: {
        number: 7,
        repository: { id: 1, full_name: "owner/app", visibility: "public" },
        pull_request: { ...pull, base: { ...pull.base, repo: { id: 1 } }, labels: [] },
      },
      github,
      runId: "70",
    });
    expect(first.log).toContain("Regrade: fail (exit code 1)");
    expect(state.comments).toEqual([]);
    const ended = { id: 70, event: "pull_request", conclusion: "failure", head_sha: head };
    const where = { head_branch: "main", path: ".github/workflows/evals.yml" };
    state.runs.push({ ...ended, ...where, head_repository: { ...fork, owner: "stranger" } });
    Object.assign(state.token.permissions, { checks: "write", "pull-requests": "write" });
    const second = await runAct({
      fixture,
      workflow: "evals-report.yml",
      event: "workflow_run",
      payload: {
        action: "completed",
        repository: { id: 1, full_name: "owner/app", default_branch: "main" },
        workflow_run: {
          ...ended,
          ...where,
          run_attempt: 1,
          head_repository: { ...fork, owner: { login: "stranger" } },
          actor: { login: "stranger" },
        },
      },
      github,
      runId: "71",
    });
    expect(second.log).toContain("Reports on pull request 7");
    expect(
      state.comments.map(({ issue }) => issue),
      second.log,
    ).toEqual([7]);
    expect(state.comments[0]?.body).toContain("qa");
    expect(state.checks.map(({ head_sha }) => head_sha)).toContain(head);
  });
});

function expectMerged(end: ActEnd, github: GitHub, of: number): void {
  const shards = Array.from({ length: of }, (_, i) => `regrade-qa~shard-${i + 1}-of-${of}`);
  expect(names(github), end.log).toEqual(expect.arrayContaining([...shards, "regrade-qa"]));
  expect(end.code, end.log).toBe(1);
  expect(end.log).toContain("Regrade: fail (exit code 1)");
}
