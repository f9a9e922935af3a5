import { describe, expect, it } from "vitest";
import type { Fault } from "../support/github/faults.ts";
import {
  recordProject,
  type Files,
  type Project,
  type PullOptions,
} from "../support/github/project.ts";
import type { ActionEnd } from "../support/github/run-action.ts";
import { unzip } from "../support/github/unzip.ts";
import { makeZip } from "../support/github/zip.ts";
import { itSome } from "../support/rows.ts";

/** Whatever stops the look for a baseline, a broken pull request does not end green: dist/main.mjs against the stand-in of GitHub. */

const cases = 40;

/** Two suites: one has a relative rule alone, the other an absolute one beside it, which is met. */
function suites(wrong: number): Files {
  const rows = Array.from({ length: cases }, (_, i) => ({
    id: `c${i}`,
    q: `${i}+1`,
    a: `${i + 1}`,
  }));
  const outputs = rows.map(({ id, a }, i) => ({ case_id: id, output_text: i < wrong ? "no" : a }));
  return {
    "evals/relative.yaml": oneSuite("relative", "{ max_drop: 0.02 }"),
    "evals/both.yaml": oneSuite(
      "both",
      "{ rules: [{ metric: exact_match, max_drop: 0.02 }, { metric: exact_match, min: 0.4 }] }",
    ),
    "evals/data/qa.jsonl": lines(rows),
    "evals/outputs.jsonl": lines(outputs),
  };
}

function oneSuite(name: string, gate: string): string {
  return [
    `name: ${name}`,
    "dataset: { file: data/qa.jsonl, id_field: id }",
    'prompt_template: "What is {{q}}?"',
    'target_template: "{{a}}"',
    "grader: exact_match",
    "candidates: { app: { replay: outputs.jsonl } }",
    `gate: ${gate}`,
    "",
  ].join("\n");
}

function lines(list: readonly object[]): string {
  return list.map((each) => `${JSON.stringify(each)}\n`).join("");
}

/** Half of the cases break. Without its baseline nothing would show that. */
const broken = recordProject(suites(0), async (project) => {
  await project.push("main");
  await project.commit("change", suites(20));
  for (const shard of ["1/2", "2/2"])
    await project.pull("change", { runId: 300, inputs: { shard } });
});

const listRuns = "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs";
const listCommits = "GET /repos/{owner}/{repo}/commits";
const listArtifacts = "GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts";
const download = "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}";

const permission = "Give the job the permission 'actions: read', then run it again.";
const again = "Run this job again.";
const runTheBase = "Start a run of .github/workflows/evals.yml on main";

interface Row {
  readonly name: string;
  readonly fault?: Fault;
  /** Changes what the base's run left. */
  readonly damage?: (scores: Scores) => void;
  /** The one thing to do. */
  readonly remedy: string;
}

interface Scores {
  content: Buffer | undefined;
  digest: string | undefined;
}

const rows: readonly Row[] = [
  {
    name: "runs: 401, a token that is no good",
    fault: { route: listRuns, as: 401 },
    remedy: "Give the input `token` a token that is valid",
  },
  { name: "runs: 403, no actions: read", fault: { route: listRuns, as: 403 }, remedy: permission },
  { name: "runs: 404", fault: { route: listRuns, as: 404 }, remedy: permission },
  { name: "runs: 502", fault: { route: listRuns, as: 502 }, remedy: again },
  { name: "runs: a spent rate limit", fault: { route: listRuns, as: "primary" }, remedy: again },
  {
    name: "commits: 403",
    fault: { route: listCommits, as: 403 },
    remedy: "Give the job the permission 'contents: read', then run it again.",
  },
  { name: "commits: no answer", fault: { route: listCommits, as: "reset" }, remedy: again },
  { name: "artifacts: 403", fault: { route: listArtifacts, as: 403 }, remedy: permission },
  { name: "download: 410, it is gone", fault: { route: download, as: 410 }, remedy: runTheBase },
  { name: "download: 502", fault: { route: download, as: 502 }, remedy: again },
  {
    name: "half a run.json",
    damage: (scores) => {
      const files = Object.entries(unzip(scores.content ?? Buffer.from("")));
      const halved = files.map(([name, content]) =>
        name === "run.json"
          ? { name, content: content.subarray(0, content.length >> 1) }
          : { name, content },
      );
      replace(scores, makeZip(halved));
    },
    remedy: runTheBase,
  },
  {
    name: "no zip",
    damage: (scores) => replace(scores, Buffer.from("<h1>nothing</h1>")),
    remedy: runTheBase,
  },
  {
    name: "half a zip",
    damage: (scores) => replace(scores, scores.content?.subarray(0, scores.content.length >> 1)),
    remedy: runTheBase,
  },
];

function replace(scores: Scores, content: Buffer | undefined): void {
  scores.content = content;
  scores.digest = undefined;
}

function spoil({ github }: Project, { fault, damage }: Row): void {
  if (fault !== undefined) github.rest.faults.add({ ...fault, retryAfter: 1800 });
  if (damage === undefined) return;
  const left = github.artifacts.all.filter(
    ({ name, run }) => run === "run-100" && name.includes("~scores-"),
  );
  expect(left).toHaveLength(2);
  for (const scores of left) damage(scores);
}

function expectUndecided(end: ActionEnd, { name, remedy }: Row): void {
  const said = end.stdout.split("\n").find((line) => line.includes("nothing was compared"));
  console.log(`${name.padEnd(36)} exit ${end.code}  ${said?.trim() ?? ""}`);
  expect(end.outputs, end.stdout).toMatchObject({ verdict: "inconclusive", "exit-code": "3" });
  expect(end.code).toBe(3);
  for (const suite of ["relative", "both"]) expect(end.stdout).toContain(`${suite}: inconclusive`);
  expect(end.stdout).toContain(remedy);
  expect(end.summary).toContain("nothing was compared");
}

const inputs = { "fail-on": "fail,error,inconclusive" };

describe("a broken pull request is inconclusive, and says what to do", () => {
  itSome(rows)("$name", async (row) => {
    await using project = await broken();
    spoil(project, row);
    expectUndecided(await project.pull("change", { inputs }), row);
  });
});

describe("shards of it, merged, are too", () => {
  itSome(rows)("$name", async (row) => {
    await using project = await broken();
    spoil(project, row);
    const merge = { ...inputs, mode: "merge" };
    expectUndecided(await project.pull("change", { runId: 300, inputs: merge }), row);
  });
});

it("the next older run is taken where the nearest can't be read", async () => {
  await using project = await broken();
  const old = await project.sha("main");
  await project.commit("main", { "README.md": "one" });
  await project.push("main");
  await project.commit("change", { "README.md": "one" });
  const newest = project.github.artifacts.all.findLast(({ name }) =>
    name.startsWith("regrade-relative~scores-"),
  );
  if (newest) newest.content = Buffer.from("nothing");
  const end = await project.pull("change", { inputs });
  expect(end.outputs, end.stdout).toMatchObject({ verdict: "fail", regressed: "40" });
  expect(end.outputs["baseline-sha"]).toContain(old);
});

describe("where no earlier run can be looked for", () => {
  const places: readonly (readonly [string, Partial<PullOptions>, string])[] = [
    ["with an empty token", { inputs: { token: "" } }, "without a token"],
    [
      "on GitHub Enterprise Server",
      { env: { GITHUB_SERVER_URL: "https://github.example.org" } },
      "GitHub Enterprise Server has no API for these artifacts",
    ],
  ];
  itSome(places)("there is none %s, and it is said", async (_, options, reason) => {
    await using project = await broken();
    const own = { ...inputs, "policy-from": "none", ...options.inputs };
    const end = await project.pull("change", { ...options, inputs: own });
    expect(end.stdout, end.stdout).toContain("relative: neutral");
    expect(end.stdout).toContain("both: pass");
    expect(end.summary).toContain(reason);
  });

  itSome(places)("who asks for one by name is refused %s", async (_, options, reason) => {
    await using project = await broken();
    const own = { ...inputs, "policy-from": "none", ...options.inputs, baseline: "auto" };
    const end = await project.pull("change", { ...options, inputs: own });
    expect(end.code, end.stdout).toBe(2);
    expect(end.stdout).toContain(reason);
    expect(end.stdout).toContain("from: rerun");
  });
});
