import { describe, expect, it } from "vitest";
import type { JudgedBits, KnownJudge } from "../../src/model/figures/judge-calibration.ts";
import { judgedValues } from "../../src/verdict/judged-values.ts";
import { aggregate } from "../../src/stats/aggregates/aggregate.ts";
import { judgeSlope } from "../../src/stats/inference/judge-error.ts";
import { type Cell, qa } from "../gate/sides.ts";

const bits: JudgedBits = { rights: 50, rights_seen: 45, wrongs: 50, wrongs_seen: 40 };

const known: KnownJudge = {
  task: "qa",
  metric: "em",
  bound: { grader: "grader", judge: null },
  labels: 100,
  agreement: { count: 85, of: 100, rate: 0.85, ci: [0.76, 0.91] },
  kappa: { value: 0.7, ci: [0.55, 0.85] },
  alpha: { value: 0.7, ci: [0.5, 0.8] },
  bias: { value: 0.05, ci: [-0.02, 0.12] },
  slope: judgeSlope([], bits) ?? null,
  bits,
};

interface Setting {
  readonly cases: readonly (Cell | readonly Cell[])[];
  readonly scale?: "binary" | "graded";
  readonly reducer?: { readonly kind: "pass_at_k"; readonly k: number; readonly pass: number };
  readonly known?: Partial<KnownJudge>;
}

function valuesOf({ cases, scale = "binary", reducer, known: other }: Setting) {
  const metric = { range: [0, 1] as const, scale, ...(reducer && { reducer }) };
  const { tasks, ledger } = qa(cases, { metrics: [metric] });
  const measured = Object.entries(tasks).map(([id, task]) => ({
    id,
    metrics: task.metrics,
    slices: [],
  }));
  const metrics = aggregate(ledger, measured);
  const bound = { grader: tasks["qa"]?.fingerprint.grader ?? "", judge: null };
  return judgedValues({ tasks, ledger, metrics }, { metrics: [{ ...known, bound, ...other }] });
}

const ofEach = (right: number, wrong: number): readonly Cell[] => [
  ...Array.from({ length: right }, () => 1),
  ...Array.from({ length: wrong }, () => 0),
];

describe("judged metrics beside what people would give", () => {
  it("divide the errors of a judge of 0 and 1 out", () => {
    const [found] = valuesOf({ cases: ofEach(70, 30) });
    expect(found).toMatchObject({
      kind: "calibrated",
      candidate: "main",
      labels: 100,
      judge: { value: 0.7 },
      corrected: { method: "rogan_gladen", ci: [expect.any(Number), expect.any(Number)] },
    });
    // (0.7 + 0.8 − 1) / (0.9 + 0.8 − 1)
    const corrected = found?.kind === "calibrated" ? found.corrected : null;
    expect(corrected?.value).toBeCloseTo(0.5 / 0.7, 12);
    expect(corrected?.ci?.[0]).toBeLessThan(0.62);
    expect(corrected?.ci?.[1]).toBeGreaterThan(0.82);
  });

  it("leave what no judge saw as it counts", () => {
    // 20 of 100 crashed and count as 0; of the 80 others the judge calls 56 right.
    const crashed = Array.from({ length: 20 }, (): Cell => "failed");
    const [found] = valuesOf({ cases: [...ofEach(56, 24), ...crashed] });
    const corrected = found?.kind === "calibrated" ? found.corrected : null;
    expect(corrected?.value).toBeCloseTo((0.8 * 0.5) / 0.7, 12);
    const [graded] = valuesOf({ cases: [...ofEach(56, 24), ...crashed], scale: "graded" });
    expect(graded).toMatchObject({ corrected: { method: "prediction_powered" } });
    const powered = graded?.kind === "calibrated" ? graded.corrected : null;
    expect(powered?.value).toBeCloseTo(0.56 - 0.8 * 0.05, 12);
  });

  it("subtract the bias where labels don't show that the judge tells right from wrong", () => {
    const coin = { rights: 50, rights_seen: 26, wrongs: 50, wrongs_seen: 26 };
    const slope = judgeSlope([], coin) ?? null;
    const [found] = valuesOf({ cases: ofEach(70, 30), known: { bits: coin, slope } });
    expect(found).toMatchObject({ corrected: { method: "prediction_powered" } });
  });

  it("correct means of repeats, and no other reducer", () => {
    const cases = Array.from({ length: 40 }, (_, i) => [i % 4 === 0 ? 0 : 1, 1] as const);
    expect(valuesOf({ cases })[0]).toMatchObject({ corrected: { method: expect.any(String) } });
    const reducer = { kind: "pass_at_k", k: 1, pass: 1 } as const;
    expect(valuesOf({ cases, reducer })[0]).toMatchObject({ corrected: null });
  });

  it.each([
    [{ bound: { grader: "other", judge: null } }, "the grader with its rubric changed since"],
    [
      { bound: { grader: "other", judge: "model" } },
      "the grader with its rubric and the judge model changed since",
    ],
  ])("are void where the judge is another one: %#", (other, reason) => {
    expect(valuesOf({ cases: ofEach(7, 3), known: other })).toEqual([
      { kind: "void", task: "qa", metric: "em", labels: 100, reason },
    ]);
  });

  it("say nothing of a task that was not run, or a metric that it does not have", () => {
    expect(valuesOf({ cases: ofEach(7, 3), known: { task: "other" } })).toEqual([]);
    expect(valuesOf({ cases: ofEach(7, 3), known: { metric: "other" } })).toEqual([]);
    expect(valuesOf({ cases: ["ungraded", "ungraded"] })).toEqual([]);
  });
});
