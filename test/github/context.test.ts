import { describe, expect, it } from "vitest";
import { readContext } from "../../src/github/runner/context.ts";
import { mergeGroup, onBranch, pullRequest, push, shas } from "../support/github/events.ts";
import { createState } from "../support/github/state.ts";

const env = {
  GITHUB_REPOSITORY: "owner/app",
  GITHUB_SERVER_URL: "https://github.example.org",
  GITHUB_WORKFLOW: "Evals",
  GITHUB_JOB: "evals",
};

function contextOf({ name, payload, env: more }: ReturnType<typeof push>) {
  return readContext({ ...env, ...more, GITHUB_EVENT_NAME: name }, payload);
}

describe("readContext", () => {
  it("knows a pull request, and that its check belongs on its head, not on the merge commit", () => {
    const context = contextOf(
      pullRequest(createState(), "same repository", { labels: ["eval-ok"] }),
    );
    expect(context).toMatchObject({
      event: "pull_request",
      repository: { owner: "owner", repo: "app", id: 1 },
      pull: {
        number: 7,
        headSha: shas.head,
        baseSha: shas.base,
        baseRef: "main",
        headRepo: "owner/app",
        isFork: false,
        labels: ["eval-ok"],
      },
      sha: shas.merge,
      checkSha: shas.head,
      defaultBranch: "main",
      workflow: { name: "Evals", path: ".github/workflows/evals.yml" },
      runId: "77",
      attempt: 1,
      isDependabot: false,
      runUrl: "https://github.example.org/owner/app/actions/runs/77",
    });
  });

  it.each(["fork", "dependabot"] as const)("knows a %s's pull request", (author) => {
    const { pull, isDependabot } = contextOf(pullRequest(createState(), author));
    expect({ isFork: pull?.isFork, isDependabot }).toEqual({
      isFork: author === "fork",
      isDependabot: author === "dependabot",
    });
  });

  it("takes a pull request for a fork's where the fork is gone, or nothing says otherwise", () => {
    const event = pullRequest(createState());
    const { pull_request: pull } = event.payload as {
      pull_request: { head: object; base: object };
    };
    const gone = { pull_request: { ...pull, head: { ...pull.head, repo: null } } };
    expect(readContext(env, gone).pull).toMatchObject({ isFork: true, headRepo: undefined });
    const bare = { ...pull, head: { ...pull.head, repo: {} }, base: { ...pull.base, repo: {} } };
    expect(readContext(env, { pull_request: bare }).pull?.isFork).toBe(true);
  });

  it("knows the other events", () => {
    const state = createState();
    expect(contextOf(mergeGroup(state))).toMatchObject({
      mergeGroup: { headSha: shas.group, baseSha: shas.base, baseRef: "main" },
      checkSha: shas.group,
    });
    expect(contextOf(push(state, { before: "9".repeat(40) }))).toMatchObject({
      before: "9".repeat(40),
      checkSha: shas.base,
    });
    expect(contextOf(push(state)).before).toBeUndefined();
    for (const name of ["schedule", "workflow_dispatch"] as const)
      expect(contextOf(onBranch(name, state))).toMatchObject({ event: name, checkSha: shas.base });
  });

  it("knows the run that a workflow_run event is about", () => {
    const workflow_run = { id: 4711, head_sha: shas.head };
    const context = readContext({ ...env, GITHUB_SHA: shas.base }, { workflow_run });
    expect(context).toMatchObject({
      upstream: { runId: "4711", headSha: shas.head },
      checkSha: shas.head,
    });
  });

  it.each([[{}], [null], ["text"], [{ pull_request: 7, merge_group: [], workflow_run: "x" }]])(
    "makes nothing of a payload that is none: %j",
    (payload) => {
      const context = readContext({}, payload);
      expect(context).toMatchObject({ runId: "", attempt: 1, event: "" });
      expect([context.pull, context.mergeGroup, context.upstream, context.repository]).toEqual(
        Array.from({ length: 4 }),
      );
    },
  );

  it("reads the workflow's path where a branch is called like a version", () => {
    const ref = "owner/app/.github/workflows/evals.yml@refs/heads/v1@next";
    const { workflow } = readContext({ ...env, GITHUB_WORKFLOW_REF: ref }, {});
    expect(workflow.path).toBe(".github/workflows/evals.yml");
  });
});
