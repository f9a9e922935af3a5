import { describe, expect, it } from "vitest";
import { baseCommitOf, startOf } from "../../src/github/baseline/start.ts";
import { readContext } from "../../src/github/runner/context.ts";

const env = {
  GITHUB_REPOSITORY: "owner/app",
  GITHUB_SHA: "merge",
  GITHUB_REF: "refs/pull/7/merge",
};
const repository = { id: 1, default_branch: "main" };
const pull_request = {
  number: 7,
  head: { sha: "head", ref: "change", repo: { id: 1, full_name: "owner/app" } },
  base: { sha: "base", ref: "release", repo: { id: 1 } },
};

function start(event: string, payload: object, more: Record<string, string | undefined> = {}) {
  const { checkedOut, ...rest } = more;
  const context = readContext(
    { ...env, GITHUB_EVENT_NAME: event, ...rest },
    { repository, ...payload },
  );
  return startOf(context, checkedOut);
}

describe("the base of each event", () => {
  it("of a pull request's merge commit is its first parent", () => {
    const at = { kind: "first_parent", sha: "merge", merges: "head", otherwise: "base" };
    expect(start("pull_request", { pull_request })).toEqual({ at, branches: ["release", "main"] });
  });
  it("of a pull request whose head is checked out is the merge base", () => {
    const at = { kind: "merge_base", base: "base", head: "head" };
    expect(start("pull_request", { pull_request }, { checkedOut: "head" })?.at).toEqual(at);
  });
  it("of pull_request_target is the pull request's, not the default branch's commit", () => {
    const at = { kind: "commit", sha: "base" };
    expect(start("pull_request_target", { pull_request })?.at).toEqual(at);
  });
  it("of a merge queue's group is the commit that it is put on", () => {
    const merge_group = { head_sha: "group", base_sha: "tip", base_ref: "refs/heads/main" };
    expect(start("merge_group", { merge_group })).toEqual({
      at: { kind: "commit", sha: "tip" },
      branches: ["main"],
    });
  });
  it("of a push is what the branch was before", () => {
    const ref = { GITHUB_REF: "refs/heads/main", GITHUB_SHA: "now" };
    expect(start("push", { before: "then" }, ref)).toEqual({
      at: { kind: "commit", sha: "then" },
      branches: ["main"],
    });
  });
  it("of a new branch is where it came from", () => {
    const ref = { GITHUB_REF: "refs/heads/new", GITHUB_SHA: "now" };
    const at = { kind: "first_parent", sha: "now", merges: undefined, otherwise: undefined };
    expect(start("push", { before: "0".repeat(40) }, ref)).toEqual({
      at,
      branches: ["new", "main"],
    });
  });
  it("of a tag is the default branch's run of that commit", () => {
    const ref = { GITHUB_REF: "refs/tags/main", GITHUB_SHA: "now" };
    expect(start("push", { before: "then" }, ref)).toEqual({
      at: { kind: "commit", sha: "now" },
      branches: ["main"],
    });
  });
  it.each(["schedule", "workflow_dispatch"])(
    "of a %s is the last run of the same branch",
    (event) => {
      const ref = { GITHUB_REF: "refs/heads/main", GITHUB_SHA: "now" };
      expect(start(event, {}, ref)).toEqual({
        at: { kind: "commit", sha: "now" },
        branches: ["main"],
      });
    },
  );
  it("outside of GitHub there is none", () => {
    expect(startOf(readContext({}, {}), undefined)).toBeUndefined();
  });
});

describe("a merge commit's base", () => {
  const at = { kind: "first_parent", sha: "merge", merges: "head", otherwise: "base" } as const;
  it("is its first parent", () => {
    expect(baseCommitOf(at, [{ sha: "merge", parents: ["tip", "head"] }])).toBe("tip");
  });
  it("is what the event says where the commit merges something else", () => {
    expect(baseCommitOf(at, [{ sha: "merge", parents: ["tip", "other"] }])).toBe("base");
    expect(baseCommitOf(at, [])).toBe("base");
  });
});
