import { existsSync } from "node:fs";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { itSome } from "../support/rows.ts";
import type { BaselineFinder } from "../../src/model/baseline.ts";
import type { Problem } from "../../src/model/refusal.ts";
import type { Run, RunKey } from "../../src/model/outcomes/run.ts";
import { scoresArtifactName } from "../../src/github/artifacts/artifact-names.ts";
import { openBaselineFinder } from "../../src/github/baseline/finder.ts";
import { readContext } from "../../src/github/runner/context.ts";
import { openGitHub, type GitHub } from "../../src/github/api/github.ts";
import { readRun, visitSamples } from "../../src/store/run-reader.ts";
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
const isGone = async (): Promise<boolean> => true;
/** The suite that is looked for. */
const qa = { suite: "qa", path: "evals/qa.yaml", isInBase: undefined, isGone };
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
  readonly finder: BaselineFinder;
  readonly warnings: readonly Problem[];
  readonly github: GitHub;
}

async function open(of: Partial<Pick<RunKey, "leg">> = {}): Promise<Opened> {
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
  const finder = openBaselineFinder({
    overrides: undefined,
    context: readContext(env, {}),
    start: { at: { kind: "commit", sha: sha("base") }, branches: ["main"] },
    workflowPath: path,
    hasWorkflow: async () => true,
    of: { job: "evals", leg: "", ...of },
    github: async () => github,
    // A step has one of its own.
    folder: (await createFixture({})).path,
    readRun,
    visitSamples,
    warn: (found) => warnings.push(found),
    now: () => Date.parse("2026-01-11T00:00:00Z"),
  });
  return { finder: finder, warnings, github };
}

async function find(
  parts: { maxAgeDays?: number; baseInputs?: string; isInBase?: boolean } = {},
): Promise<{
  readonly found: unknown;
  readonly reason: string;
  readonly remedy?: string | undefined;
  readonly warnings: string;
}> {
  const { finder, warnings } = await open();
  const { maxAgeDays, isInBase } = parts;
  const baseInputs = async () => parts.baseInputs;
  const found = await finder.find({ ...qa, maxAgeDays, baseInputs, isInBase });
  const text = warnings.map(({ message }) => message).join("\n");
  if (found.kind === "none")
    return { found: "none", reason: found.reason, remedy: found.remedy, warnings: text };
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
    // A slow machine may ask once more after a time-out.
    expect(new Set(routes()).size).toBe(4);
    expect(server.rest.violations).toEqual([]);
  });

  it("the nearest run before it", async () => {
    pushed(1, "old");
    pushed(2, "older tip");
    const { found, reason } = await find();
    expect(found).toEqual(["run_2", 1]);
    expect(reason).toBe("the nearest run before the base commit, which is 1 commit later");
    expect(routes().length).toBeLessThanOrEqual(7);
  });

  it("rather a farther one with the base's own inputs", async () => {
    pushed(1, "old", { run: { input_hash: inputs("a") } });
    pushed(2, "older tip", { run: { input_hash: inputs("b") } });
    const { found, reason } = await find({ baseInputs: inputs("a") });
    expect(found).toEqual(["run_1", 2]);
    expect(reason).toContain("same inputs");
    expect(routes().length).toBeLessThanOrEqual(8);
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
    [
      "a repository_dispatch, whose payload anyone with a token chooses",
      { listed: { event: "repository_dispatch" } },
    ],
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
      "a run whose verdict was error",
      { run: { gate: { verdict: "error", reasons: [], rules: [] } } },
      "its verdict was error",
    ],
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
    expect(alone).toMatchObject({
      found: "none",
      reason: expect.stringContaining(why),
      // A baseline was there: nobody knows what it would have said.
      remedy: expect.stringContaining('"Run workflow" on the Actions tab'),
    });
    pushed(2, "old");
    expect((await find()).found).toEqual(["run_2", 2]);
  });
});

describe("there is none, and it is said why", () => {
  it("where nothing was ever pushed", async () => {
    const { reason, remedy, warnings } = await find();
    expect(reason).toContain("has no completed push, schedule, merge queue or workflow_dispatch");
    expect(reason).toContain('"Run workflow"');
    expect(remedy).toBeUndefined();
    expect(warnings).toBe("");
  });

  it("where it is too old: a run of the base branch makes a new one", async () => {
    pushed(1, "base");
    const { reason, remedy } = await find({ maxAgeDays: 9 });
    expect(reason).toContain("10 days old, and max_age_days is 9");
    expect(remedy).toContain('"Run workflow"');
    expect((await find({ maxAgeDays: 10 })).found).toEqual(["run_1", 0]);
  });

  const called = [
    "GET /repos/{owner}/{repo}/commits",
    "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs",
    "GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts",
    "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
  ];
  const faults: readonly FaultKind[] = [
    401,
    403,
    404,
    410,
    422,
    429,
    "primary",
    502,
    "reset",
    "garbage",
  ];
  itSome(called.flatMap((route) => faults.map((as) => [route, as] as const)))(
    "where %s answers %s",
    async (route, as) => {
      pushed(1, "base");
      server.rest.faults.add({ route, as, times: 99 });
      try {
        const { found, remedy, warnings } = await find();
        expect(found).toBe("none");
        expect(warnings).not.toBe("");
        // There may be one: what needs it is inconclusive, and this says the way out.
        expect(remedy).toMatch(
          /^(Give the (job the permission|input `token`)|Run this job again|Start a run of)/,
        );
      } finally {
        server.rest.faults.clear();
      }
    },
  );

  it("where the mark of equal inputs can't be looked for: the nearest run is taken, and else it is told", async () => {
    const route = "GET /repos/{owner}/{repo}/actions/artifacts";
    pushed(1, "old", { archive: { expired: true } });
    server.rest.faults.add({ route, as: 502, times: 99 });
    try {
      const unread = await find({ baseInputs: inputs("a") });
      expect(unread).toMatchObject({ found: "none", remedy: "Run this job again." });
      pushed(2, "old");
      expect((await find({ baseInputs: inputs("a") })).found).toEqual(["run_2", 2]);
    } finally {
      server.rest.faults.clear();
    }
  });

  it.each<readonly [string, boolean | undefined, boolean]>([
    ["a suite that the base has: its run left nothing, so something is wrong", true, true],
    ["a suite that is new: no run can have left anything", false, false],
    ["a push, where nobody looked into the tree before it", undefined, false],
  ])("for %s", async (_, isInBase, isUnread) => {
    pushed(1, "base", { archive: { name: "regrade-other-scores" } });
    const { found, reason, remedy } = await find({ ...(isInBase !== undefined && { isInBase }) });
    expect(found).toBe("none");
    expect(reason).toContain("it left no scores of qa");
    expect(remedy !== undefined).toBe(isUnread);
  });

  it.each<readonly [string, boolean | undefined, boolean]>([
    ["cancelled", true, true],
    ["timed_out", undefined, true],
    ["startup_failure", undefined, true],
    ["cancelled", false, false],
    ["skipped", true, false],
  ])("where the base's only run was %s, and it has the suite: %s", async (...row) => {
    const [conclusion, isInBase, isUnread] = row;
    pushed(1, "base", { listed: { conclusion } });
    const { found, remedy } = await find({ ...(isInBase !== undefined && { isInBase }) });
    expect(found).toBe("none");
    expect(remedy !== undefined).toBe(isUnread);
  });

  it("where the list of runs ends before the base: it may have had one", async () => {
    for (let id = 100; id < 200; id += 1) pushed(id, `later ${id}`, { archive: { expired: true } });
    expect(await find({ isInBase: true })).toMatchObject({
      found: "none",
      remedy: "Bring the branch up to date with its base, then run this job again.",
    });
  });

  it("for one suite, whatever became of another one's artifact", async () => {
    pushed(1, "base");
    server.rest.state.archives.push({
      id: 99,
      name: "regrade-broken-scores",
      run: 1,
      zip: Buffer.from("nothing"),
    });
    const { finder } = await open();
    const asked = {
      ...qa,
      maxAgeDays: undefined,
      baseInputs: async () => undefined,
      isInBase: false,
    };
    const broken = await finder.find({ ...asked, suite: "broken" });
    expect(broken).toMatchObject({ kind: "none", remedy: expect.any(String) });
    const fresh = await finder.find({ ...asked, suite: "new" });
    expect(fresh).toMatchObject({ kind: "none", remedy: undefined });
  });
});

describe("a run that somebody started by hand", () => {
  it("on the base branch is a baseline", async () => {
    pushed(1, "base", { listed: { event: "workflow_dispatch" } });
    expect((await find()).found).toEqual(["run_1", 0]);
  });

  it.each<readonly [string, Partial<WorkflowRun>]>([
    ["on another branch", { head_branch: "feature" }],
    ["of a commit that never was the branch's tip", { head_sha: sha("elsewhere") }],
  ])("%s is none", async (_, listed) => {
    pushed(1, "base", { listed: { event: "workflow_dispatch", ...listed } });
    expect((await find()).found).toBe("none");
  });
});

describe("runs with equal inputs", () => {
  it("stand for each other, the newest trusted one", async () => {
    pushed(1, "old", { run: { input_hash: inputs("a") } });
    pushed(2, "older tip", { run: { input_hash: inputs("b") } });
    const { finder } = await open();
    expect(await finder.findEqual(qa, inputs("a"))).toMatchObject({
      kind: "found",
      stored: { run: { id: "run_1" } },
    });
    expect(await finder.findEqual(qa, inputs("c"))).toMatchObject({ kind: "none" });
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
    const { finder } = await open();
    expect(await finder.findEqual(qa, inputs("a"))).toMatchObject({ kind: "none" });
  });

  it("are pooled, the newest first, each once", async () => {
    const run = { input_hash: inputs("a") };
    pushed(1, "old", { run });
    pushed(2, "older tip", { run });
    pushed(3, "base", {
      run: { ...run, id: "run_1", stands_in: { for_sha: sha("base"), source: "" } },
    });
    const { finder } = await open();
    const asked = { ...qa, inputHash: inputs("a") };
    const { directories: pooled } = await finder.findPooled({ ...asked, most: 5 });
    const ids = await Promise.all(pooled.map(async (each) => (await readRun(each)).run.id));
    expect(ids).toEqual(["run_1", "run_2"]);
    expect((await finder.findPooled({ ...asked, most: 1 })).directories).toHaveLength(1);
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
  const { finder } = await open();
  const found = await finder.find({
    ...qa,
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

const keyOf = (parts: Partial<RunKey> = {}): RunKey => ({
  path: qa.path,
  job: "evals",
  leg: "",
  ...parts,
});

/** A push whose scores have a key. */
function keyed(id: number, at: string, key: RunKey): void {
  const name = scoresArtifactName("qa", key);
  pushed(id, at, { run: { key }, archive: { name } });
}

describe("scores without a key", () => {
  it.each<readonly [string, boolean, unknown]>([
    ["of a manifest that is still there are another suite's", false, "none"],
    ["of a manifest that is gone are this suite's", true, ["run_1", 0]],
  ])("%s", async (_, gone, expected) => {
    pushed(1, "base", { run: { suite: { ...named.suite, path: "b/evals/qa.yaml" } } });
    const { finder } = await open();
    const asked = { ...qa, maxAgeDays: undefined, baseInputs: async () => undefined };
    const found = await finder.find({ ...asked, isGone: async () => gone });
    expect(found.kind === "none" ? "none" : [found.stored.run.id, found.distance]).toEqual(
      expected,
    );
    if (found.kind === "none") expect(found.remedy).toContain("a name of its own");
  });
});

describe("scores with a key", () => {
  it("are found though the run left more artifacts than a page of the list holds", async () => {
    keyed(1, "base", keyOf());
    for (let id = 5000; id < 5250; id += 1)
      server.rest.state.archives.push({ id, name: `log-${id}`, run: 1, zip: Buffer.from("x") });
    expect((await find()).found).toEqual(["run_1", 0]);
    expect(routes()).toHaveLength(6);
  });

  it("are not those of a forged name", async () => {
    const name = scoresArtifactName("qa", keyOf());
    pushed(1, "base", { run: { key: keyOf({ path: "b.yaml" }) }, archive: { name } });
    expect(await find()).toMatchObject({
      found: "none",
      reason: expect.stringContaining("another one than its name says"),
      remedy: expect.any(String),
    });
  });

  it("of one's own job in an older run go before another job's in the newest", async () => {
    keyed(1, "old", keyOf());
    keyed(2, "base", keyOf({ job: "other" }));
    expect((await find()).found).toEqual(["run_1", 2]);
  });

  it("of another job are not taken where a list failed: it may have had one's own", async () => {
    keyed(1, "base", keyOf({ job: "other" }));
    const route = "GET /repos/{owner}/{repo}/actions/artifacts";
    server.rest.faults.add({ route, as: 502, times: 99 });
    try {
      const found = await find({ baseInputs: inputs("a") });
      expect(found).toMatchObject({ found: "none", remedy: "Run this job again." });
    } finally {
      server.rest.faults.clear();
    }
  });

  it("of several legs are no pool for a new one: it is said", async () => {
    const run = { input_hash: inputs("a") };
    const key = keyOf({ leg: "x" });
    pushed(1, "base", { run: { ...run, key }, archive: { name: scoresArtifactName("qa", key) } });
    const { finder } = await open({ leg: "y" });
    const pooled = await finder.findPooled({ ...qa, inputHash: inputs("a"), most: 5 });
    expect(pooled).toMatchObject({
      directories: [],
      reason: expect.stringContaining("for other legs"),
      remedy: expect.stringContaining("`leg`"),
    });
  });
});

describe("where this workflow has no run on the base branch", () => {
  const other = ".github/workflows/old.yml";
  /** What every run of the suite leaves, whatever workflow it is of. */
  function ranElsewhere(listed: Partial<WorkflowRun> = {}): void {
    const name = scoresArtifactName("qa", keyOf());
    const left = { run: { key: keyOf(), input_hash: inputs("a") }, archive: { name } };
    pushed(1, "base", { ...left, listed: { path: other, ...listed } });
    const zip = makeZip([]);
    server.rest.state.archives.push({ id: 3, name: "regrade-qa", run: 1, zip });
  }

  it("another workflow's is taken", async () => {
    ranElsewhere();
    expect(await find()).toMatchObject({
      found: ["run_1", 0],
      reason: expect.stringContaining(`of ${other}, as ${path} has left none there`),
    });
    expect(server.rest.violations).toEqual([]);
  });

  it("another workflow's is taken where GitHub does not know this one yet; it is not known that there is none", async () => {
    const route = "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs";
    server.rest.faults.add({ route, as: 404, times: 99 });
    try {
      expect(await find()).toMatchObject({ found: "none", remedy: expect.any(String) });
      ranElsewhere();
      expect((await find()).found).toEqual(["run_1", 0]);
    } finally {
      server.rest.faults.clear();
    }
  });

  it.each([
    ["more runs than are looked into", 5, 1],
    ["more pages than are read", 1, 301],
  ])("it is not known that there is none where a name has %s", async (_, runs, artifacts) => {
    const { archives } = server.rest.state;
    for (let id = 10; id < 10 + runs; id += 1) {
      pushed(id, "base", { listed: { path: other, event: "pull_request" } });
      for (let i = 0; i < artifacts; i += 1)
        archives.push({ id: id * 1000 + i, name: "regrade-qa", run: id, zip: Buffer.from("x") });
    }
    // Of those of many pages none is on the base branch.
    if (artifacts > 1)
      for (const run of server.rest.state.runs) Object.assign(run, { head_sha: sha("other") });
    expect(await find()).toMatchObject({
      found: "none",
      reason: expect.stringContaining("too many runs have an artifact of its name"),
      remedy: expect.stringContaining("Start a run of"),
    });
  });

  it("a pool is made of another workflow's, and a list that fails is told", async () => {
    ranElsewhere();
    const asked = { ...qa, inputHash: inputs("a"), most: 5 };
    const { finder } = await open();
    expect((await finder.findPooled(asked)).directories).toHaveLength(1);
    const route = "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs";
    server.rest.faults.add({ route, as: 502, times: 99 });
    try {
      const failed = await open();
      const inputHash = inputs("c");
      expect(await failed.finder.findPooled({ ...asked, inputHash })).toMatchObject({
        directories: [],
        remedy: "Run this job again.",
      });
    } finally {
      server.rest.faults.clear();
    }
  });

  it.each<readonly [string, Partial<WorkflowRun>]>([
    ["a fork's", { head_repository: { id: 2, full_name: "stranger/app" } }],
    ["a pull request's", { event: "pull_request" }],
    ["one that handles a stranger's data", { event: "workflow_run" }],
    ["one of another branch", { head_branch: "feature" }],
    ["one that is not done", { status: "in_progress", conclusion: null }],
  ])("%s is not", async (_, listed) => {
    ranElsewhere(listed);
    expect(await find()).toMatchObject({ found: "none", remedy: undefined });
  });

  it.each([
    ["GET /repos/{owner}/{repo}/actions/artifacts"],
    ["GET /repos/{owner}/{repo}/actions/runs/{run_id}"],
    ["GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts"],
  ])("it is not known that there is none where %s fails", async (route) => {
    ranElsewhere();
    server.rest.faults.add({ route, as: 502, times: 99 });
    try {
      expect(await find()).toMatchObject({ found: "none", remedy: "Run this job again." });
    } finally {
      server.rest.faults.clear();
    }
  });
});
