import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import type { Problem } from "../../../src/model/refusal.ts";
import { brief, problemsOf, resolveText, shortForm } from "../resolve-text.ts";

const metrics = [
  { id: "right", range: [0, 1] },
  { id: "seconds", higher_is_better: false },
  { id: "note", aggregation: "none" },
];

function withRule(rule: Record<string, string | number | boolean | string[]>): string {
  const grader = { type: "python", source: "x" };
  return shortForm({ grader, metrics, slices: ["language"], gate: { rules: [rule] } });
}

describe("rules that hold", () => {
  it.each([
    { metric: "right", min: 0.5 },
    { metric: "short/right", max: 1 },
    { metric: "*/right", max_drop: 0.02, prove: "drop", alpha: 0.01 },
    { metric: "sh*/r*", max_drop: 0 },
    { metric: "seconds", max_rise: 0.5, prove: "nothing", level: "warn" },
    { metric: "seconds", max: 1000, candidate: "app" },
    { metric: "right", min: 0, candidate: "a*" },
    { metric: "*/latency_seconds", max_rise: 0.5 },
    { metric: "usd", max: 0.01, level: "warn" },
    { metric: "*_tokens", max_rise: 100 },
    { metric: "right", max_drop: 0.02, prove: "no_drop", alpha: 0.1 },
    { metric: "right", max_drop: 0.02, slice: "language=*" },
    { metric: "right", min: 0.5, slice: "lang*=de" },
    { metric: "right", min: 0.5, slice: "*" },
    { metric: "right", must_pass: ["a", "b-*"] },
    { metric: "right", must_pass: ["a"], min: 0.5 },
    { metric: "right", must_pass: ["a"], always: true },
    { metric: "seconds", must_pass: ["a"], max: 20 },
  ])("%j", async (rule) => {
    expect(await problemsOf(withRule(rule))).toEqual([]);
  });
});

describe("rules that can't hold", () => {
  it.each([
    [{ metric: "{1..10001}", min: 0.5 }, ["glob_refused gate.rules[0].metric"]],
    [{ metric: "right", min: 0.5, slice: "!(a)=b" }, ["glob_refused gate.rules[0].slice"]],
    [
      { metric: "right", must_pass: ["a", "b*".repeat(1001)] },
      ["glob_refused gate.rules[0].must_pass[1]"],
    ],
    [{ metric: "right" }, ["keys_none gate.rules[0]"]],
    [{ metric: "right", min: 0.5, max_drop: 0.1 }, ["keys_exclusive gate.rules[0].max_drop"]],
    [{ metric: "wrong", min: 0.5 }, ["rule_metric_unknown gate.rules[0].metric"]],
    [{ metric: "long/right", min: 0.5 }, ["rule_metric_unknown gate.rules[0].metric"]],
    [
      { metric: "right", min: 0.5, candidate: "ap" },
      ["rule_candidate_unknown gate.rules[0].candidate"],
    ],
    [
      { metric: "right", max_drop: 0.1, against: "ap" },
      ["rule_against_unknown gate.rules[0].against"],
    ],
    [
      { metric: "right", max_drop: 0.1, against: "a*" },
      ["rule_against_unknown gate.rules[0].against"],
    ],
    [
      { metric: "right", max_drop: 0.1, against: "app" },
      ["rule_against_itself gate.rules[0].against"],
    ],
    [
      { metric: "right", min: 0.1, against: "app" },
      ["rule_against_idle gate.rules[0].against", "rule_against_itself gate.rules[0].against"],
    ],
    [{ metric: "seconds", max_drop: 1 }, ["rule_direction gate.rules[0].max_drop"]],
    [{ metric: "right", max_rise: 1 }, ["rule_direction gate.rules[0].max_rise"]],
    [{ metric: "right", max_drop: 2 }, ["rule_beyond_span gate.rules[0].max_drop"]],
    [
      { metric: "right", max_drop: 1.01, prove: "nothing", level: "warn" },
      ["rule_beyond_span gate.rules[0].max_drop"],
    ],
    [{ metric: "right", max_drop: 1 }, []],
    [{ metric: "note", min: 1 }, ["rule_metric_not_aggregated gate.rules[0].metric"]],
    [{ metric: "right", min: 1.5 }, ["rule_outside_range gate.rules[0].min"]],
    [{ metric: "right", max: -0.1 }, ["rule_outside_range gate.rules[0].max"]],
    [{ metric: "right", min: 0.5, prove: "nothing" }, ["rule_key_idle gate.rules[0].prove"]],
    [{ metric: "right", max: 0.5, alpha: 0.1 }, ["rule_key_idle gate.rules[0].alpha"]],
    [
      { metric: "right", max_drop: 0.5, alpha: 0.1, prove: "nothing" },
      ["rule_key_idle gate.rules[0].alpha"],
    ],
    [{ metric: "latency_seconds", max_drop: 0.5 }, ["rule_direction gate.rules[0].max_drop"]],
    [{ metric: "right", max_drop: 0, prove: "no_drop" }, ["rule_no_room gate.rules[0].max_drop"]],
    [{ metric: "right", min: 0.5, slice: "tone=*" }, ["rule_slice_unknown gate.rules[0].slice"]],
    [{ metric: "right", min: 0.5, slice: "language" }, ["rule_slice_unknown gate.rules[0].slice"]],
    [{ metric: "seconds", must_pass: ["a"] }, ["rule_must_pass_limit gate.rules[0].must_pass"]],
    [{ metric: "right", max_drop: 0.1, always: true }, ["rule_always_idle gate.rules[0].always"]],
    [{ metric: "right", min: 0.1, always: false }, ["rule_always_idle gate.rules[0].always"]],
    [{ metric: "right", must_pass: ["a"], min: 2 }, ["rule_outside_range gate.rules[0].min"]],
    [
      { metric: "right", must_pass: ["a"], max_drop: 0.1 },
      ["keys_exclusive gate.rules[0].must_pass"],
    ],
    [{ metric: "right", must_pass: ["a"], min: 0, max: 1 }, ["keys_exclusive gate.rules[0].max"]],
    [
      { metric: "right", must_pass: ["a"], prove: "drop", slice: "language=de" },
      ["rule_key_idle gate.rules[0].prove", "rule_key_idle gate.rules[0].slice"],
    ],
    [
      { metric: "*", max_drop: 0.5 },
      ["rule_metric_not_aggregated gate.rules[0].metric", "rule_direction gate.rules[0].max_drop"],
    ],
  ])("%j", async (rule, expected) => {
    expect(brief(await problemsOf(withRule(rule))).toSorted()).toEqual(expected.toSorted());
  });

  it("lists the metrics that there are", async () => {
    const [problem] = await problemsOf(withRule({ metric: "wrong", min: 0.5 }));
    expect(problem?.hint).toContain("short/right, short/seconds, short/note");
  });

  it.each([
    ["min", "95%", "Write 0.95."],
    ["max_drop", "2.5 %", "Write 0.025."],
  ])("a %s of %s is told as a share", async (key, value, hint) => {
    const [problem] = await problemsOf(withRule({ metric: "right", [key]: value }));
    expect(problem).toMatchObject({ code: "value_type", hint });
  });

  it("does not blame a rule for a task that is itself refused", async () => {
    const text = shortForm({ dataset: "d.txt", gate: { rules: [{ metric: "wrong", min: 0.5 }] } });
    expect(brief(await problemsOf(text))).toEqual(["format_unknown dataset"]);
  });

  it.each([
    [{ baseline: {} }, ["keys_none gate.baseline"]],
    [{ baseline: { path: "runs", from: "auto" } }, ["keys_exclusive gate.baseline.from"]],
    [
      { baseline: { path: "runs", max_age_days: 3 } },
      ["keys_exclusive gate.baseline.max_age_days"],
    ],
    [
      { baseline: { from: "rerun", max_age_days: 3 } },
      ["baseline_search_idle gate.baseline.max_age_days"],
    ],
    [{ baseline: { from: "rerun" }, confirm: "always" }, []],
    [
      { baseline: { from: "rerun", fallback: "rerun" } },
      ["baseline_search_idle gate.baseline.fallback"],
    ],
    [{ baseline: { path: "runs", fallback: "rerun" } }, ["keys_exclusive gate.baseline.fallback"]],
    [{ baseline: { fallback: "rerun" } }, []],
    [{ baseline: { from: "pooled", fallback: "rerun", max_age_days: 3 } }, []],
    [{ baseline: { max_age_days: 3 }, confirm: "auto" }, []],
    [{ baseline: { from: "pooled", max_age_days: 3 }, confirm: "never" }, []],
  ])("%j", async (gate, expected) => {
    expect(brief(await problemsOf(shortForm({ gate }))).toSorted()).toEqual(expected);
  });
});

describe("a task that nothing would gate", () => {
  const python = { type: "python", source: "x" };
  const warningsOf = async (
    changes: Readonly<Record<string, Json>>,
  ): Promise<readonly Problem[]> => {
    const resolved = await resolveText(shortForm({ grader: python, ...changes }));
    return resolved.kind === "resolved" ? resolved.warnings : [];
  };

  it.each<[Readonly<Record<string, Json>>, readonly string[]]>([
    [{}, ["task_ungated grader"]],
    [{ metrics: [{ id: "right" }] }, ["task_ungated metrics[0]"]],
    [{ metrics: [{ id: "right", range: [0, 5] }] }, ["task_ungated metrics[0]"]],
    [{ metrics: [{ id: "right" }], gate: { max_drop: 0.05 } }, ["task_ungated metrics[0]"]],
    [{ metrics: [{ id: "right", range: [0, 1] }] }, []],
    [{ gate: "none" }, []],
    [{ gate: { rules: [{ metric: "score", min: 0.5 }] } }, []],
    [{ grader: "exact_match" }, []],
  ])("is said before the run: %j", async (changes, expected) => {
    expect(brief(await warningsOf(changes))).toEqual(expected);
  });

  it("says what to declare", async () => {
    const [warning] = await warningsOf({ metrics: [{ id: "right" }] });
    expect(warning?.message).toContain('"right" has no range');
    expect(warning?.hint).toContain("metrics: [{ id: right, range: [0, 1] }]");
  });
});
