import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { loadPayload, readEvent } from "../../src/github/runner/event.ts";

const env = { GITHUB_SHA: "a1", GITHUB_REF: "refs/pull/7/merge" };
const zeros = "0".repeat(40);

describe("readEvent", () => {
  it.each([
    ["a pull request", { pull_request: { base: { sha: "b2" } } }, "b2"],
    ["a merge group", { merge_group: { base_sha: "b3" } }, "b3"],
    ["a push", { before: "b4" }, "b4"],
    ["the first push of a branch", { before: zeros }, null],
    ["a schedule", {}, null],
    ["a payload of another shape", { pull_request: "?", merge_group: [], before: 4 }, null],
    ["no payload", null, null],
  ])("knows where the change starts from: %s", (_, payload, expected) => {
    expect(readEvent(env, payload).git).toEqual({
      sha: "a1",
      base_sha: expected,
      ref: "refs/pull/7/merge",
    });
  });

  it.each([
    [{ repository: { visibility: "public", private: false } }, "ids"],
    [{ repository: { visibility: "private" } }, "failures"],
    [{ repository: { visibility: "internal" } }, "failures"],
    [{ repository: { private: true } }, "failures"],
    [{ repository: { private: false } }, "ids"],
    [{ repository: { visibility: "public", private: true } }, "ids"],
    [{ repository: { private: "true" } }, "ids"],
    [{}, "ids"],
  ])(
    "shows no text of cases unless the repository is known to be private: %j",
    (payload, expected) => {
      expect(readEvent(env, payload).publish).toBe(expected);
    },
  );
});

describe("loadPayload", () => {
  it("takes a payload that it can't read for none", async () => {
    await using fixture = await createFixture({ "event.json": "{" });
    for (const path of ["", fixture.getPath("event.json"), fixture.getPath("absent.json")])
      expect(readEvent({}, await loadPayload({ GITHUB_EVENT_PATH: path }))).toEqual({
        git: { sha: null, base_sha: null, ref: null },
        publish: "ids",
      });
  });
});
