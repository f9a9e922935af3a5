import { describe, expect, it } from "vitest";
import { problemsOf, shortForm } from "./resolve-text.ts";

const python = { type: "python", source: "x" };

describe("keys that say what is done anyway", () => {
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
