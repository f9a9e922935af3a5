import { describe, expect, it } from "vitest";

import type { Run } from "../../../src/model/outcomes/run.ts";
import type { RuleResult } from "../../../src/model/outcomes/rule-result.ts";
import { worseCases } from "../../../src/report/words/worse-cases.ts";
import * as examples from "../examples.ts";

function withRules(rules: readonly RuleResult[]): Run {
  return { ...examples.failed, gate: { ...examples.failed.gate, rules } };
}

const drop = examples.rule({
  changed: { broke: examples.ids("refund", 18, 1), fixed: examples.ids("parcel", 6, 0) },
});

describe("the cases that got worse", () => {
  it("are counted once, though several rules and slices name them", () => {
    const german = { ...drop, slice: "language=de", broke: 4, n: 34 };
    const { cases, total, of } = worseCases(withRules([drop, german, { ...drop, kind: "min" }]));
    expect([cases.length, total, of]).toEqual([18, 18, 240]);
  });

  it("are none of those that took longer than before", () => {
    const slower = examples.rule({
      metric: "latency_seconds",
      kind: "max_rise",
      level: "warn",
      outcome: "met",
      broke: 131,
      changed: { broke: examples.ids("slow", 50, 1), fixed: [] },
    });
    const found = worseCases(withRules([drop, slower]));
    expect([found.cases.length, found.total, found.others]).toEqual([18, 18, []]);
  });

  it("are none of those that cost more, though a rule on cost is missed", () => {
    const dearer = examples.rule({
      metric: "usd",
      kind: "max_rise",
      broke: 240,
      changed: { broke: examples.ids("dear", 50, 1), fixed: [] },
    });
    expect(worseCases(withRules([dearer]))).toMatchObject({ cases: [], total: 0, others: [] });
  });

  it("are counted once, though worse than in the baseline and than another candidate's", () => {
    const against = { ...drop, against: "plain", broke: 19, n: 240 };
    const broke = [...drop.changed.broke, ...examples.ids("only", 1, 1)];
    const both = [drop, { ...against, changed: { broke, fixed: [] } }];
    for (const rules of [both, both.toReversed()]) {
      const { cases, total } = worseCases(withRules(rules));
      expect(total).toBe(19);
      expect(cases.filter((one) => one.against !== undefined)).toMatchObject([
        { caseId: "only-001", against: "plain" },
      ]);
    }
  });

  it("in metrics that decide nothing are told apart, each of them once", () => {
    const tone = examples.rule({
      metric: "tone",
      level: "warn",
      broke: 20,
      changed: {
        broke: [...examples.ids("refund", 18, 1), ...examples.ids("tone", 2, 1)],
        fixed: [],
      },
    });
    const { cases, total, others } = worseCases(withRules([tone, drop]));
    expect([cases.length, total]).toEqual([18, 18]);
    expect(others.map(({ caseId }) => caseId)).toEqual(["tone-001", "tone-002"]);
  });

  it("keep the gate's count, though the run has the ids of fewer", () => {
    const { cases, total } = worseCases(withRules([{ ...drop, broke: 5000 }]));
    expect([cases.length, total]).toEqual([18, 5000]);
  });

  it("know which of them must pass, and what they had before", () => {
    const must = examples.rule({
      kind: "must_pass",
      code: "cases_short",
      n: 8,
      broke: null,
      limit: 1,
      changed: { broke: [], fixed: [] },
      short: [
        { case_id: "refund-003", value: 0 },
        { case_id: "login-004", value: null },
      ],
    });
    const { cases, total, of } = worseCases(withRules([must, drop]));
    expect([total, of]).toEqual([19, 240]);
    const musts = cases.filter(({ mustPass }) => mustPass);
    expect(musts.map(({ caseId, changes }) => [caseId, changes])).toEqual([
      ["refund-003", [{ metric: "exact_match", before: 1, after: 0 }]],
      ["login-004", [{ metric: "exact_match", before: null, after: null }]],
    ]);
  });
});
