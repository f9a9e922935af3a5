import { describe, expect, it } from "vitest";
import { brief, problemsOf, shortForm } from "./resolve-text.ts";

const python = { type: "python", source: "x" };

describe("what a later version takes is refused, each with its place, never ignored", () => {
  it.each([["an agent", { candidates: { a: { agent: { any: "thing" } } } }, "candidates.a.agent"]])(
    "%s",
    async (_, changes, place) => {
      const problems = await problemsOf(shortForm(changes));
      const codes = new Set(problems.map(({ code }) => code));
      expect(codes).toEqual(new Set(["not_supported"]));
      expect(brief(problems)[0]).toBe(`not_supported ${place}`);
      for (const { place: where } of problems) expect(where?.line).toBeGreaterThan(1);
    },
  );

  it.each([
    ["model_access: none", { grader: { ...python, model_access: "none" } }],
    [
      "execution: per_sample",
      { grader: { ...python, execution: "per_sample", contract: "sample" } },
    ],
    ["labels", { gate: { policy_label: "rules-ok", accept_label: "loss-ok" } }],
    ["from: auto", { gate: { baseline: { from: "auto", max_age_days: 30 } } }],
    ["prove: drop", { gate: { rules: [{ metric: "exact_match", max_drop: 0.1, prove: "drop" }] } }],
  ])("accepts %s, which is what is done anyway", async (_, changes) => {
    expect(await problemsOf(shortForm(changes))).toEqual([]);
  });
});
