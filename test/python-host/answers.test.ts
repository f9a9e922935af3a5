import { describe, expect, it } from "vitest";
import { readGraded, readRegexAnswer } from "../../src/python-host/answers.ts";
import { readLoaded } from "../../src/python-host/loaded.ts";

describe("an answer that the host can't have given is no answer", () => {
  it.each([
    {},
    { kind: "scored" },
    { kind: "scored", scores: { a: "1" }, judge: null },
    { kind: "scored", scores: [1], judge: null },
    { kind: "scored", scores: { a: 1 }, judge: "fine" },
    { kind: "scored", scores: { a: 1 } },
    { kind: "invalid", type: "x", message: "y", judge: {} },
    { kind: "invalid", type: "x", message: "y", judge: null },
    { kind: "ungraded", type: "x" },
  ])("%j", (result) => {
    expect(readGraded([JSON.stringify({ result, printed: null })])).toBeUndefined();
  });

  it("not even an infinite number", () => {
    const result = '{"kind":"scored","scores":{"a":1e999},"judge":null}';
    expect(readGraded([`{"result":${result},"printed":null}`])).toBeUndefined();
  });

  it.each([{}, { found: 1 }, { no_match: false }, { problem: 1 }])(
    "%j of the regex host",
    (result) => {
      expect(readRegexAnswer([JSON.stringify({ result, printed: null })])).toBeUndefined();
    },
  );

  it.each([
    undefined,
    { type: "ready", files: [] },
    { type: "ready", key: "other", files: [] },
    { type: "ready", key: "k", files: [{ path: "a" }] },
    { type: "refused", key: "k", reason: "bored", message: "x" },
    { type: "refused", key: "k", reason: "syntax" },
  ])("%j to a load", (frame) => {
    expect(readLoaded(frame, "k")).toBeUndefined();
  });
});

it("a metric may be called __proto__", () => {
  const result = '{"kind":"scored","scores":{"__proto__":0.5},"judge":null}';
  const graded = readGraded([`{"result":${result},"printed":null}`]);
  expect(graded?.kind === "scored" && Object.entries(graded.scores)).toEqual([["__proto__", 0.5]]);
});
