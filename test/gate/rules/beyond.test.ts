import { describe, expect, it } from "vitest";
import type { RuleSpec } from "../../../src/model/definition/gate.ts";
import { qa, type Case, type Cell, type TaskDraft } from "../sides.ts";
import { decide, rules, type Situation } from "../situation.ts";

const graded = { metrics: [{ scale: "graded" as const }] };

function cases(of: Readonly<Record<string, Cell | readonly Cell[]>>): readonly Case[] {
  return Object.entries(of).map(([id, is]) => ({ id, is }));
}

function head(of: Parameters<typeof cases>[0], draft: Omit<TaskDraft, "cases"> = graded) {
  return qa(cases(of), draft);
}

/** The first rule's cases beyond its limit. */
function beyond(spec: Partial<RuleSpec>, situation: Pick<Situation, "head" | "base">) {
  const name = "cases beyond a limit";
  const { result } = decide({ name, verdict: "fail", gate: rules(spec), ...situation });
  return result.rules[0]?.beyond;
}

describe("a missed limit names the cases beyond it", () => {
  it("the worst first, then by id", () => {
    const run = head({ a: 0.9, b: 0.2, d: 0.5, c: 0.5 });
    expect(beyond({ min: 0.7 }, { head: run })).toEqual({
      count: 3,
      of: 4,
      cases: [
        { case_id: "b", value: 0.2 },
        { case_id: "c", value: 0.5 },
        { case_id: "d", value: 0.5 },
      ],
    });
  });

  it("above a maximum the highest first", () => {
    const run = head({ a: 0.9, b: 0.2, c: 0.5 });
    expect(beyond({ max: 0.4 }, { head: run })?.cases.map(({ case_id }) => case_id)).toEqual([
      "a",
      "c",
    ]);
  });

  it("with the score before, of equal ones those that lost most first", () => {
    const found = beyond(
      { min: 0.9 },
      { head: head({ a: 0, b: 0, c: 1 }), base: head({ a: 0, b: 1 }) },
    );
    expect(found).toEqual({
      count: 2,
      of: 3,
      cases: [
        { case_id: "b", value: 0, before: 1 },
        { case_id: "a", value: 0, before: 0 },
      ],
    });
  });

  it("cases that failed count as the worst, those without a grade do not", () => {
    const run = head({ a: "failed", b: "ungraded", c: 1, d: "invalid" });
    expect(beyond({ min: 0.9 }, { head: run })).toMatchObject({
      count: 2,
      of: 3,
      cases: [{ case_id: "a" }, { case_id: "d" }],
    });
  });

  it("nothing where the limit is met, however low a case is", () => {
    expect(beyond({ min: 0.4 }, { head: head({ a: 0, b: 1 }) })).toBeUndefined();
  });

  it("no case of a sum or a spread, whose limit says nothing about one", () => {
    for (const aggregation of ["sum", "stddev"] as const) {
      const run = head({ a: 1, b: 0 }, { metrics: [{ scale: "graded", aggregation }] });
      expect(beyond({ min: 5 }, { head: run })).toBeUndefined();
    }
  });

  it("at most a thousand of them, and says how many there are", () => {
    const all = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`c${i}`, 0]));
    const found = beyond({ min: 0.9 }, { head: head(all) });
    expect([found?.count, found?.of, found?.cases.length]).toEqual([1_200, 1_200, 1_000]);
  });
});
