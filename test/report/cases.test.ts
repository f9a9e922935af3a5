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

describe("the words of several graders", () => {
  const scores = { score: 0.5, exact_match: 0, tone: 0.2, "tone.polite": 0, facts: 1 };
  const judge = { tone: { rationale: "rude" }, facts: { rationale: "all right" } };
  it.each([
    ["tone", "rude"],
    ["tone.polite", "rude"],
    ["facts", "all right"],
    ["exact_match", ""],
    ["score", "tone: rude"],
    [undefined, "tone: rude\nfacts: all right"],
  ])("that explain %s", (metric, words) => {
    expect(graderWords({ score: 0, judge, scores }, metric)).toBe(words);
  });

  it("include those of one without a valid result", () => {
    const invalid = { note: { invalid: true, reason: "returned None" } };
    const after = { score: 0, judge: { ...judge, ...invalid }, scores };
    expect(graderWords(after, "note")).toBe("returned None");
    expect(graderWords(after, "score")).toBe("tone: rude\nnote: returned None");
  });

  it("are not those of one grader with nested details", () => {
    const nested = { details: { expected: "a" } };
    const after = { score: 0, judge: nested, scores: { label: 0 } };
    expect(graderWords(after, "label")).toBe('{"details":{"expected":"a"}}');
  });

  it("are those of the scale that a metric is", () => {
    const scales = { facts_reasoning: "wrong year", facts: 1, tone_reasoning: "rude", tone: 2 };
    const after = { score: 1, judge: scales, scores: { facts: 1, tone: 2 } };
    expect(graderWords(after, "facts")).toBe("wrong year");
    expect(graderWords(after, "tone")).toBe("rude");
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
