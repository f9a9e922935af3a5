import { describe, expect, it } from "vitest";
import type { MetricSpec } from "../../../src/model/definition/suite.ts";
import type { ResultRules } from "../../../src/model/results.ts";
import type { RunTask } from "../../../src/model/outcomes/run.ts";
import { type Earlier, gateOf, leadBy, limitProblems } from "../../../src/suite/imported/gate.ts";

function metric(id: string, more: Partial<MetricSpec> = {}): MetricSpec {
  return {
    id,
    aggregation: "mean",
    higher_is_better: true,
    range: [0, 1],
    scale: null,
    ...more,
  };
}

function earlier(metrics: readonly MetricSpec[], gate: Earlier["gate"] = {}): Earlier {
  const fingerprint = {
    dataset: "",
    preprocess: null,
    prompt: "",
    extraction: "",
    grader: "",
    judge: null,
  };
  const task: RunTask = { fingerprint, metrics, repeats: 1, min_cases: 1 };
  return { tasks: { qa: task }, gate };
}

const usual: ResultRules = { maxDrop: undefined, min: undefined, metrics: [] };
const [score, easy] = [metric("score"), metric("easy")];

describe("the gate that flags mean", () => {
  it("judges what the baseline was judged by, where another metric comes first today", () => {
    const tasks = [{ id: "qa", metrics: [easy, score] }];
    const base = earlier([score]);
    expect(gateOf({ ...usual, maxDrop: 0.05 }, tasks, base)).toEqual({
      rules: [{ metric: "qa/score", max_drop: 0.05 }],
    });
    expect(gateOf(usual, tasks, base)).toEqual({ rules: [{ metric: "qa/score", max_drop: 0.02 }] });
    const led = [{ id: "qa", metrics: leadBy({ id: "qa", metrics: [easy, score] }, [], base) }];
    expect(led[0]?.metrics.map(({ id }) => id)).toEqual(["score", "easy"]);
    // The same gate again: a run that has followed its baseline is judged the same when it is read.
    expect(gateOf({ ...usual, maxDrop: 0.05 }, led, base)).toEqual({
      rules: [{ metric: "qa/score", max_drop: 0.05 }],
    });
  });

  it("makes a figure of the baseline's metric though some cases lack it now", () => {
    const partial = metric("score", { aggregation: "none" });
    const led = leadBy({ id: "qa", metrics: [easy, partial] }, [], earlier([score]));
    expect(led).toEqual([score, easy]);
  });

  it("keeps the default rule for a metric that had the range [0, 1], whatever its values are now", () => {
    const tasks = [{ id: "qa", metrics: [metric("score", { range: null })] }];
    expect(gateOf(usual, tasks, earlier([score]))).toEqual({
      rules: [{ metric: "qa/score", max_drop: 0.02 }],
    });
    expect(gateOf(usual, tasks, undefined)).toEqual({});
  });

  it("judges all that the baseline's rules name, and the named ones alone where the baseline has them", () => {
    const tasks = [{ id: "qa", metrics: [score, easy] }];
    const base = earlier([score, easy], {
      rules: [{ metric: "qa/easy", max_drop: 0.02 }],
    });
    expect(gateOf({ ...usual, min: 0.5 }, tasks, base)).toEqual({
      rules: [
        { metric: "qa/easy", max_drop: 0.02 },
        { metric: "qa/easy", min: 0.5 },
      ],
    });
    expect(gateOf({ ...usual, min: 0.5, metrics: ["score"] }, tasks, base)).toEqual({
      rules: [
        { metric: "qa/score", max_drop: 0.02 },
        { metric: "qa/score", min: 0.5 },
      ],
    });
  });

  it("refuses limits beyond the metric's range, where that is known", () => {
    const tasks = [{ id: "qa", metrics: [score] }];
    const codes = (rules: Partial<ResultRules>): unknown =>
      limitProblems({ ...usual, ...rules }, tasks, () => undefined).map(({ message, hint }) => [
        message,
        hint,
      ]);
    expect(codes({ maxDrop: 2, min: 5 })).toEqual([
      [
        "max-drop is 2, and 'qa/score' lies between 0 and 1: no drop can be as large",
        "Write 0.02 for 2 percentage points.",
      ],
      ["min is 5, and 'qa/score' lies between 0 and 1", "Write 0.8 for 80 %."],
    ]);
    expect(codes({ maxDrop: 1, min: 0 })).toEqual([]);
    const open = [{ id: "qa", metrics: [metric("score", { range: null })] }];
    expect(limitProblems({ ...usual, min: 5 }, open, () => undefined)).toEqual([]);
  });
});
