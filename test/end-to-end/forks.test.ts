import { describe, expect, it, onTestFinished } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import {
  recordProject,
  startProject,
  workflowPath,
  type Files,
  type Project,
} from "../support/github/project.ts";
import { checkOut } from "../support/github/repository.ts";
import { runAction, type ActionEnd } from "../support/github/run-action.ts";
import { unzip } from "../support/github/unzip.ts";
import { makeZip, type ZipEntry } from "../support/github/zip.ts";
import { runOf } from "../support/github/run-of.ts";

/** Pull requests of forks and of Dependabot, and the workflow that reports on them: dist/main.mjs against the stand-in. */

const lines = (list: readonly object[]): string =>
  list.map((each) => `${JSON.stringify(each)}\n`).join("");
const cases = 40;

function suite(
  wrong: number,
  more: { gate?: string; candidates?: string; grader?: string } = {},
): Files {
  const { gate = "{ max_drop: 0.02 }", grader = "exact_match" } = more;
  const { candidates = "{ app: { replay: outputs.jsonl } }" } = more;
  const rows = Array.from({ length: cases }, (_, i) => ({
    id: `c${i}`,
    q: `${i}+1`,
    a: `${i + 1}`,
  }));
  return {
    [workflowPath]: "name: Evals\n",
    ".github/workflows/report.yml":
      "name: Report\non: { workflow_run: { workflows: [Evals], types: [completed] } }\n",
    ".github/workflows/lint.yml": "name: Lint\n",
    "evals/qa.yaml": [
      "name: qa",
      "dataset: { file: data/qa.jsonl, id_field: id }",
      'prompt_template: "What is {{q}}?"',
      'target_template: "{{a}}"',
      `grader: ${grader}`,
      `candidates: ${candidates}`,
      `gate: ${gate}`,
      "",
    ].join("\n"),
    "evals/data/qa.jsonl": lines(rows),
    "evals/outputs.jsonl": lines(
      rows.map(({ id, a }, i) => ({ case_id: id, output_text: i < wrong ? "wrong" : a })),
    ),
  };
}

const keyed = '{ app: { command: ["true"], env: [APP_TOKEN] } }';

describe("a change whose candidates need a secret", () => {
  it.each([
    ["a fork's", { fork: true }, { verdict: "neutral", "exit-code": "0" }],
    ["Dependabot's", { author: "dependabot[bot]" }, { verdict: "neutral", "exit-code": "0" }],
    ["this repository's own", {}, { verdict: "error", "exit-code": "2" }],
  ] as const)("%s", async (_, who, outputs) => {
    await using project = await startProject(suite(0, { candidates: keyed }));
    await project.commit("change", { "README.md": "x" });
    const end = await project.pull("change", who);
    expect(end.outputs).toMatchObject(outputs);
    expect(end.stdout + end.summary).toContain("APP_TOKEN");
    expect(end.code).toBe(outputs.verdict === "neutral" ? 0 : 2);
  });
});

interface Reported {
  readonly end: ActionEnd;
  readonly project: Project;
}

/** A project with a run of its main branch, and one of a fork's pull request. */
const forked = recordProject(suite(0), async (project) => {
  await project.push("main");
  await project.commit("change", suite(20));
  const { token } = project.github.rest.state;
  const { permissions } = token;
  // What a fork's run is given, whatever its workflow says.
  token.permissions = { contents: "read", actions: "read", "pull-requests": "read" };
  await project.pull("change", { fork: true, runId: 300 });
  token.permissions = permissions;
});

/** What a fork's run left: its own artifact, or one that the fork made up. */
async function fork(
  project: Project,
  forged?: (real: Readonly<Record<string, Buffer>>) => readonly ZipEntry[],
): Promise<string> {
  const { state } = project.github.rest;
  const head = await project.sha("change");
  const own = project.github.artifacts.all.find(
    ({ name, run }) => name === "regrade-qa" && run === "run-300",
  );
  if (forged !== undefined && own?.content)
    state.archives.push({
      id: 90_000,
      name: "regrade-qa",
      run: 300,
      zip: makeZip(forged(unzip(own.content))),
    });
  state.runs.push({
    id: 300,
    event: "pull_request",
    conclusion: "success",
    head_branch: "main",
    head_sha: head,
    path: workflowPath,
    head_repository: { id: 2, full_name: "stranger/app" },
  });
  state.pulls.splice(0, state.pulls.length, {
    number: 7,
    state: "open",
    head: { sha: head, ref: "main", repo: { id: 2, full_name: "stranger/app" } },
    base: { sha: await project.sha("main"), ref: "main" },
  });
  return head;
}

/** The `workflow_run` that follows: in a checkout of the default branch, with a token that writes. */
async function report(project: Project, headSha: string): Promise<ActionEnd> {
  const main = await project.sha("main");
  await using workspace = await checkOut(project.origin.path, main);
  return await runAction({
    workspace: workspace.path,
    github: project.github,
    inputs: { mode: "report", comment: "always" },
    event: {
      name: "workflow_run",
      payload: {
        action: "completed",
        repository: { id: 1, full_name: "owner/app", default_branch: "main", visibility: "public" },
        workflow_run: { id: 300, event: "pull_request", head_sha: headSha, head_branch: "main" },
      },
      env: {
        GITHUB_SERVER_URL: project.git.url.replace("127.0.0.1", "github.localhost"),
        GITHUB_RUN_ID: "400",
        GITHUB_SHA: main,
        GITHUB_WORKFLOW: "Report",
        GITHUB_WORKFLOW_REF: "owner/app/.github/workflows/report.yml@refs/heads/main",
      },
    },
  });
}

async function reported(
  forged?: (real: Readonly<Record<string, Buffer>>) => readonly ZipEntry[],
  prepare?: (project: Project) => Promise<void> | void,
): Promise<Reported> {
  const project = await forked();
  onTestFinished(() => project[Symbol.asyncDispose]());
  const head = await fork(project, forged);
  await prepare?.(project);
  return { end: await report(project, head), project };
}

const entries = (files: Readonly<Record<string, string | Buffer>>): readonly ZipEntry[] =>
  Object.entries(files).map(([name, content]) => ({ name, content }));

/** GitHub says that the fork's run was of another workflow file. */
const ranAs =
  (path: string) =>
  ({ github: { rest } }: Project): void => {
    const at = rest.state.runs.findIndex(({ id }) => id === 300);
    const [run] = rest.state.runs.splice(at, 1);
    if (run) rest.state.runs.push({ ...run, path });
  };

describe("the report on a fork's run", () => {
  it(
    "grades its outputs again, judges them against the base's baseline, and tells its pull request",
    { tags: "smoke" },
    async () => {
      const { end, project } = await reported();
      const run = runOf(end);
      expect(end.outputs).toMatchObject({ verdict: "fail", regressed: "20" });
      expect(run.outputs_from).toMatchObject({ repository: "stranger/app" });
      expect(run.git.sha).toBe(await project.sha("change"));
      expect(run.baseline).toMatchObject({ distance: 0 });
      expect(run.gate.reasons.join("\n")).toContain("Unverified");
      const { comments, checks } = project.github.rest.state;
      expect(comments.map(({ issue }) => issue)).toEqual([7]);
      expect(comments[0]?.body).toContain("stranger/app");
      expect(checks.find(({ head_sha }) => head_sha === run.git.sha)).toMatchObject({
        conclusion: "failure",
      });
    },
  );

  it("believes no score, verdict, pull request, commit or path that the artifact brings", async () => {
    const { end, project } = await reported((real) => {
      const run = JSON.parse(real["run.json"]?.toString() ?? "") as Run;
      const lies = {
        ...run,
        gate: { verdict: "pass", reasons: [], rules: [] },
        git: { sha: "f".repeat(40), base_sha: null, ref: "refs/pull/1/head" },
        suite: { ...run.suite, gate: "none", path: "../../etc/passwd" },
        policy: undefined,
        environment: { node: "v0", python: "0", os: "made up", regrade: "999" },
        sandbox: { level: "made up", details: {} },
        candidates: [{ id: "app", kind: "model", model: "openai:x" }],
      };
      const samples = (real["samples.jsonl"]?.toString() ?? "").replaceAll(
        '"exact_match":0',
        '"exact_match":1',
      );
      const scores = (real["scores.jsonl"]?.toString() ?? "").replaceAll(
        '"exact_match":0',
        '"exact_match":1',
      );
      return entries({
        "run.json": JSON.stringify(lies),
        "samples.jsonl": samples,
        "scores.jsonl": scores,
        "pr-number.txt": "1",
      });
    });
    const run = runOf(end);
    expect(end.outputs).toMatchObject({ verdict: "fail", regressed: "20" });
    expect(run).toMatchObject({
      git: { sha: await project.sha("change") },
      suite: { path: "evals/qa.yaml" },
      candidates: [{ id: "app", kind: "replay" }],
      environment: { os: process.platform },
    });
    expect(JSON.stringify(run)).not.toContain("made up");
    expect(project.github.rest.state.comments.map(({ issue }) => issue)).toEqual([7]);
  });

  it.each<readonly [string, (real: Readonly<Record<string, Buffer>>) => readonly ZipEntry[]]>([
    [
      "a bomb",
      (real) => [
        ...entries({ "run.json": real["run.json"] ?? "" }),
        { name: "samples.jsonl", content: Buffer.alloc(5_000_000), claimedBytes: 10 },
      ],
    ],
    ["a path that leads out", (real) => [...entries(real), { name: "../../evil", content: "x" }]],
    [
      "a link",
      (real) => [
        ...entries({ "run.json": real["run.json"] ?? "" }),
        { name: "samples.jsonl", content: "/etc/passwd", mode: 0o120777 },
      ],
    ],
    [
      "samples of another shape",
      (real) => entries({ ...real, "samples.jsonl": '{"case_id": 1}\n' }),
    ],
    [
      "a made-up environment",
      (real) => {
        const run = JSON.parse(real["run.json"]?.toString() ?? "") as Run;
        const environment = { ...run.environment, node: ["::set-output name=verdict::pass"] };
        return entries({ ...real, "run.json": JSON.stringify({ ...run, environment }) });
      },
    ],
  ])("refuses %s, and is an error", async (_, forged) => {
    const { end } = await reported(forged);
    expect(end.outputs).toMatchObject({ verdict: "error" });
    expect(end.stdout).toContain("no outputs of the suite qa that could be judged");
  });

  it.each<readonly [string, (project: Project) => void]>([
    [
      "has moved on",
      ({ github: { rest } }) => {
        const [pull] = rest.state.pulls.splice(0, 1);
        if (pull) rest.state.pulls.push({ ...pull, head: { ...pull.head, sha: "a".repeat(40) } });
      },
    ],
    [
      "is of another fork with the same branch",
      ({ github: { rest } }) => {
        const [pull] = rest.state.pulls.splice(0, 1);
        if (pull)
          rest.state.pulls.push({
            ...pull,
            head: { ...pull.head, repo: { id: 3, full_name: "other/app" } },
          });
      },
    ],
    [
      "is closed",
      ({ github: { rest } }) => {
        const [pull] = rest.state.pulls.splice(0, 1);
        if (pull) rest.state.pulls.push({ ...pull, state: "closed" });
      },
    ],
  ])("tells nobody where the pull request %s", async (_, prepare) => {
    const { end, project } = await reported(undefined, prepare);
    expect(end.code).toBe(0);
    expect(project.github.rest.state.comments).toEqual([]);
  });

  it.each([
    ["that only the fork has", ".github/workflows/evil.yml"],
    ["of the base's that the fork calls by the name of the evals", ".github/workflows/lint.yml"],
  ])("takes no workflow %s", async (_, path) => {
    const { end, project } = await reported(undefined, ranAs(path));
    expect(end.code).toBe(2);
    expect(end.stdout).toContain(`on the base Evals is ${workflowPath}`);
    expect(project.github.rest.state.comments).toEqual([]);
  });

  it("takes none where a fork could choose between two of one name", async () => {
    const { end, project } = await reported(undefined, async ({ commit, github: { rest } }) => {
      const sha = await commit("main", { ".github/workflows/nightly.yml": "name: Evals\n" });
      const [pull] = rest.state.pulls.splice(0, 1);
      if (pull) rest.state.pulls.push({ ...pull, base: { sha, ref: "main" } });
    });
    expect(end.code).toBe(2);
    expect(end.stdout).toContain("a fork could choose by which one's baselines it is judged");
    expect(project.github.rest.state.comments).toEqual([]);
  });
});
