import { expect, it } from "vitest";
import { createEvidence } from "../../src/verdict/evidence.ts";
import { sample, task } from "../support/evidence-samples.ts";

const wrong = { scores: { exact_match: 0 } };

it("counts what samples show of their task's set-up", () => {
  const evidence = createEvidence([task]);
  const error = { stage: "grade", fault: "grader", type: "timeout" } as const;
  const failed = { stage: "generate", fault: "candidate", type: "exit_code" } as const;
  const none = { output_text: null, extracted_output: null, scores: {} };
  for (const changes of [
    {},
    { ...wrong, target: "42.0" },
    { ...wrong, target: "1,000", extracted_output: "1000" },
    { ...wrong, target: "43" },
    { ...wrong, target: "Paris", extracted_output: "paris" },
    { ...wrong, target: "", extracted_output: null },
    { ...none, error: { ...failed, message: "exit code 2" } },
    { ...none, error: { ...failed, message: "exit code 3" } },
    { ...wrong, error: { ...error, message: "first" } },
    { ...wrong, error: { ...error, message: "second" } },
  ]) {
    evidence.add({ ...sample, ...changes });
  }
  expect(evidence.of("qa", "main")).toEqual({
    looked: 10,
    answered: 8,
    unanswered: { count: 2, message: "exit code 2" },
    nothingExtracted: 1,
    targetsEmpty: 1,
    otherCase: 1,
    sameNumber: 2,
    emptyFields: { "meta.hint": 10 },
    failures: [{ type: "timeout", fault: "grader", count: 2, message: "first" }],
  });
  expect(evidence.of("qa", "other")).toBeUndefined();
});

it("names each of several graders that found no valid result, by what the first one said", () => {
  const graders = ["fine", "tone"].map((name) => {
    const grader = { type: "exact_match" as const, options: {}, models: undefined };
    return { name, weight: 1, grader };
  });
  const several = { ...task, grader: { type: "several" as const, graders } };
  const evidence = createEvidence([several]);
  const invalid = { invalid: true, error: { type: "exception", message: "KeyError" } };
  evidence.add({ ...sample, judge: { fine: { note: "x" }, tone: invalid } });
  evidence.add({ ...sample, judge: { tone: invalid } });
  evidence.add({ ...sample, judge: { tone: { note: "x" } } });
  expect(evidence.of("qa", "main")?.parts).toEqual({ tone: { count: 2, message: "KeyError" } });
});
