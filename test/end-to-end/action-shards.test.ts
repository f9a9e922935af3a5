import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { readIfThere, until } from "../support/cli.ts";
import { runAction, type ActionEnd } from "../support/github/run-action.ts";
import { startGitHub, type GitHub } from "../support/github/server.ts";
import { sumCandidate, suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/** A matrix of jobs and the job that joins them: dist/main.mjs as a process, a process for each job. */

const wrong = (i: number): string | undefined => (i % 4 === 0 ? "wrong" : undefined);

interface Job {
  readonly fixture: FsFixture;
  readonly github: GitHub;
  readonly attempt?: number;
}

const shardJob = ({ fixture, github, attempt = 1 }: Job, shard: string): Promise<ActionEnd> =>
  runAction({
    workspace: fixture.path,
    github,
    inputs: { suite: "evals/qa.yaml", shard },
    env: { GITHUB_RUN_ATTEMPT: String(attempt) },
  });

const mergeJob = ({ fixture, github, attempt = 1 }: Job): Promise<ActionEnd> =>
  runAction({
    workspace: fixture.path,
    github,
    inputs: { suite: "evals/qa.yaml", mode: "merge" },
    env: { GITHUB_RUN_ATTEMPT: String(attempt) },
  });

async function runIn(end: ActionEnd): Promise<Run> {
  const text = await readFile(join(end.outputs["run-path"] ?? "", "run.json"), "utf8");
  return JSON.parse(text) as Run;
}

describe("a matrix of shards", () => {
  it("is judged once, as the whole would be", { tags: "smoke" }, async () => {
    await using github = await startGitHub();
    await using fixture = await createFixture(suiteFiles({ cases: 20, answer: wrong }));
    const job = { fixture, github };
    const ends = [];
    for (const shard of ["1/3", "2/3", "3/3"]) ends.push(await shardJob(job, shard));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(ends.map(({ outputs }) => outputs["verdict"])).toEqual([
      "neutral",
      "neutral",
      "neutral",
    ]);
    expect(github.artifacts.all.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["regrade-qa~shard-1-of-3", "regrade-qa~shard-3-of-3"]),
    );
    const merged = await mergeJob(job);
    expect(merged.code, merged.stdout).toBe(1);
    expect(merged.outputs).toMatchObject({ verdict: "fail" });
    const run = await runIn(merged);
    expect(run).toMatchObject({ status: "completed", cases: { declared: 20, scored: 20 } });
    expect(run.merged).toHaveLength(3);
    expect(github.artifacts.all.map(({ name }) => name)).toContain("regrade-qa");
    const whole = await runAction({
      workspace: fixture.path,
      inputs: { suite: "evals/qa.yaml" },
    });
    expect(JSON.stringify(run.gate)).toBe(JSON.stringify((await runIn(whole)).gate));
  });

  it("is red where a shard is missing, and judged after 'Re-run failed jobs'", async () => {
    await using github = await startGitHub();
    await using fixture = await createFixture(suiteFiles({ cases: 9 }));
    const job = { fixture, github };
    await shardJob(job, "1/2");
    const red = await mergeJob(job);
    expect(red.code).toBe(2);
    expect(red.outputs).toMatchObject({ verdict: "error" });
    expect(red.stdout).toContain("shard 2 of 2 is missing");
    github.artifacts.nextAttempt();
    const again = { ...job, attempt: 2 };
    // The first shard's job was green: GitHub does not run it again.
    await shardJob(again, "2/2");
    const green = await mergeJob(again);
    expect(green.code, green.stdout).toBe(0);
    expect(green.outputs).toMatchObject({ verdict: "pass" });
  });

  it("takes the newest of a shard that was run again", async () => {
    await using github = await startGitHub();
    await using fixture = await createFixture(suiteFiles({ cases: 9 }));
    const job = { fixture, github };
    await shardJob(job, "1/2");
    await shardJob(job, "2/2");
    github.artifacts.nextAttempt();
    const again = { ...job, attempt: 2 };
    const second = await shardJob(again, "2/2");
    const run = await runIn(await mergeJob(again));
    expect(run.merged?.[1]).toBe((await runIn(second)).id);
  });

  it("is red where nobody ran a shard of a suite", async () => {
    await using github = await startGitHub();
    await using fixture = await createFixture(suiteFiles({ cases: 2 }));
    const end = await mergeJob({ fixture, github });
    expect(end.code).toBe(2);
    expect(end.stdout).toContain("no job of this workflow run has uploaded a shard");
  });

  it("is red where the shards can't be fetched", async () => {
    await using github = await startGitHub();
    await using fixture = await createFixture(suiteFiles({ cases: 2 }));
    github.trouble.artifactService = "refuses";
    const end = await mergeJob({ fixture, github });
    expect(end.code).toBe(4);
    expect(end.outputs).toMatchObject({ verdict: "error" });
  });

  it("refuses a shard that is none, and one in the job that merges", async () => {
    await using fixture = await createFixture(suiteFiles({ cases: 2 }));
    for (const inputs of [{ shard: "3/2" }, { shard: "1/2", mode: "merge" }]) {
      const end = await runAction({ workspace: fixture.path, inputs });
      expect(end.code).toBe(2);
      expect(end.stdout).toContain("shard");
    }
  });

  it("is neutral on a fork's pull request, where the candidates' keys are not given", async () => {
    await using github = await startGitHub();
    const candidates = "{ main: openai:gpt-4.1-mini }";
    await using fixture = await createFixture(suiteFiles({ cases: 4, candidates }));
    const repo = { id: 1, full_name: "owner/app" };
    const pull_request = {
      number: 7,
      head: { sha: "2".repeat(40), ref: "change", repo: { id: 2, full_name: "stranger/app" } },
      base: { sha: "3".repeat(40), ref: "main", repo },
      labels: [],
    };
    const event = { name: "pull_request", payload: { number: 7, repository: repo, pull_request } };
    const common = { workspace: fixture.path, github, event };
    const more = { suite: "evals/qa.yaml", "policy-from": "none", baseline: "none" };
    const shard = await runAction({ ...common, inputs: { ...more, shard: "1/2" } });
    expect(shard.code, shard.stdout).toBe(0);
    const merged = await runAction({ ...common, inputs: { ...more, mode: "merge" } });
    expect(merged.code, merged.stdout).toBe(0);
    expect(merged.outputs).toMatchObject({ verdict: "neutral" });
    const own = await mergeJob({ fixture, github });
    expect(own.code).toBe(2);
  });
});

/** Adds up, slowly; a line in `calls.log` for each call. Whose asker is killed before it has asked was not called. */
const slowApp = `import re, sys, time
prompt = sys.stdin.read()
a, b = re.search(r"(\\d+)\\+(\\d+)", prompt).groups()
with open("calls.log", "a") as log:
    log.write(prompt + "\\n")
time.sleep(0.3)
print(int(a) + int(b))
`;

describe("a job that is stopped", () => {
  itSome(["SIGINT", "SIGKILL"] as const)(
    "by %s is gone on with by the next attempt, which pays for nothing twice",
    async (signal) => {
      await using github = await startGitHub();
      await using fixture = await createFixture({
        ...suiteFiles({ cases: 24, candidates: sumCandidate, more: ["run: { concurrency: 2 }"] }),
        "evals/app.py": slowApp,
      });
      const inputs = { suite: "evals/qa.yaml", cache: "false" };
      const calls = async (): Promise<string[]> =>
        (await readIfThere(fixture.getPath("evals/calls.log"))).trim().split("\n");
      const first = await runAction({
        workspace: fixture.path,
        github,
        inputs,
        meanwhile: async ({ child }) => {
          await until("some calls", async () => (await calls()).length > 8);
          child.kill(signal);
        },
      });
      expect(first.code).not.toBe(0);
      expect(first.post.code, first.post.stdout).toBe(0);
      expect(first.post.stdout).toContain("goes on from");
      github.artifacts.nextAttempt();
      const second = await runAction({
        workspace: fixture.path,
        github,
        inputs,
        env: { GITHUB_RUN_ATTEMPT: "2" },
      });
      expect(second.code, second.stdout).toBe(0);
      expect(second.stdout).toContain("what it has finished is kept");
      const asked = await calls();
      // What was under way when the process was killed is asked again: no more than may be in flight.
      expect(asked.length).toBeLessThanOrEqual(26);
      expect(new Set(asked).size).toBe(24);
      expect(await runIn(second)).toMatchObject({ status: "completed", cases: { scored: 24 } });
      expect(second.post.stdout).not.toContain("goes on from");
    },
  );

  it("is begun anew where the inputs are others", { tags: "long" }, async () => {
    await using github = await startGitHub();
    await using fixture = await createFixture({
      ...suiteFiles({ cases: 12, candidates: sumCandidate, more: ["run: { concurrency: 2 }"] }),
      "evals/app.py": slowApp,
    });
    const inputs = { suite: "evals/qa.yaml", cache: "false" };
    await runAction({
      workspace: fixture.path,
      github,
      inputs,
      meanwhile: async ({ child }) => {
        const calls = fixture.getPath("evals/calls.log");
        await until("some calls", async () => (await readIfThere(calls)).length > 60);
        child.kill("SIGINT");
      },
    });
    github.artifacts.nextAttempt();
    const suite = await readFile(fixture.getPath("evals/qa.yaml"), "utf8");
    await fixture.writeFile("evals/qa.yaml", suite.replace("What is", "Say"));
    const end = await runAction({
      workspace: fixture.path,
      github,
      inputs,
      env: { GITHUB_RUN_ATTEMPT: "2" },
    });
    expect(end.code, end.stdout).toBe(0);
    expect(end.stdout).toContain("the run begins anew");
  });
});
