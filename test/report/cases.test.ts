import { describe, expect, it } from "vitest";

import { changedGroups } from "../../src/report/cases.ts";
import { graderWords } from "../../src/report/words/grader-words.ts";
import * as examples from "./examples.ts";

describe("the grader's words", () => {
  it.each([
    [{ judge: { reason: "too long", raw: "x" } }, "too long"],
    [{ judge: { label: 3, remark: "said no" } }, "said no"],
    [{ judge: { a: "x", b: "y" } }, '{"a":"x","b":"y"}'],
    [{ judge: {}, printed: "debug" }, "debug"],
    [{ judge: null, printed: null }, ""],
    [
      {
        judge: { reason: "r" },
        error: { stage: "grade", fault: "grader", type: "timeout", message: "over 5 s" } as const,
      },
      "timeout: over 5 s",
    ],
  ])("of %j", (after, words) => {
    expect(graderWords({ score: 0, ...after })).toBe(words);
  });
});

describe("the changed cases", () => {
  it("keep the gate's count, though fewer are named", () => {
    const rule = examples.rule({
      broke: 120,
      changed: { broke: examples.ids("a", 50, 1), fixed: [] },
    });
    const run = { ...examples.failed, gate: { ...examples.failed.gate, rules: [rule] } };
    const groups = changedGroups(run, "broke");
    expect(groups.map(({ total, cases }) => [total, cases.length])).toEqual([[120, 50]]);
    expect(changedGroups(run, "fixed")).toEqual([]);
  });
});
