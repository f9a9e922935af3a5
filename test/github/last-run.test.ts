import { describe, expect, it } from "vitest";
import { readContext } from "../../src/github/runner/context.ts";
import { chooseLastRun, type HeadRun } from "../../src/github/api/head-runs.ts";
import { readQuietEvent } from "../../src/github/api/last-run.ts";

/** Which events end as the last run did, and which run that is. */

const asked = { headSha: "head", workflowPath: ".github/workflows/evals.yml", ownRunId: "99" };

function run(parts: Partial<HeadRun> = {}): HeadRun {
  return {
    id: 1,
    attempt: 1,
    event: "pull_request",
    status: "completed",
    conclusion: "success",
    headSha: "head",
    path: asked.workflowPath,
    isOwnRepository: true,
    startedAt: "2026-11-20T12:00:00Z",
    ...parts,
  };
}

describe("no older green counts where the earlier run", () => {
  it.each<readonly [string, Partial<HeadRun>]>([
    ["was of another head", { headSha: "other" }],
    ["was started by hand on the author's branch", { event: "workflow_dispatch" }],
    ["was a push of the branch", { event: "push" }],
    ["was of a fork's branch", { isOwnRepository: false }],
    ["was of another workflow", { path: ".github/workflows/mine.yml" }],
    ["is this one", { id: 99 }],
    ["was cancelled", { conclusion: "cancelled" }],
    ["was skipped", { conclusion: "skipped" }],
    ["ran out of time", { conclusion: "timed_out" }],
    ["is under way", { status: "in_progress", conclusion: null }],
    ["waits for its place", { status: "pending", conclusion: null }],
    ["began at no known time", { startedAt: "soon" }],
  ])("%s", (_, parts) => {
    expect(chooseLastRun([run(parts)], asked)).toMatchObject({ kind: "none" });
  });

  it("was followed by a red one, by a re-run of an older one, or by one that was cancelled", () => {
    const later = "2026-11-20T13:00:00Z";
    const green = run({ id: 5 });
    const red = run({ id: 6, conclusion: "failure", startedAt: later });
    expect(chooseLastRun([green, red], asked)).toEqual({ kind: "found", run: red });
    const again = run({ id: 4, attempt: 2, conclusion: "failure", startedAt: later });
    expect(chooseLastRun([green, again], asked)).toEqual({ kind: "found", run: again });
    const dropped = run({ id: 6, conclusion: "cancelled", startedAt: later });
    expect(chooseLastRun([green, dropped], asked)).toMatchObject({ kind: "none" });
    const waiting = run({ id: 3, status: "queued", conclusion: null });
    expect(chooseLastRun([green, waiting], asked)).toMatchObject({ kind: "none" });
  });
});

describe("an event", () => {
  const pull_request = { number: 7, head: { sha: "head" }, base: { sha: "base" } };
  const read = (payload: object, env: Readonly<Record<string, string>> = {}): unknown => {
    const whole = { pull_request, ...payload };
    return readQuietEvent(readContext({ GITHUB_EVENT_NAME: "pull_request", ...env }, whole), whole);
  };
  const title = { title: { from: "x" } };

  it.each<readonly [object, unknown]>([
    [{ action: "labeled", label: { name: "docs" } }, { label: "docs" }],
    [{ action: "unlabeled", label: { name: "docs" } }, { label: "docs" }],
    [{ action: "edited", changes: title }, { label: undefined }],
  ])("may end as the last run did: %j", (payload, expected) => {
    expect(read(payload)).toEqual(expected);
  });

  it.each<object>([
    { action: "opened" },
    { action: "synchronize" },
    { action: "reopened", changes: {} },
    { action: "ready_for_review" },
    { action: "labeled" },
    { action: "edited" },
    { action: "edited", changes: { ...title, base: { ref: { from: "old" } } } },
    {},
  ])("is judged in full: %j", (payload) => {
    expect(read(payload)).toBeUndefined();
  });

  it("is judged in full when it is run again, or has the base's rights", () => {
    const payload = { action: "edited", changes: title };
    expect(read(payload, { GITHUB_RUN_ATTEMPT: "2" })).toBeUndefined();
    expect(read(payload, { GITHUB_EVENT_NAME: "pull_request_target" })).toBeUndefined();
  });
});
