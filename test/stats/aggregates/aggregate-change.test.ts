import { describe, expect, it } from "vitest";
import { aggregateChange } from "../../../src/stats/aggregates/aggregate-change.ts";
import { aggregateValue } from "../../../src/stats/aggregates/aggregation.ts";
import { clusterT } from "../../../src/stats/inference/cluster-t.ts";
import { apart } from "../../../src/stats/clusters.ts";
import { pairedT } from "../../../src/stats/inference/paired-t.ts";
import { sfc32 } from "../../../src/stats/distributions/sfc32.ts";
import { signFlip } from "../../../src/stats/inference/sign-flip.ts";
import { sideSwap } from "../../../src/stats/inference/swap.ts";
import type { Aggregation } from "../../../src/model/definition/aggregations.ts";

const every: readonly Aggregation[] = ["mean", "median", "p50", "p90", "p95", "sum", "stddev"];

/** Latencies of the same cases on both sides: a case's own, times noise. */
function latencies(n: number, factor: number, seed: number): { before: number[]; after: number[] } {
  const random = sfc32([seed, 2, 3]);
  const uniform = (): number => (random() + 0.5) / 2 ** 32;
  const own = Array.from({ length: n }, () => -Math.log(uniform()));
  const noisy = (value: number): number => value * (0.7 + 0.6 * uniform());
  return { before: own.map(noisy), after: own.map((value) => factor * noisy(value)) };
}

describe("the value of an aggregation", () => {
  it("is what a spreadsheet gives", () => {
    const scores = [4, 1, 9, 2, 10];
    const expected = {
      mean: 5.2,
      median: 4,
      p50: 4,
      p90: 9.6,
      p95: 9.8,
      sum: 26,
      stddev: Math.sqrt(16.7),
    };
    for (const aggregation of every)
      expect(aggregateValue(scores, aggregation)).toBeCloseTo(expected[aggregation], 13);
    expect(aggregateValue([0.1, 0.2, 0.3, -0.6], "sum")).toBe(
      aggregateValue([-0.6, 0.3, 0.1, 0.2], "sum"),
    );
  });

  it("is not made up: of nothing, of one, of more than a number can hold", () => {
    for (const aggregation of every) expect(aggregateValue([], aggregation)).toBeUndefined();
    expect(aggregateValue([3], "stddev")).toBeUndefined();
    expect(aggregateValue([3], "p95")).toBe(3);
    expect(aggregateValue([Number.MAX_VALUE, Number.MAX_VALUE], "sum")).toBeUndefined();
    for (const aggregation of every)
      expect(() => aggregateValue([1, Number.NaN], aggregation)).toThrow(RangeError);
  });
});

describe("head against base under an aggregation", () => {
  it("is the test of means for sums and means, a sum being n of them", () => {
    const { before, after } = latencies(80, 1.1, 1);
    const differences = after.map((value, i) => value - (before[i] ?? 0));
    const t = pairedT(differences, 0.9);
    const sum = aggregateChange({ before, after }, "sum", 0.9);
    expect(sum).toMatchObject({ test: "paired_t", pLess: t.pLess });
    expect(sum?.interval?.lower).toBeCloseTo(80 * (t.interval?.lower ?? 0), 10);
    expect(sum?.delta).toBeCloseTo(80 * t.mean, 10);
    const few = { before: before.slice(0, 12), after: after.slice(0, 12) };
    const flip = signFlip(differences.slice(0, 12));
    expect(aggregateChange(few, "sum", 0.9)).toMatchObject({
      test: "sign_flip_exact",
      pLess: flip.pMid,
    });
    const clusters = before.map((_, i) => i % 25);
    const robust = clusterT({ values: differences, clusters }, 0.9);
    expect(aggregateChange({ before, after, clusters }, "mean", 0.9)).toMatchObject({
      test: "cluster_t",
      pLess: robust.pLess,
      interval: robust.interval,
    });
    const coarse = before.map((_, i) => i % 5);
    expect(aggregateChange({ before, after, clusters: coarse }, "mean", 0.9)?.test).toBe(
      "cluster_flip_exact",
    );
  });

  it("sees a slower tail, and says by how much", () => {
    const change = aggregateChange(latencies(300, 1.3, 2), "p90", 0.9);
    expect(change).toMatchObject({ test: "side_swap_seeded" });
    expect(change?.pGreater).toBeLessThan(0.01);
    expect(change?.pLess).toBeGreaterThan(0.99);
    expect(change?.interval?.lower).toBeGreaterThan(0);
    expect(change?.interval?.upper).toBeLessThan(1.5);
  });

  it("gives the same bytes again, and in whatever order the cases come", () => {
    const { before, after } = latencies(40, 1.05, 3);
    const order = before.map((_, i) => (i * 7) % 40);
    const clusters = before.map((_, i) => (i % 3 === 0 ? null : i % 23));
    for (const aggregation of every) {
      for (const names of [undefined, clusters]) {
        const there = aggregateChange({ before, after, clusters: names }, aggregation, 0.9);
        const mixed = {
          before: order.map((i) => before[i] ?? 0),
          after: order.map((i) => after[i] ?? 0),
          clusters: names && order.map((i) => names[i] ?? null),
        };
        expect(aggregateChange(mixed, aggregation, 0.9)).toEqual(there);
      }
    }
  });

  it("has p = 1 and no width where nothing changed", () => {
    const { before } = latencies(50, 1, 4);
    for (const aggregation of every) {
      const same = aggregateChange({ before, after: before }, aggregation, 0.9);
      expect(same).toMatchObject({
        delta: 0,
        pLess: 1,
        pGreater: 1,
        interval: { lower: 0, upper: 0 },
      });
    }
  });

  it("does not tell an interval from a handful of cases", () => {
    const few = latencies(12, 1.2, 5);
    expect(aggregateChange(few, "p95", 0.9)).toMatchObject({
      interval: undefined,
      stderr: undefined,
    });
    expect(aggregateChange({ before: [1], after: [2] }, "stddev", 0.9)).toBeUndefined();
    expect(aggregateChange({ before: [], after: [] }, "p50", 0.9)).toBeUndefined();
    expect(() => aggregateChange({ before: [1], after: [] }, "p50", 0.9)).toThrow(RangeError);
  });

  it("changes over to a formula for many cases without a jump", { tags: "long" }, () => {
    for (const aggregation of ["p50", "p95", "stddev"] as const) {
      const small = aggregateChange(latencies(1000, 1.02, 6), aggregation, 0.9);
      const large = aggregateChange(latencies(16_000, 1.02, 6), aggregation, 0.9);
      expect([small?.test, large?.test]).toEqual(["side_swap_seeded", "large_sample"]);
      // 16 times the cases: a quarter of the standard error.
      expect((small?.stderr ?? 0) / (large?.stderr ?? 1)).toBeGreaterThan(2.8);
      expect((small?.stderr ?? 0) / (large?.stderr ?? 1)).toBeLessThan(5.6);
    }
  });

  it("blocks unchanged code as rarely as alpha says", { tags: "long" }, () => {
    const rounds = 120;
    for (const kind of [{ kind: "quantile", p: 0.9 }, { kind: "stddev" }] as const) {
      let blocked = 0;
      for (let round = 0; round < rounds; round += 1) {
        const sides = { ...latencies(20, 1, 100 + round), clusters: apart(20) };
        if (sideSwap(sides, kind).pGreater < 0.05) blocked += 1;
      }
      expect(blocked / rounds).toBeLessThan(0.1);
    }
  });
});
