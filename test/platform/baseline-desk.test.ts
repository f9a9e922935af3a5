import { existsSync } from "node:fs";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { BaselineDesk } from "../../src/domain/baseline.ts";
import type { Problem } from "../../src/domain/refusal.ts";
import type { Run } from "../../src/domain/run.ts";
import { openBaselineDesk } from "../../src/platform/baseline-desk.ts";
import { readContext } from "../../src/platform/context.ts";
import { openGitHub, type GitHub } from "../../src/platform/github.ts";
import { readRun, visitSamples } from "../../src/process/run-reader.ts";
import type { FaultKind } from "../support/github/faults.ts";
import { paced } from "../support/github/pace.ts";
import { startGitHub } from "../support/github/server.ts";
import { createState, type Archive, type WorkflowRun } from "../support/github/state.ts";
import { makeZip } from "../support/github/zip.ts";
import { exampleRun } from "./example-run.ts";

/** The look-up against the stand-in, in this process: what a workflow of GitHub's would find. */

const server = await startGitHub();
afterAll(() => server[Symbol.asyncDispose]());

const path = ".github/workflows/evals.yml";
const sha = (name: string): string => Buffer.from(name.padEnd(20, "0")).toString("hex");
const inputs = (digit: string): string => `sha256:${digit.repeat(64)}`;

beforeEach(() => {
  Object.assign(server.rest.state, createState());
  server.rest.calls.length = 0;
  commit("old");
  commit("older tip", "old");
  commit("base", "older tip");
});

function commit(name: string, ...parents: readonly string[]): void {
  server.rest.state.commits.push({ sha: sha(name), parents: parents.map(sha) });
}

/** A push to main at a commit, and the scores that it left. */
function pushed(id: number, at: string, more: Partial<Listed> = {}): void {
  const { run = {}, listed = {}, archive = {} } = more;
  const { state } = server.rest;
  state.runs.push({
    id,
    event: "push",
    conclusion: "success",
    head_branch: "main",
    head_sha: sha(at),
    path,
    ...listed,
  });
  const stored: Run = {
    ...exampleRun({}),
    id: `run_${id}`,
    suite: { ...exampleRun({}).suite, name: "qa" },
    git: { sha: sha(at), base_sha: null, ref: "refs/heads/main" },
    ...run,
  };
  const zip = makeZip([
    { name: "run.json", content: JSON.stringify(stored) },
    { name: "scores.jsonl", content: "" },
  ]);
  state.archives.push({ id: id * 10, name: "regrade-qa-scores", run: id, zip, ...archive });
  const digits = stored.input_hash.slice(7, 23);
  state.archives.push({ id: id * 10 + 1, name: `regrade-qa-inputs-${digits}`, run: id, zip });
}

interface Listed {
  readonly run: Partial<Run>;
  readonly listed: Partial<WorkflowRun>;
  readonly archive: Partial<Archive>;
}

interface Opened {
  readonly desk: BaselineDesk;
  readonly warnings: readonly Problem[];
  readonly github: GitHub;
}

async function open(): Promise<Opened> {
  const warnings: Problem[] = [];
  const env = {
    GITHUB_API_URL: server.url,
    GITHUB_REPOSITORY: "owner/app",
    GITHUB_RUN_ID: "999",
    GITHUB_SERVER_URL: "https://github.com",
  };
  const github = await openGitHub({
    env: { ...env, ...paced },
    token: "ghs_x",
    repository: { owner: "owner", repo: "app" },
    signal: new AbortController().signal,
    warn: (found) => warnings.push(found),
    timeoutSeconds: 2,
  });
  const desk = openBaselineDesk({
    context: readContext(env, {}),
    start: { at: { kind: "commit", sha: sha("base") }, branches: ["main"] },
    workflowPath: path,
    github: async () => github,
    // A step has one of its own.
    folder: (await createFixture({})).path,
    readRun,
    visitSamples,
    warn: (found) => warnings.push(found),
    now: () => Date.parse("2026-01-11T00:00:00Z"),
  });
  return { desk, warnings, github };
}

async function find(
  parts: { maxAgeDays?: number; baseInputs?: string } = {},
): Promise<{ readonly found: unknown; readonly reason: string; readonly warnings: string }> {
  const { desk, warnings } = await open();
  const { maxAgeDays, baseInputs } = parts;
  const found = await desk.find({ suite: "qa", maxAgeDays, baseInputs: async () => baseInputs });
  const text = warnings.map(({ message }) => message).join("\n");
  if (found.kind === "none") return { found: "none", reason: found.reason, warnings: text };
  const { distance, reason } = found;
  return { found: [found.stored.run.id, distance], reason, warnings: text };
}

const routes = (): readonly string[] => server.rest.calls.map(({ route }) => route);

describe("the baseline is", () => {
  it("the base commit's own run, in four calls", async () => {
    pushed(1, "base");
    pushed(2, "old");
    expect(await find()).toMatchObject({
      found: ["run_1", 0],
      reason: "the base commit's own run",
    });
    expect(routes()).toHaveLength(4);
    expect(server.rest.violations).toEqual([]);
  });

  it("the nearest run before it", async () => {
    pushed(1, "old");
    pushed(2, "older tip");
    const { found, reason } = await find();
    expect(found).toEqual(["run_2", 1]);
    expect(reason).toBe("the nearest run before the base commit, which is 1 commit later");
    expect(routes().length).toBeLessThanOrEqual(6);
  });

  it("rather a farther one with the base's own inputs", async () => {
    pushed(1, "old", { run: { input_hash: inputs("a") } });
    pushed(2, "older tip", { run: { input_hash: inputs("b") } });
    const { found, reason } = await find({ baseInputs: inputs("a") });
    expect(found).toEqual(["run_1", 2]);
    expect(reason).toContain("same inputs");
    expect(routes().length).toBeLessThanOrEqual(7);
  });

  it.each<readonly [string, Partial<WorkflowRun>]>([
    ["a schedule's", { event: "schedule" }],
    ["a merged group's", { event: "merge_group", head_branch: "gh-readonly-queue/main/pr-3-a" }],
    ["one whose gate failed", { conclusion: "failure" }],
  ])("%s", async (_, listed) => {
    pushed(1, "base", { listed });
    expect((await find()).found).toEqual(["run_1", 0]);
  });

  it("the latest attempt's", async () => {
    pushed(1, "base");
    pushed(1, "base", { run: { id: "run_again" }, archive: { id: 77 } });
    expect((await find()).found).toEqual(["run_again", 0]);
  });

  it("what stood in for that commit", async () => {
    const stands_in = { for_sha: sha("base"), source: "earlier" };
    pushed(1, "base", { run: { git: { sha: sha("old"), base_sha: null, ref: null }, stands_in } });
    expect((await find()).found).toEqual(["run_1", 0]);
  });
});

describe("nobody can plant a baseline", () => {
  const fork = { id: 2, full_name: "stranger/app" };
  it.each<readonly [string, Partial<Listed>]>([
    ["a fork's branch that is called main", { listed: { head_repository: fork } }],
    [
      "a pull request from the fork's main",
      { listed: { event: "pull_request", head_repository: fork } },
    ],
    ["a workflow_run, which handles a stranger's data", { listed: { event: "workflow_run" } }],
    ["a dispatch, whose inputs anyone chooses", { listed: { event: "workflow_dispatch" } }],
    ["another workflow", { listed: { path: ".github/workflows/evil.yml" } }],
    ["a push to another branch", { listed: { head_branch: "feature" } }],
    ["a run that is not done", { listed: { status: "in_progress", conclusion: null } }],
    ["a run that was cancelled", { listed: { conclusion: "cancelled" } }],
    ["this very run", { listed: { id: 999 } }],
  ])("%s", async (_, parts) => {
    pushed(1, "base", parts);
    expect((await find()).found).toBe("none");
  });

  it("a tag that is called main, on a commit that a merge brought in", async () => {
    commit("feature", "old");
    server.rest.state.commits.splice(2, 1, {
      sha: sha("base"),
      parents: [sha("older tip"), sha("feature")],
    });
    server.rest.state.branches.set("main", sha("feature"));
    pushed(1, "feature");
    expect((await find()).found).toBe("none");
  });

  it.each<readonly [string, Partial<Listed>, string]>([
    [
      "other bytes than were uploaded",
      { archive: { digest: `sha256:${"0".repeat(64)}` } },
      "digest differs",
    ],
    [
      "another commit's run",
      { run: { git: { sha: sha("old"), base_sha: null, ref: null } } },
      "of another commit",
    ],
    [
      "another suite's run",
      { run: { suite: { ...exampleRun({}).suite, name: "other" } } },
      "of another suite",
    ],
    ["a run that was stopped", { run: { status: "cancelled" } }, "not completed"],
    [
      "no run at all",
      { archive: { zip: makeZip([{ name: "run.json", content: '{"a": 1}' }]) } },
      "not used",
    ],
    [
      "a zip with a link",
      { archive: { zip: makeZip([{ name: "run.json", content: "/etc/passwd", mode: 0o120777 }]) } },
      "link",
    ],
    [
      "a zip that leads out",
      { archive: { zip: makeZip([{ name: "../run.json", content: "{}" }]) } },
      "not used",
    ],
    ["a zip that is too large", { archive: { size: 2_000_000_000 } }, "larger than"],
    ["no zip", { archive: { zip: Buffer.from("nothing") } }, "not used"],
    ["an expired artifact", { archive: { expired: true } }, "has expired"],
  ])("%s: it is said, and another run is taken", async (_, parts, why) => {
    pushed(1, "base", parts);
    const alone = await find();
    expect(alone).toMatchObject({ found: "none", reason: expect.stringContaining(why) });
    pushed(2, "old");
    expect((await find()).found).toEqual(["run_2", 2]);
  });
});

describe("there is none, and it is said why", () => {
  it("where nothing was ever pushed", async () => {
    const { reason, warnings } = await find();
    expect(reason).toContain("has no completed push, schedule or merge queue run");
    expect(warnings).toBe("");
  });

  it("where it is too old", async () => {
    pushed(1, "base");
    expect((await find({ maxAgeDays: 9 })).reason).toContain("10 days old, and max_age_days is 9");
    expect((await find({ maxAgeDays: 10 })).found).toEqual(["run_1", 0]);
  });

  const called = [
    "GET /repos/{owner}/{repo}/commits",
    "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs",
    "GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts",
    "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
  ];
  const faults: readonly FaultKind[] = [403, 404, 422];
  it.each(called.flatMap((route) => faults.map((as) => [route, as] as const)))(
    "where %s answers %s",
    async (route, as) => {
      pushed(1, "base");
      server.rest.faults.add({ route, as, times: 99 });
      try {
        const { found, warnings } = await find();
        expect(found).toBe("none");
        expect(warnings).not.toBe("");
      } finally {
        server.rest.faults.clear();
      }
    },
  );
});

describe("where there is none, it is known", () => {
  it.each<readonly [FaultKind, boolean]>([
    [502, true],
    [403, false],
  ])("whether another time there might be one: an answer of %s", async (as, unreachable) => {
    pushed(1, "base");
    const route = "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs";
    server.rest.faults.add({ route, as, times: 99 });
    try {
      const { desk } = await open();
      const asked = { suite: "qa", maxAgeDays: undefined, baseInputs: async () => undefined };
      const found = await desk.find(asked);
      expect(found.kind === "none" && (found.unreachable ?? false)).toBe(unreachable);
    } finally {
      server.rest.faults.clear();
    }
  });
});

describe("runs with equal inputs", () => {
  it("stand for each other, the newest trusted one", async () => {
    pushed(1, "old", { run: { input_hash: inputs("a") } });
    pushed(2, "older tip", { run: { input_hash: inputs("b") } });
    const { desk } = await open();
    expect(await desk.findEqual("qa", inputs("a"))).toMatchObject({
      kind: "found",
      stored: { run: { id: "run_1" } },
    });
    expect(await desk.findEqual("qa", inputs("c"))).toMatchObject({ kind: "none" });
  });

  it("are not believed by their mark alone", async () => {
    pushed(1, "old", { run: { input_hash: inputs("b") } });
    const zip = Buffer.from("x");
    server.rest.state.archives.push({
      id: 5,
      name: `regrade-qa-inputs-${"a".repeat(16)}`,
      run: 1,
      zip,
    });
    const { desk } = await open();
    expect(await desk.findEqual("qa", inputs("a"))).toMatchObject({ kind: "none" });
  });

  it("are pooled, the newest first, each once", async () => {
    const run = { input_hash: inputs("a") };
    pushed(1, "old", { run });
    pushed(2, "older tip", { run });
    pushed(3, "base", {
      run: { ...run, id: "run_1", stands_in: { for_sha: sha("base"), source: "" } },
    });
    const { desk } = await open();
    const asked = { suite: "qa", inputHash: inputs("a") };
    const { directories: pooled } = await desk.findPooled({ ...asked, most: 5 });
    const ids = await Promise.all(pooled.map(async (each) => (await readRun(each)).run.id));
    expect(ids).toEqual(["run_1", "run_2"]);
    expect((await desk.findPooled({ ...asked, most: 1 })).directories).toHaveLength(1);
  });
});

const whole = (id: string, samples: string) => [
  { name: "run.json", content: JSON.stringify({ ...named, id }) },
  { name: "scores.jsonl", content: "" },
  { name: "samples.jsonl", content: samples },
];
const named = {
  ...exampleRun({}),
  suite: { ...exampleRun({}).suite, name: "qa" },
  git: { sha: sha("base"), base_sha: null, ref: "refs/heads/main" },
};

async function fetchedTexts(run: Partial<Run> = {}): Promise<readonly [unknown, boolean]> {
  pushed(1, "base", { run });
  const { desk } = await open();
  const found = await desk.find({
    suite: "qa",
    maxAgeDays: undefined,
    baseInputs: async () => undefined,
  });
  if (found.kind === "none") throw new Error(found.reason);
  const { fetchTexts, directory } = found.stored;
  const [first, again] = [await fetchTexts?.(), await fetchTexts?.()];
  expect(again).toBe(first);
  const reason = first?.kind === "gone" ? first.reason : first?.kind;
  return [reason, existsSync(join(directory, "samples.jsonl"))];
}

const leaveWhole = (more: Partial<Archive> & Pick<Archive, "zip">, run = 1): void => {
  server.rest.state.archives.push({ id: 77, name: "regrade-qa", run, ...more });
};

describe("the texts of a baseline", () => {
  it("are put beside its scores, once", async () => {
    leaveWhole({ zip: makeZip(whole("run_1", "")) });
    expect(await fetchedTexts()).toEqual(["here", true]);
    expect(routes().filter((route) => route.endsWith("{archive_format}"))).toHaveLength(2);
  });

  it("are those of the run that it stands in for", async () => {
    leaveWhole({ zip: makeZip(whole("run_1", "")) }, 5);
    const source = "https://github.com/owner/app/actions/runs/5";
    expect(await fetchedTexts({ stands_in: { for_sha: sha("base"), source } })).toEqual([
      "here",
      true,
    ]);
  });

  it.each<readonly [string, Partial<Archive>, string]>([
    ["has expired", { zip: makeZip(whole("run_1", "")), expired: true }, "it has expired"],
    ["is another run's", { zip: makeZip(whole("run_2", "")) }, "it is of another run"],
    ["has no samples", { zip: makeZip(whole("run_1", "").slice(0, 2)) }, "it has no samples"],
    [
      "is of another shape",
      { zip: makeZip(whole("run_1", '{"a": 1}\n')) },
      "not a sample of Regrade",
    ],
    ["is too large", { zip: makeZip(whole("run_1", "")), size: 3e8 }, "larger than 200 MB"],
    [
      "is another one",
      { zip: makeZip([]), digest: `sha256:${"0".repeat(64)}` },
      "the digest differs",
    ],
  ])("are said to be gone where the artifact %s", async (_, archive, why) => {
    leaveWhole({ zip: Buffer.from(""), ...archive });
    const [reason, isThere] = await fetchedTexts();
    expect(reason).toContain("in the artifact regrade-qa of run 1, which was not read");
    expect(reason).toContain(why);
    expect(isThere).toBe(false);
  });
});
