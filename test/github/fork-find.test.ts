import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { readContext } from "../../src/github/runner/context.ts";
import { findForeignRun } from "../../src/github/artifacts/fork-find.ts";
import {
  matchPulls,
  notReported,
  type PullFacts,
  type RunFacts,
} from "../../src/github/artifacts/fork-run.ts";
import { openGitHub } from "../../src/github/api/github.ts";
import type { FaultKind } from "../support/github/faults.ts";
import { paced } from "../support/github/pace.ts";
import { startGitHub } from "../support/github/server.ts";
import { createState } from "../support/github/state.ts";

const run: RunFacts = {
  id: 300,
  event: "pull_request",
  conclusion: "success",
  headSha: "head",
  headBranch: "main",
  path: ".github/workflows/evals.yml",
  actor: "stranger",
  repositoryId: 1,
  head: { id: 2, name: "stranger/app", owner: "stranger" },
};

describe("a run is reported on", () => {
  it.each<readonly [string, Partial<RunFacts>]>([
    ["of a fork", {}],
    ["whose gate failed", { conclusion: "failure" }],
    [
      "of Dependabot",
      { head: { id: 1, name: "owner/app", owner: "owner" }, actor: "dependabot[bot]" },
    ],
  ])("%s", (_, more) => expect(notReported({ ...run, ...more })).toBeUndefined());
});

describe("a run is not", () => {
  it.each<readonly [string, Partial<RunFacts>, string]>([
    ["of a push", { event: "push" }, "the event push"],
    ["of pull_request_target", { event: "pull_request_target" }, "pull_request_target"],
    ["that was cancelled", { conclusion: "cancelled" }, "cancelled"],
    ["that has not ended", { conclusion: null }, "nothing"],
    ["of a fork that is gone", { head: undefined }, "gone"],
    [
      "of the repository's own branch",
      { head: { id: 1, name: "owner/app", owner: "owner" } },
      "own branch",
    ],
    ["of a file elsewhere", { path: ".github/workflows/../../evil.yml" }, "no workflow"],
    ["of a dynamic workflow", { path: "dynamic/pages/build" }, "no workflow"],
  ])("%s", (_, more, words) => expect(notReported({ ...run, ...more })).toContain(words));
});

const pull: PullFacts = {
  number: 7,
  state: "open",
  headSha: "head",
  headRef: "main",
  headRepo: "stranger/app",
  headRepoId: 2,
  baseSha: "base",
  baseRef: "main",
  baseRepoId: 1,
  author: "stranger",
};

describe("the pull requests of a run", () => {
  it("are all that stand at its commit, of its repository, to this one", () => {
    const other = { ...pull, number: 8, baseRef: "next" };
    expect(matchPulls([pull, other], run).map(({ number }) => number)).toEqual([7, 8]);
  });

  it.each<readonly [string, Partial<PullFacts>]>([
    ["at another commit", { headSha: "newer" }],
    ["of another fork with the same branch", { headRepoId: 3 }],
    ["of a fork that is gone", { headRepoId: undefined }],
    ["to another repository", { baseRepoId: 9 }],
    ["that is closed", { state: "closed" }],
  ])("are not one %s", (_, more) => expect(matchPulls([{ ...pull, ...more }], run)).toEqual([]));
});

const server = await startGitHub();
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => Object.assign(server.rest.state, createState()));

describe("a call that fails is no report, and no green one", () => {
  const called = [
    "GET /repos/{owner}/{repo}/actions/runs/{run_id}",
    "GET /repos/{owner}/{repo}/pulls",
  ];
  const faults: readonly FaultKind[] = [403, 404, 422, "primary"];

  it.each(called.flatMap((route) => faults.map((as) => [route, as] as const)))(
    "%s: %s",
    async (route, as) => {
      const { state, faults: trouble } = server.rest;
      const fork = { id: 2, full_name: "stranger/app" };
      const { path } = run;
      const known = { id: 300, event: "pull_request", conclusion: "success", path };
      state.runs.push({ ...known, head_branch: "main", head_sha: "head", head_repository: fork });
      const env = { GITHUB_API_URL: server.url, GITHUB_REPOSITORY: "owner/app" };
      const github = await openGitHub({
        env: { ...env, ...paced },
        token: "ghs_x",
        repository: { owner: "owner", repo: "app" },
        signal: new AbortController().signal,
        warn: () => undefined,
      });
      const context = readContext(env, { workflow_run: { id: 300, head_sha: "head" } });
      trouble.add({ route, as, times: 99 });
      const found = await findForeignRun(context, github);
      trouble.clear();
      expect(found.kind).toBe("failed");
      // With the pull request gone meanwhile, and GitHub well: nothing to report.
      const again = await findForeignRun(context, github);
      expect(again).toMatchObject({ kind: "done", value: { kind: "nothing" } });
    },
  );
});
