import { describe, expect, it } from "vitest";
import { judge } from "../../src/gate/judge.ts";
import type { Figure } from "../../src/model/figures/judge-calibration.ts";
import type { MetricSpec } from "../../src/model/definition/suite.ts";
import type { RuleSpec } from "../../src/model/definition/gate.ts";
import { statistics } from "../../src/stats/statistics.ts";
import { baseline, pairs, qa } from "./sides.ts";

const slope: Figure = { value: 0.6, ci: [0.5, 0.7] };
const [before, after] = pairs({ broke: 12, fixed: 10, right: 360, wrong: 18 });

function ruleOf(
  rule: Partial<RuleSpec>,
  { slope: found, metric = {} }: { slope?: Figure; metric?: Partial<MetricSpec> } = {},
) {
  const draft = { metrics: [metric] };
  const judges = found && [{ task: "qa", metric: "em", slope: found }];
  const { result } = judge(
    {
      gate: { rules: [{ metric: "em", ...rule }] },
      head: { ...qa(after, draft), ...(judges && { judges }) },
      baseline: baseline(qa(before, draft)),
    },
    statistics,
  );
  return result.rules[0];
}

describe("a rule about the scores of a judge that was calibrated", () => {
  it("tests a drop on the judge's own scores, and says it in people's", () => {
    const plain = ruleOf({ max_drop: 0.02 });
    const found = ruleOf({ max_drop: 0.02 }, { slope });
    expect(plain?.people).toBeUndefined();
    expect(found).toMatchObject({
      p: plain?.p,
      outcome: plain?.outcome,
      delta: -0.005,
      people: { slope, delta: expect.closeTo(-0.005 / 0.6, 12), margin: null },
    });
    const [lower = 0, upper = 0] = found?.people?.delta_ci ?? [];
    expect(lower).toBeLessThan((plain?.delta_ci?.[0] ?? 0) / 0.6);
    expect(upper).toBeGreaterThan(0);
  });

  it("shows no drop in people's scores only by as much of the limit as the judge shows of a difference", () => {
    const rule = { max_drop: 0.04, prove: "no_drop" } as const;
    expect(ruleOf(rule)).toMatchObject({ outcome: "met", code: "no_drop_shown" });
    const found = ruleOf(rule, { slope });
    expect(found).toMatchObject({ outcome: "inconclusive", code: "no_drop_not_shown" });
    // The lower bound of the slope is 0.6 less 2.576 standard errors of 0.1 / 1.96.
    expect(found?.people?.margin).toBeCloseTo(0.04 * (0.6 - (2.5758 * 0.1) / 1.96), 4);
    const wide = ruleOf({ ...rule, max_drop: 0.1 }, { slope });
    expect(wide).toMatchObject({ outcome: "met", code: "no_drop_shown" });
  });

  it("is never laxer for a judge that overstates, and shows nothing for one that may be a coin", () => {
    const rule = { max_drop: 0.04, prove: "no_drop" } as const;
    const over = ruleOf(rule, { slope: { value: 1.6, ci: [1.5, 1.7] } });
    expect(over?.people?.margin).toBe(0.04);
    const coin = ruleOf({ ...rule, max_drop: 0.3 }, { slope: { value: 0.1, ci: [-0.1, 0.3] } });
    expect(coin).toMatchObject({ outcome: "inconclusive", people: { margin: 0, delta_ci: null } });
  });

  it("is as it was for a median, and where the labels leave the slope without an interval", () => {
    const metric = { aggregation: "median", scale: "graded" } as const;
    expect(ruleOf({ max_drop: 0.04 }, { slope, metric })?.people).toBeUndefined();
    const rule = { max_drop: 0.04, prove: "no_drop" } as const;
    const certain = ruleOf(rule, { slope: { value: 1, ci: null } });
    expect(certain).toMatchObject({ outcome: "met", people: { margin: null, delta_ci: null } });
  });
});
