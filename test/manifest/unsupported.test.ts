import { describe, expect, it } from "vitest";
import { brief, problemsOf, shortForm } from "./desk.ts";

const python = { type: "python", source: "x" };

describe("what a later version takes is refused, each with its place, never ignored", () => {
  it.each([
    ["max_samples", { run: { max_samples: 5 } }, "run.max_samples"],
    ["policy_label", { gate: { policy_label: "x" } }, "gate.policy_label"],
    ["accept_label", { gate: { accept_label: "x" } }, "gate.accept_label"],
    ["num_fewshot", { num_fewshot: 2 }, "num_fewshot"],
    ["fewshot", { fewshot: { count: 2 } }, "fewshot"],
    ["Hugging Face by source", { dataset: { source: "huggingface", path: "a/b" } }, "dataset"],
    ["Hugging Face by path", { dataset: { path: "a/b", split: "test" } }, "dataset"],
    ["several graders", { grader: undefined, graders: ["exact_match", "contains"] }, "graders"],
    [
      "a named grader",
      { grader: undefined, graders: [{ type: "contains", name: "a" }] },
      "graders[0].name",
    ],
    ["an agent", { candidates: { a: { agent: { any: "thing" } } } }, "candidates.a.agent"],
  ])("%s", async (_, changes, place) => {
    const problems = await problemsOf(shortForm(changes));
    const codes = new Set(problems.map(({ code }) => code));
    expect(codes).toEqual(new Set(["not_supported"]));
    expect(brief(problems)[0]).toBe(`not_supported ${place}`);
    for (const { place: where } of problems) expect(where?.line).toBeGreaterThan(1);
  });

  it.each([
    ["num_fewshot: 0", { num_fewshot: 0 }],
    ["model_access: none", { grader: { ...python, model_access: "none" } }],
    [
      "execution: per_sample",
      { grader: { ...python, execution: "per_sample", contract: "sample" } },
    ],
    ["prove: drop", { gate: { rules: [{ metric: "exact_match", max_drop: 0.1, prove: "drop" }] } }],
  ])("accepts %s, which is what is done anyway", async (_, changes) => {
    expect(await problemsOf(shortForm(changes))).toEqual([]);
  });
});
