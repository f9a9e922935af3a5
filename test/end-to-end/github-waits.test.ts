import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it, vi } from "vitest";
import { pullRequest } from "../support/github/events.ts";
import { startProject } from "../support/github/project.ts";
import { runAction, type ActionEnd, type ActionRun } from "../support/github/run-action.ts";
import { startGitHub, type GitHub } from "../support/github/server.ts";
import { writeRoutes as routes } from "../support/github/writes.ts";
import { patience } from "../support/patience.ts";
import { itSome } from "../support/rows.ts";

/** Waits for GitHub: dist/main.mjs as a process. The sums are in test/github/patience.test.ts. */

const suite = {
  "evals/first.yaml": [
    "name: qa",
    "dataset: { file: data/qa.jsonl, id_field: id }",
    'prompt_template: "{{q}}"',
    'target_template: "{{q}}"',
    "grader: exact_match",
    "candidates: { app: { command: [cat] } }",
    "gate: { rules: [{ metric: exact_match, min: 0.8 }] }",
    "",
  ].join("\n"),
  "evals/data/qa.jsonl": ["a", "b", "c"].map((id) => `{"id":"${id}","q":"${id}"}\n`).join(""),
};

/** A request that is held back until a process has started and judged: a busy machine needs more than 2 s for that. */
const patient = { REGRADE_TEST_GITHUB_PACE: "0.2" };

const alone = { baseline: "none", "policy-from": "none" };

async function run(
  github: GitHub,
  more: Partial<ActionRun>,
  files: Readonly<Record<string, string>> = suite,
): Promise<ActionEnd> {
  await using fixture = await createFixture(files);
  const event = pullRequest(github.rest.state);
  return await runAction({ workspace: fixture.path, github, event, inputs: alone, ...more });
}

it("no sample waits until GitHub has made the check, which has its conclusion all the same", async () => {
  await using github = await startGitHub();
  const judged = Promise.withResolvers<void>();
  github.rest.before.push(({ route }) =>
    route === routes.beginCheck ? judged.promise : undefined,
  );
  const end = await run(github, {
    env: patient,
    meanwhile: async ({ printed }) => {
      await printed("qa: pass");
      expect(github.rest.state.checks).toEqual([]);
      judged.resolve();
    },
  });
  expect(end.code).toBe(0);
  const { calls, state } = github.rest;
  expect(calls.map(({ route }) => route)).toEqual([
    routes.beginCheck,
    routes.listComments,
    routes.completeCheck,
  ]);
  expect(state.checks).toMatchObject([{ status: "completed", conclusion: "success" }]);
});

it("a process that is killed before GitHub has answered leaves no check open", async () => {
  await using github = await startGitHub();
  const killed = Promise.withResolvers<void>();
  github.rest.before.push(({ route }) =>
    route === routes.beginCheck ? killed.promise : undefined,
  );
  const end = await run(github, {
    env: patient,
    meanwhile: async ({ child, printed }) => {
      await printed("3 samples");
      await expect.poll(() => github.rest.calls.length).toBe(1);
      child.on("exit", () => killed.resolve());
      child.kill("SIGKILL");
    },
  });
  expect(end.code).toBe(null);
  expect(end.post).toMatchObject({ code: 0, stderr: "" });
  expect(github.rest.state.checks).toMatchObject([
    { status: "completed", conclusion: "cancelled" },
  ]);
});

it(
  "comment, check and outputs don't wait for uploads that hang, and say so",
  { tags: "long" },
  async () => {
    await using github = await startGitHub();
    github.trouble.artifactService = "hangs";
    const { state } = github.rest;
    let seconds = 0;
    const end = await run(github, {
      inputs: { ...alone, comment: "always" },
      meanwhile: async ({ child, printed }) => {
        await printed("qa: pass");
        const from = performance.now();
        await vi.waitUntil(() => state.checks[0]?.status === "completed", 60_000);
        seconds = (performance.now() - from) / 1000;
        // The step goes on with the uploads until the job's end.
        github.trouble.artifactService = "none";
        expect(child.exitCode).toBe(null);
        child.kill("SIGINT");
      },
    });
    // 30 s of production are 2 s here.
    expect(seconds).toBeGreaterThan(1.9);
    expect(seconds).toBeLessThan(await patience(4));
    expect(state.checks).toMatchObject([{ conclusion: "success" }]);
    const words = "artifact still uploading";
    for (const text of [state.comments[0]?.body, state.checks[0]?.output.summary])
      expect(text).toContain(words);
    expect(end.outputs).toMatchObject({ verdict: "pass", "artifact-id": "" });
    expect(end.code).toBe(0);
  },
);

it(
  "a limit on all that is written costs a minute in all, then a warning, and no verdict",
  { tags: "long" },
  async () => {
    await using github = await startGitHub();
    for (const route of [routes.beginCheck, routes.addComment, routes.completeCheck])
      github.rest.faults.add({ route, as: "secondary", retryAfter: 60 });
    const end = await run(github, {
      inputs: { ...alone, comment: "always" },
      env: { REGRADE_TEST_GITHUB_PACE: "0.02" },
    });
    expect(end.code).toBe(0);
    expect(end.outputs).toMatchObject({ verdict: "pass", "comment-url": "", "check-url": "" });
    const pauses = end.stdout.match(/asks for a pause of 60 s before the next request$/gm);
    expect(pauses).toHaveLength(1);
    const warnings = end.commands.filter(({ name }) => name === "warning").map(({ data }) => data);
    expect(warnings.join("\n")).toMatch(/check run failed: too many requests/);
    expect(warnings.join("\n")).toMatch(/comment on the pull request failed: too many requests/);
  },
);

itSome([
  ["cat", "success"],
  ["echo, no", "failure"],
])(
  "a check that GitHub did not take in time is completed by the step's end as what it came to: %s, %s",
  async (command, conclusion) => {
    await using github = await startGitHub();
    github.rest.faults.add({ route: routes.completeCheck, as: 422, times: 1 });
    const fixed = suite["evals/first.yaml"].replace("[cat]", `[${command}]`);
    const end = await run(github, {}, { ...suite, "evals/first.yaml": fixed });
    expect(end.code).toBe(conclusion === "success" ? 0 : 1);
    expect(end.post).toMatchObject({ code: 0, stderr: "" });
    expect(github.rest.state.checks).toMatchObject([{ status: "completed", conclusion }]);
  },
);

it("a suite that is refused after its check was begun has that check completed, under its own name", async () => {
  await using github = await startGitHub();
  const end = await run(github, { inputs: { ...alone, baseline: "nowhere" } });
  expect(end.code).toBe(2);
  const { state } = github.rest;
  expect(state.checks).toMatchObject([{ name: "Regrade: qa", conclusion: "failure" }]);
  expect(state.comments[0]?.body).toContain("qa");
});

it(
  "a limit on the look for a baseline is waited for beside the samples, and what it finds decides",
  { tags: "long" },
  async () => {
    await using asked = await createFixture({});
    const path = asked.getPath("asked");
    const rows = Array.from({ length: 20 }, (_, i) => `{"id":"${i}","q":"${i}"}\n`).join("");
    const files = {
      ...suite,
      "evals/first.yaml": suite["evals/first.yaml"]
        .replace("[cat]", `[tee, -a, ${path}]`)
        .replace(/^gate: .*$/m, "gate: { max_drop: 0.02 }"),
      "evals/data/qa.jsonl": rows,
    };
    await using project = await startProject(files);
    await project.push("main");
    await project.commit("change", { "README.md": "changed" });
    await asked.rm("asked");
    const { rest } = project.github;
    const listing = "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs";
    rest.faults.add({ route: listing, as: "secondary", retryAfter: 200, times: 1 });
    const sizes: number[] = [];
    rest.before.push(async ({ route }) => {
      if (route === listing) sizes.push((await readFile(path, "utf8").catch(() => "")).length);
    });
    const end = await project.pull("change", { env: { REGRADE_TEST_GITHUB_PACE: "0.02" } });
    expect(end.stdout).toContain("GitHub asks for a pause of 200 s before the next request");
    expect(end.outputs, end.stdout).toMatchObject({ verdict: "pass" });
    expect(end.outputs["baseline-sha"]).not.toBe("");
    // When the list was asked for again, the samples had been made.
    expect(sizes[0]).toBeLessThan(30);
    expect(sizes[1]).toBe(30);
  },
);
