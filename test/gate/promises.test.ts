import { describe, expect, it } from "vitest";
import { check, decide, near, type Situation } from "./situation.ts";
import { qa, type Case } from "./sides.ts";

/** So many cases right, then so many wrong, then so many that the grader could not score. */
function cases(right: number, wrong: number, invalid = 0): readonly Case[] {
  return [
    ...Array.from({ length: right }, (): Case => 1),
    ...Array.from({ length: wrong }, (): Case => 0),
    ...Array.from({ length: invalid }, (): Case => "invalid"),
  ];
}

const situations: readonly Situation[] = [
  {
    name: "40 of 100 cases that are gone fail, whatever the others score",
    base: qa(cases(60, 40)),
    head: qa(cases(60, 0)),
    verdict: "fail",
    rules: ["met no_drop_detected"],
    problems: ["cases_missing"],
    cases: { missing: 40, paired: 60 },
  },
  {
    name: "20 of 240 broke and none was fixed: a proven drop fails",
    base: qa(cases(240, 0)),
    head: qa(cases(220, 20)),
    verdict: "fail",
    rules: ["missed drop_proven"],
    first: { broke: 20, fixed: 0, delta: near(-20 / 240) },
  },
  {
    name: "a tenth of the outputs that the grader can't read any more fails",
    base: qa(cases(100, 0)),
    head: qa(cases(90, 0, 10)),
    verdict: "fail",
    rules: ["missed drop_proven"],
    first: { broke: 10, fixed: 0 },
  },
  {
    name: "a case that fell from failing to unreadable helps nobody",
    base: qa(cases(90, 10)),
    head: qa(cases(90, 0, 10)),
    verdict: "pass",
    rules: ["met no_drop_detected"],
    first: { value: 0.9, delta: 0, fixed: 0 },
  },
  {
    name: "all right on both sides passes",
    base: qa(cases(100, 0)),
    head: qa(cases(100, 0)),
    verdict: "pass",
    rules: ["met no_drop_detected"],
    first: { broke: 0, fixed: 0, p: 1 },
  },
  {
    name: "all right before and all wrong now fails",
    base: qa(cases(100, 0)),
    head: qa(cases(0, 100)),
    verdict: "fail",
    rules: ["missed drop_proven"],
  },
];

describe("whatever the rules, it", () => {
  it.each(situations)("$name", check);
});

/** 240 paired cases, 213 → 201 right, 18 broke and 6 were fixed: what other rules would say of them. */
describe("the same data, five verdicts", () => {
  const [n, broke, fixed, right] = [240, 18, 6, 213];
  const base = qa(cases(right, n - right));
  const head = qa([...cases(right - broke, broke), ...cases(fixed, n - right - fixed)]);
  const { result } = decide({ name: "", base, head, verdict: "fail" });
  const [rule] = result.rules;
  const after = right - broke + fixed;

  it("a bare drop of 2 points: fails, as it does 1 time in 5 where nothing changed", () => {
    expect((right - after) / n).toBeGreaterThanOrEqual(0.02);
  });

  it("overlapping intervals of two averages: passes", () => {
    const [before, now] = [wilson(right, n), wilson(after, n)];
    expect(before.lower).toBeLessThan(now.upper);
  });

  it("blocks unless shown to be within 2 points: can't decide", () => {
    const asked = { rules: [{ metric: "em", max_drop: 0.02, prove: "no_drop" as const }] };
    const shown = decide({ name: "", base, head, gate: asked, verdict: "fail" }).result.rules[0];
    // A drop is proven as well, so that Regrade's own rule fails it; the interval alone reaches beyond the margin.
    expect(shown?.delta_ci?.[0]).toBeLessThan(-0.02);
    expect(shown?.delta_ci?.[1]).toBeGreaterThan(-0.02);
  });

  it("Regrade's default rule: fails, with the proof", () => {
    expect(result.verdict).toBe("fail");
    expect(rule).toMatchObject({ code: "drop_proven", broke, fixed, p: near(0.0073) });
    expect(rule?.delta_ci).toEqual([near(-0.0862), near(-0.0174)]);
  });
});

/** At 95 %. */
function wilson(right: number, n: number): { readonly lower: number; readonly upper: number } {
  const z = 1.959964;
  const p = right / n;
  const centre = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return { lower: centre - half, upper: centre + half };
}
