import { firstParents } from "../../src/github/api/commits.ts";
import { describe, expect, it } from "vitest";
import {
  chooseArtifact,
  chooseRuns,
  distrust,
  type ArtifactFacts,
  type TrustedHistory,
  type WorkflowRun,
} from "../../src/github/baseline/choose.ts";

const history: TrustedHistory = {
  workflowPath: ".github/workflows/evals.yml",
  branches: ["main"],
  chain: ["base", "older", "oldest"],
  ownRunId: "99",
};

function run(parts: Partial<WorkflowRun> = {}): WorkflowRun {
  return {
    id: 1,
    event: "push",
    status: "completed",
    conclusion: "success",
    headBranch: "main",
    headSha: "base",
    path: ".github/workflows/evals.yml",
    repositoryId: 7,
    headRepositoryId: 7,
    ...parts,
  };
}

describe("a run is a baseline", () => {
  it.each<readonly [string, Partial<WorkflowRun>]>([
    ["a push to the base branch", {}],
    [
      "one whose gate failed: what was failing before is not this change's",
      { conclusion: "failure" },
    ],
    ["a schedule", { event: "schedule" }],
    [
      "a merged group of the merge queue",
      { event: "merge_group", headBranch: "gh-readonly-queue/main/pr-3-abc" },
    ],
    ["a path with its ref", { path: ".github/workflows/evals.yml@refs/heads/main" }],
    ["an ancestor", { headSha: "oldest" }],
  ])("%s", (_, parts) => expect(distrust(run(parts), history)).toBeUndefined());
});

describe("a run is none, so that nobody can plant one", () => {
  it.each<readonly [string, Partial<WorkflowRun>, string]>([
    ["a fork's branch that is called main", { headRepositoryId: 8 }, "other_repository"],
    ["a fork that is gone", { headRepositoryId: undefined }, "other_repository"],
    [
      "a tag that is called main, on a commit that never was the branch's tip",
      { headSha: "merged" },
      "no_ancestor",
    ],
    [
      "a run of pull_request from the fork's main",
      { event: "pull_request", headRepositoryId: 8 },
      "other_event",
    ],
    [
      "pull_request_target, which carries the default branch's name",
      { event: "pull_request_target" },
      "other_event",
    ],
    ["workflow_run, which processes a stranger's data", { event: "workflow_run" }, "other_event"],
    ["issue_comment", { event: "issue_comment" }, "other_event"],
    [
      "repository_dispatch, whose payload anyone with a token chooses",
      { event: "repository_dispatch" },
      "other_event",
    ],
    ["another workflow's run", { path: ".github/workflows/evil.yml" }, "other_workflow"],
    ["a push to another branch", { headBranch: "feature" }, "other_branch"],
    [
      "a queue's group for another branch",
      { event: "merge_group", headBranch: "gh-readonly-queue/next/pr-3-abc" },
      "other_branch",
    ],
    [
      "a group's branch name without the event",
      { headBranch: "gh-readonly-queue/main/pr-3-abc" },
      "other_branch",
    ],
    ["a branch of no name", { headBranch: null }, "other_branch"],
    ["one in progress", { status: "in_progress", conclusion: null }, "not_completed"],
    ["one that was cancelled", { conclusion: "cancelled" }, "no_verdict"],
    ["one that timed out", { conclusion: "timed_out" }, "no_verdict"],
    ["this very run", { id: 99 }, "own_run"],
  ])("%s", (_, parts, why) => {
    expect(distrust(run(parts), history)).toBe(why);
    expect(chooseRuns([run(parts)], history)).toEqual([]);
  });
});

it("the nearest commit goes first, and of one commit the newest run, each once", () => {
  const runs = [
    run({ id: 5, headSha: "older" }),
    run({ id: 2 }),
    run({ id: 4, event: "schedule" }),
    run({ id: 2 }),
    run({ id: 6, headSha: "oldest" }),
  ];
  expect(chooseRuns(runs, history).map(({ id, distance }) => [id, distance])).toEqual([
    [4, 0],
    [2, 0],
    [5, 1],
    [6, 2],
  ]);
});

describe("the base branch as it was", () => {
  const commits = [
    { sha: "m2", parents: ["m1", "feature2"] },
    { sha: "feature2", parents: ["feature1"] },
    { sha: "feature1", parents: ["m0"] },
    { sha: "m1", parents: ["m0"] },
    { sha: "m0", parents: [] },
  ];
  it("leaves out what merges brought in", () => {
    expect(firstParents(commits, "m2")).toEqual(["m2", "m1", "m0"]);
  });
  it("goes as far as the list does", () => {
    expect(firstParents(commits.slice(0, 3), "m2")).toEqual(["m2", "m1"]);
    expect(firstParents([], "m2")).toEqual(["m2"]);
  });
  it("ends where a forged list would go round", () => {
    const ring = [
      { sha: "a", parents: ["b"] },
      { sha: "b", parents: ["a"] },
    ];
    expect(firstParents(ring, "a")).toEqual(["a", "b"]);
  });
});

const artifact = (parts: Partial<ArtifactFacts>): ArtifactFacts => ({
  id: 1,
  name: "regrade-qa-scores",
  bytes: 10,
  expired: false,
  digest: undefined,
  runId: 1,
  headSha: undefined,
  isOwn: true,
  ...parts,
});

describe("of a run's artifacts", () => {
  it("the latest attempt's is taken", () => {
    const all = [artifact({ id: 3 }), artifact({ id: 8 }), artifact({ id: 5 })];
    expect(chooseArtifact(all, "regrade-qa-scores")?.id).toBe(8);
  });
  it("an expired one and one of another name are not", () => {
    const all = [artifact({ id: 9, expired: true }), artifact({ id: 10, name: "regrade-qa" })];
    expect(chooseArtifact(all, "regrade-qa-scores")).toBeUndefined();
  });
});
