import { describe, expect, it } from "vitest";

import { historyOf } from "../../../src/model/outcomes/history.ts";
import { failed, rule, value } from "../../report/examples.ts";

describe("what a run leaves of its metrics to those after it", () => {
  it("is what its own baseline left, and itself at the end", () => {
    const before = { sha: "aaa", values: [] };
    const baseline = failed.baseline && { ...failed.baseline, history: [before] };
    const points = historyOf({ ...failed, baseline });
    expect(points.map(({ sha }) => sha)).toEqual(["aaa", failed.git.sha]);
    expect(points[1]?.values[0]).toEqual({
      task: "qa",
      candidate: "main",
      metric: "exact_match",
      slice: null,
      value: 0.8375,
    });
  });

  it("says when it ended, and what its scores mean: another grader is another mark, another prompt is not", () => {
    const { qa } = failed.suite.tasks;
    if (qa === undefined) throw new Error("no task");
    const markWith = (changed: Partial<typeof qa.fingerprint>) => {
      const fingerprint = { ...qa.fingerprint, ...changed };
      const suite = { ...failed.suite, tasks: { qa: { ...qa, fingerprint } } };
      return historyOf({ ...failed, suite }).at(-1)?.meaning?.["qa"];
    };
    expect(historyOf(failed).at(-1)?.at).toBe(failed.completed_at);
    expect(markWith({})).toBe(markWith({ prompt: "sha256:other" }));
    for (const part of ["dataset", "preprocess", "extraction", "grader", "judge"])
      expect(markWith({ [part]: "sha256:other" })).not.toBe(markWith({}));
  });

  it("keeps thirty runs, and of slices those that a rule names", () => {
    const old = Array.from({ length: 30 }, (_, i) => ({ sha: String(i), values: [] }));
    const baseline = failed.baseline && { ...failed.baseline, history: old };
    const gate = { ...failed.gate, rules: [rule({ slice: "language=de" })] };
    const metrics = [
      value({}),
      value({ slice: "language=de" }),
      value({ slice: "language=en" }),
      value({ metric: "usd", value: null }),
    ];
    const points = historyOf({ ...failed, gate, metrics, baseline });
    expect(points).toHaveLength(30);
    expect(points[0]?.sha).toBe("1");
    expect(points.at(-1)?.values.map(({ slice }) => slice)).toEqual([null, "language=de"]);
  });
});
