import { describe, expect, it } from "vitest";

import type { Run } from "../../../src/model/outcomes/run.ts";
import type { RuleResult } from "../../../src/model/outcomes/rule-result.ts";
import { verdictWords } from "../../../src/report/words/verdict.ts";
import * as examples from "../examples.ts";

function titleOf(rules: readonly RuleResult[], changed: Partial<Run> = {}): string {
  const gate = { ...examples.failed.gate, rules };
  return verdictWords({ ...examples.failed, gate, ...changed }, "merge blocked").title;
}

const bare = { baseline: null, delta: null, delta_ci: null, broke: null, fixed: null } as const;

describe("the first line says what happened and what follows", () => {
  it.each([
    [
      "cases that broke",
      { changed: { broke: examples.ids("a", 18, 1), fixed: [] } },
      "18 of 240 cases broke, merge blocked",
    ],
    [
      "a limit",
      { ...bare, kind: "min", code: "beyond_limit", limit: 0.9 },
      "qa/exact_match is 83.8%, below 90.0%, merge blocked",
    ],
    [
      "a number that has no cases",
      { broke: null, fixed: null },
      "qa/exact_match fell by 5.0 points, merge blocked",
    ],
    [
      "time",
      { ...bare, kind: "max_rise", metric: "latency_seconds", delta: 1.2 },
      "qa/latency_seconds rose by 1.20 s, merge blocked",
    ],
    [
      "cases that must pass",
      {
        ...bare,
        kind: "must_pass",
        code: "cases_short",
        n: 8,
        short: [
          { case_id: "a", value: 0 },
          { case_id: "b", value: 0 },
        ],
      },
      "2 must-pass cases fail, merge blocked",
    ],
    [
      "a case that must pass and is gone",
      { ...bare, kind: "must_pass", code: "cases_absent", n: 8 },
      "a must-pass case is missing, merge blocked",
    ],
    [
      "a metric that is gone",
      { ...bare, code: "metric_missing" },
      "qa/exact_match was not measured, merge blocked",
    ],
    [
      "cost, which breaks no case",
      {
        kind: "max_rise",
        metric: "usd",
        delta: 0.5,
        changed: { broke: examples.ids("a", 18, 1), fixed: [] },
      },
      "qa/usd rose by $0.500, merge blocked",
    ],
  ] as const)("%s", (_, given, title) => {
    expect(titleOf([examples.rule(given)])).toBe(title);
  });

  it("cases of a graded metric got worse: they may have lost little", () => {
    const metrics = examples.failed.metrics.map((one) => ({ ...one, scale: "graded" as const }));
    const changed = { broke: examples.ids("a", 18, 1), fixed: [] };
    expect(titleOf([examples.rule({ changed })], { metrics })).toBe(
      "18 of 240 cases got worse, merge blocked",
    );
  });

  it("a task of the suite's name once", () => {
    const suite = { ...examples.failed.suite, name: "qa" };
    const rule = examples.rule({ ...bare, kind: "min", code: "beyond_limit", limit: 0.9 });
    expect(titleOf([rule], { suite })).toBe("exact_match is 83.8%, below 90.0%, merge blocked");
  });

  it("what kept a run from a verdict", () => {
    const stopped = { ...examples.errored, stopped: "The budget of $2.00 is spent." };
    expect(verdictWords(stopped, "merge blocked").title).toBe(
      "stopped before its end, no verdict, merge blocked",
    );
  });

  it("cases of the baseline that are gone", () => {
    const cases = { ...examples.failed.cases, missing: 3 };
    expect(titleOf([], { cases })).toBe("3 cases are missing, merge blocked");
  });

  it("an improvement that is no chance", () => {
    const { gate } = examples.passed;
    const of = (changes: Partial<RuleResult>): string => {
      const rules = gate.rules.map((rule, i) =>
        i === 0 ? Object.assign({}, rule, changes) : rule,
      );
      return verdictWords({ ...examples.passed, gate: { ...gate, rules } }).title;
    };
    const better = { kind: "max_drop", delta: 0.1667, delta_ci: [0.131, 0.21] } as const;
    expect(of(better)).toBe("passes, improved by 16.7 points");
    expect(of({ ...better, delta_ci: [-0.01, 0.21] })).toBe("passes");
    expect(of({ ...better, kind: "max_rise" })).toBe("passes");
    expect(of({ kind: "max_rise", delta: -0.1, delta_ci: [-0.2, -0.05] })).toContain("improved by");
  });

  it("and outside of a change nothing of a merge", () => {
    expect(verdictWords(examples.failed).title).toBe("18 of 240 cases broke, the gate fails");
    expect(verdictWords(examples.errored).title).toBe(
      "31 of 240 cases could not be graded, no verdict",
    );
  });
});
