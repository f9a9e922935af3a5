import { describe, expect, it } from "vitest";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { findLossMessages } from "../../src/verdict/loss-messages.ts";
import { sample } from "../support/evidence-samples.ts";

interface Said {
  readonly name: string;
  /** What the grader says of case i of 100. */
  readonly says: (i: number) => string | null;
  readonly more?: Partial<Sample>;
  /** The first message of each group that is told, with the figures. */
  readonly told: readonly (readonly [string, string])[];
}

const broken = 20;

async function tell(says: Said["says"], more: Partial<Sample> = {}) {
  const cases = Array.from({ length: 100 }, (_, i) => `c${i}`);
  const loss = { task: "qa", candidate: "main", metric: "em", alpha: 0.05, compared: cases };
  const found = { ...loss, broken: new Set(cases.slice(0, broken)) };
  async function* samples(): AsyncGenerator<Sample> {
    for (const [i, case_id] of cases.entries()) {
      const note = says(i);
      yield { ...sample, case_id, judge: note === null ? null : { note }, ...more };
    }
  }
  return findLossMessages([found], samples());
}

describe("the grader's words on broken cases", () => {
  it.each<Said>([
    {
      name: "are told where all of them have the same",
      says: (i) => (i < broken ? "no unit" : "fine"),
      told: [["no unit", "20 of 20 broken cases (and of 0 others"]],
    },
    {
      name: "are the same whatever they quote and count",
      says: (i) => (i < broken ? `line ${i}: "case ${i}" has no unit` : "fine"),
      told: [['line 0: "case 0" has no unit', "20 of 20 broken cases (and of 0 others"]],
    },
    {
      name: "are not told where cases that did not break have them as often",
      says: (i) => (i % 2 === 0 ? "long" : "short"),
      told: [],
    },
    { name: "are not told where all cases have the same", says: () => "graded", told: [] },
    { name: "are not told where there are none", says: () => null, told: [] },
    {
      name: "are not told where each case has its own",
      says: (i) => `because ${"x".repeat(i)}`,
      told: [],
    },
    {
      name: "are not told twice where they are those of a crash",
      says: () => null,
      more: { error: { stage: "grade", fault: "grader", type: "exception", message: "boom" } },
      told: [],
    },
    {
      name: "are those of this candidate only",
      says: (i) => (i < broken ? "no unit" : "fine"),
      more: { model: "other" },
      told: [],
    },
    {
      name: "are two at most",
      says: (i) => (i < broken ? `kind ${"abcd".charAt(i % 4)}` : "fine"),
      told: [
        ["kind a", "5 of 20 broken cases"],
        ["kind b", "5 of 20 broken cases"],
      ],
    },
  ])("$name", async ({ says, more, told }) => {
    const found = await tell(says, more);
    expect(found.map(({ detail }) => detail)).toEqual(told.map(([detail]) => detail));
    for (const [i, [, figures]] of told.entries()) {
      expect(found[i]).toMatchObject({ task: "qa", candidate: "main", symptom: "loss_message" });
      expect(found[i]?.message).toContain(figures);
      // Texts of samples are in `detail` alone.
      expect(found[i]?.message).not.toContain("unit");
    }
  });
});
