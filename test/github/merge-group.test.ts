import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openApprovals } from "../../src/github/api/approvals.ts";
import { putLabel } from "../support/github/labels.ts";
import { recordPush } from "../support/github/project.ts";
import { readContext } from "../../src/github/runner/context.ts";
import { openGitHub } from "../../src/github/api/github.ts";
import { groupCommits } from "../../src/github/api/commits.ts";
import { queuedPull } from "../../src/github/runner/events.ts";
import type { FaultKind } from "../support/github/faults.ts";
import { paced } from "../support/github/pace.ts";
import { startGitHub } from "../support/github/server.ts";
import { createState, type Commit, type Pull } from "../support/github/state.ts";

describe("a merge queue's pull request", () => {
  it.each([
    ["refs/heads/gh-readonly-queue/main/pr-7-0a1b", "main", 7],
    ["refs/heads/gh-readonly-queue/release/v1/pr-12-0a1b", "release/v1", 12],
    ["refs/heads/gh-readonly-queue/main/pr-7-0a1b", "next", undefined],
    ["refs/heads/gh-readonly-queue/main/pr-x-0a1b", "main", undefined],
    ["refs/heads/main", "main", undefined],
  ])("%s on %s: %s", (ref, base, number) => expect(queuedPull(ref, base)).toBe(number));
});

const commit = (sha: string, ...parents: readonly string[]): Commit => ({ sha, parents });

describe("what a group puts on its base", () => {
  const list = [commit("g2", "g1", "b2"), commit("g1", "base", "a1"), commit("a1", "old")];
  it("is the row of its first parents, down to the base", () => {
    const found = groupCommits(list, { baseSha: "base", headSha: "g2" });
    expect(found?.map(({ sha }) => sha)).toEqual(["g2", "g1"]);
  });
  it("is unknown where the list does not go back so far", () => {
    expect(groupCommits(list.slice(0, 1), { baseSha: "base", headSha: "g2" })).toBeUndefined();
    expect(groupCommits([], { baseSha: "base", headSha: "base" })).toBeUndefined();
  });
});

const server = await startGitHub();
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  Object.assign(server.rest.state, createState());
  server.rest.calls.length = 0;
  server.rest.violations.length = 0;
});

const own = { id: 1, full_name: "owner/app" };
const pull = (number: number, more: Partial<Pull> = {}): Pull => ({
  number,
  state: "open",
  head: { sha: `head${number}`, ref: `branch${number}`, repo: own },
  base: { sha: "base", ref: "main" },
  ...more,
});

/** Pull request `number`, whose head's first run began at 12:10. */
function queue(number: number, more: Partial<Pull> = {}): void {
  const { state } = server.rest;
  state.pulls.push(pull(number, more));
  state.commits.push(commit(`head${number}`, "base"));
  state.runs.push({
    id: number,
    event: "pull_request",
    conclusion: "success",
    head_branch: `branch${number}`,
    head_sha: `head${number}`,
    path: ".github/workflows/evals.yml",
    created_at: "2026-11-20T12:10:00Z",
  });
  recordPush(state, `branch${number}`, { after: `head${number}`, by: "someone" });
}

function label(number: number, by: string): void {
  const { state } = server.rest;
  state.collaborators.set(by, "write");
  putLabel(state, number, { label: "ok", minute: 10 + number, by });
}

/** What labels let a group pass, whose branch is named after pull request 2. */
async function asked(...commits: readonly Commit[]): Promise<readonly [unknown, string]> {
  const { state } = server.rest;
  state.commits.push(commit("base"), ...commits);
  const notes: string[] = [];
  const merge_group = { head_sha: commits[0]?.sha, base_sha: "base", base_ref: "refs/heads/main" };
  const env = {
    GITHUB_API_URL: server.url,
    GITHUB_REPOSITORY: "owner/app",
    GITHUB_EVENT_NAME: "merge_group",
    GITHUB_REF: "refs/heads/gh-readonly-queue/main/pr-2-0a1b",
  };
  const find = openApprovals({
    context: readContext(env, { merge_group }),
    workflowPath: ".github/workflows/evals.yml",
    github: () =>
      openGitHub({
        env: { ...env, ...paced },
        token: "ghs_x",
        repository: { owner: "owner", repo: "app" },
        signal: new AbortController().signal,
        warn: () => undefined,
      }),
    warn: ({ message }) => notes.push(message),
    note: (text) => notes.push(text),
  });
  const { policy } = await find({ policy: "ok", loss: undefined, approvers: "others" });
  expect(server.rest.violations).toEqual([]);
  return [policy, notes.join("\n")];
}

const merges = [commit("g2", "g1", "head2"), commit("g1", "base", "head1")];

describe("a label in a merge queue", () => {
  it("is that of the pull request which the group puts on its base", async () => {
    queue(2);
    label(2, "ann");
    expect(await asked(commit("g2", "base", "head2"))).toMatchObject([{ by: "ann" }, ""]);
  });

  it("is that of one whose commits the queue puts there one by one", async () => {
    queue(2, { commits: 2 });
    label(2, "ann");
    expect(await asked(commit("g2", "g1"), commit("g1", "base"))).toMatchObject([
      { by: "ann" },
      "",
    ]);
  });

  it("is asked of every pull request of a group", async () => {
    queue(1);
    queue(2);
    label(1, "bea");
    label(2, "ann");
    expect(await asked(...merges)).toMatchObject([
      { label: "ok", by: "ann, bea", at: "2026-11-20T12:12:00Z" },
      "",
    ]);
  });

  it("does not count for the one beside it that has none", async () => {
    queue(1);
    queue(2);
    label(2, "ann");
    const [policy, notes] = await asked(...merges);
    expect(policy).toBeNull();
    expect(notes).toBe("#1, one of a group: The label 'ok' is not on the pull request.");
  });

  it.each<readonly [string, readonly Commit[], Partial<Pull>]>([
    ["squashed to a commit each", [commit("g2", "g1"), commit("g1", "base")], {}],
    ["merged from elsewhere", [commit("g2", "g1", "head2"), commit("g1", "base", "zz")], {}],
    ["for another branch", merges, { base: { sha: "base", ref: "next" } }],
  ])("does not count where the group can't be told apart: %s", async (_, commits, more) => {
    queue(2, more);
    label(2, "ann");
    const [policy, notes] = await asked(...commits);
    expect(policy).toBeNull();
    expect(notes).toContain("No label counts for this group of the merge queue");
  });
});

describe("a call that fails approves nothing, and it is said", () => {
  const called = [
    "GET /repos/{owner}/{repo}/pulls/{pull_number}",
    "GET /repos/{owner}/{repo}/commits/{ref}",
    "GET /repos/{owner}/{repo}/compare/{basehead}",
    "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls",
    "GET /repos/{owner}/{repo}/issues/{issue_number}/timeline",
    "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs",
    "GET /repos/{owner}/{repo}/collaborators/{username}/permission",
  ];
  const faults: readonly FaultKind[] = [403, 404, 422, "primary"];

  it.each(called.flatMap((route) => faults.map((as) => [route, as] as const)))(
    "%s: %s",
    async (route, as) => {
      queue(1);
      queue(2);
      label(1, "bea");
      label(2, "ann");
      server.rest.faults.add({ route, as, times: 99 });
      try {
        const [policy, notes] = await asked(...merges);
        expect(policy).toBeNull();
        expect(notes).toContain("whether a label approves this change is not known");
      } finally {
        server.rest.faults.clear();
      }
      expect(server.rest.calls.map((call) => call.route)).toContain(route);
    },
  );
});
