import { describe, expect, it } from "vitest";
import { concludeStep, type SuiteEnd } from "../../src/github/runner/conclusion.ts";
import { problem } from "../../src/model/refusal.ts";
import type { Verdict } from "../../src/model/outcomes/verdict.ts";
import { exampleRun } from "./example-run.ts";

const finished = (verdict: Verdict): SuiteEnd => ({
  kind: "finished",
  manifest: "evals/a.yaml",
  run: exampleRun({ verdict }),
  directory: "/runs/a",
  summary: "",
  warnings: [],
});
const refused = (exit: 2 | 4): SuiteEnd => ({
  kind: "refused",
  manifest: "evals/a.yaml",
  problems: [problem("file_missing", { file: "x" })],
  exit,
});
const byDefault = { failOn: ["fail", "error", "inconclusive"], cancelled: false } as const;

describe("concludeStep", () => {
  it.each([
    ["pass", 0, 0],
    ["neutral", 0, 0],
    ["fail", 1, 1],
    ["inconclusive", 3, 3],
    ["error", 4, 4],
  ] as const)("by default: %s", (verdict, exitCode, stepCode) => {
    expect(concludeStep([finished(verdict)], byDefault)).toEqual({ verdict, exitCode, stepCode });
  });

  it.each([
    ["inconclusive", 3],
    ["neutral", 1],
  ] as const)("fails the step on %s where fail-on names it", (verdict, stepCode) => {
    const end = concludeStep([finished(verdict)], { failOn: [verdict], cancelled: false });
    expect(end.stepCode).toBe(stepCode);
  });

  it("takes the worst of several suites", () => {
    const ends = [finished("pass"), finished("fail"), finished("inconclusive")];
    expect(concludeStep(ends, byDefault)).toEqual({ verdict: "fail", exitCode: 1, stepCode: 1 });
  });

  it.each([2, 4] as const)(
    "is never green on a refusal, whatever fail-on says (exit %i)",
    (exit) => {
      const ends = [finished("pass"), refused(exit)];
      expect(concludeStep(ends, { failOn: [], cancelled: false })).toEqual({
        verdict: "error",
        exitCode: exit,
        stepCode: exit,
      });
    },
  );

  it("is never green when cancelled", () => {
    const end = concludeStep([finished("pass")], { failOn: [], cancelled: true });
    expect(end).toEqual({ verdict: "error", exitCode: 130, stepCode: 130 });
  });
});
