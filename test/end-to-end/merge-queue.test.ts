import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { mergeGroup, pullNumber, shas } from "../support/github/events.ts";
import { runAction, type ActionEnd, type ActionEvent } from "../support/github/run-action.ts";
import { startGitHub, type GitHub } from "../support/github/server.ts";
import type { Commit, Pull } from "../support/github/state.ts";
import { suiteFiles, type SuiteParts } from "../support/suite-files.ts";

/** A merge queue's group that fails: GitHub drops its pull requests without a word. dist/main.mjs against the stand-in. */

const own = { id: 1, full_name: "owner/app" };
const pull = (number: number, more: Partial<Pull> = {}): Pull => ({
  number,
  state: "open",
  head: { sha: shas.head, ref: "feature", repo: own },
  base: { sha: shas.base, ref: "main" },
  ...more,
});

const broken: SuiteParts = { answer: () => "wrong" };

interface Queued {
  readonly parts?: SuiteParts;
  readonly files?: Readonly<Record<string, string>>;
  readonly pulls?: readonly Pull[];
  /** The group's own, the newest first, in the place of a squashed one. */
  readonly commits?: readonly Commit[];
  readonly event?: (event: ActionEvent) => ActionEvent;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly prepare?: (github: GitHub) => void;
}

interface Told {
  readonly end: ActionEnd;
  readonly github: GitHub;
  /** Number and text of each comment. */
  readonly comments: readonly (readonly [number, string])[];
}

async function queue({
  parts = broken,
  files,
  pulls = [pull(pullNumber)],
  ...more
}: Queued): Promise<Told> {
  await using github = await startGitHub();
  const { state } = github.rest;
  const event = mergeGroup(state);
  state.pulls.push(...pulls);
  const { commits = [], prepare, inputs = {} } = more;
  for (const one of commits) {
    const known = state.commits.findIndex(({ sha }) => sha === one.sha);
    if (known >= 0) state.commits.splice(known, 1);
    state.commits.push(one);
  }
  prepare?.(github);
  await using fixture = await createFixture({ ...suiteFiles(parts), ...files });
  const end = await runAction({
    workspace: fixture.path,
    github,
    // What judges is another matter than what is told.
    inputs: { "policy-from": "none", ...inputs },
    event: more.event?.(event) ?? event,
  });
  const comments = state.comments.map(({ issue, body }) => [issue, body] as const);
  return { end, github, comments };
}

describe("a group that fails", () => {
  it("is told on the pull request that the queue drops, with the reason, the run and the way back", async () => {
    const { end, comments } = await queue({});
    expect(end.code, end.stdout).toBe(1);
    expect(comments.map(([number]) => number)).toEqual([pullNumber]);
    const [, body = ""] = comments[0] ?? [];
    expect(body).toContain("The run of the merge queue failed");
    expect(body).toContain(`/commit/${shas.group}`);
    expect(body).toContain("/actions/runs/");
    expect(body).toContain("put it into the queue again");
    expect(body).toContain("exact_match");
    expect(end.outputs["comment-url"]).toContain("http");
  });

  it("is told once for each run, and the workflow's own comment stays as it is", async () => {
    const { comments } = await queue({});
    expect(comments[0]?.[1]).not.toContain("regrade:comment/1");
  });

  it("is told to every pull request of the group", async () => {
    const [one, two] = ["1".repeat(40), "2".repeat(40)];
    const { comments } = await queue({
      pulls: [
        pull(8, { head: { sha: one, ref: "one", repo: own } }),
        pull(pullNumber, { head: { sha: two, ref: "two", repo: own } }),
      ],
      commits: [
        { sha: shas.group, parents: ["e".repeat(40), two] },
        { sha: "e".repeat(40), parents: [shas.base, one] },
        { sha: one, parents: [shas.base] },
        { sha: two, parents: [shas.base] },
      ],
    });
    expect(comments.map(([number]) => number).toSorted((a, b) => a - b)).toEqual([pullNumber, 8]);
  });

  it("is told where the manifest itself can't be read", async () => {
    const { end, comments } = await queue({ files: { "evals/qa.yaml": "name: [" } });
    expect(end.code).toBe(2);
    expect(comments.map(([number]) => number)).toEqual([pullNumber]);
    expect(comments[0]?.[1]).toContain("evals/qa.yaml");
  });

  it("is told where there is no suite to begin with", async () => {
    const { end, comments } = await queue({ inputs: { suite: "evals/gone.yaml" } });
    expect(end.code).toBe(2);
    expect(comments[0]?.[1]).toContain("evals/gone.yaml");
  });
});

const renamed =
  (ref: string) =>
  (event: ActionEvent): ActionEvent => ({ ...event, env: { ...event.env, GITHUB_REF: ref } });

describe("nobody is told", () => {
  const other = "9".repeat(40);
  it.each<readonly [string, Queued, number]>([
    ["of a group that passes", { parts: {} }, 0],
    ["where no comments are wanted", { inputs: { comment: "never" } }, 1],
    ["where a failing verdict fails nothing", { inputs: { "fail-on": "never" } }, 0],
    ["where the pull request is closed", { pulls: [pull(pullNumber, { state: "closed" })] }, 1],
    [
      "where the pull request is for another branch",
      { pulls: [pull(pullNumber, { base: { sha: shas.base, ref: "next" } })] },
      1,
    ],
    ["where there is no such pull request", { pulls: [pull(8)] }, 1],
    [
      "where the group has another commit than the pull request's head",
      { commits: [{ sha: shas.group, parents: [shas.base, other] }] },
      1,
    ],
    [
      "where the branch's name ends in another commit than it stands on",
      { event: renamed(`refs/heads/gh-readonly-queue/main/pr-7-${other}`) },
      1,
    ],
    [
      "where the branch is named otherwise",
      { event: renamed(`refs/heads/gh-readonly-queue/main/pr-7x-${shas.base}`) },
      1,
    ],
    [
      "of a branch that somebody pushed under a name like the queue's",
      { event: (event) => ({ ...event, name: "push" }) },
      1,
    ],
  ])("%s", async (_, queued, code) => {
    const { end, comments } = await queue(queued);
    expect(end.code, end.stdout).toBe(code);
    expect(comments).toEqual([]);
  });
});

describe("a comment that can't be written", () => {
  const route = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
  const prepared: readonly (readonly [string, (github: GitHub) => void, string])[] = [
    [
      "without the permission",
      ({ rest }) => {
        rest.state.token.permissions["pull-requests"] = "read";
      },
      "pull-requests: write",
    ],
    ["after a 502, which may hide one", ({ rest }) => rest.faults.add({ route, as: 502 }), "502"],
  ];
  it.each(prepared)("is a warning, and the verdict stands: %s", async (_, prepare, told) => {
    const { end, comments, github } = await queue({ prepare });
    expect(end.code).toBe(1);
    expect(comments).toEqual([]);
    const warnings = end.commands.filter(({ name }) => name === "warning");
    expect(JSON.stringify(warnings)).toContain(told);
    expect(github.rest.calls.filter((call) => call.route === route)).toHaveLength(1);
  });
});
