import { describe, expect, it } from "vitest";
import { binomialAtLeast, binomialAtMost } from "../../../src/stats/distributions/binomial.ts";
import { orderStatisticInterval } from "../../../src/stats/aggregates/quantile.ts";
import { quantile } from "../../../src/stats/aggregates/quantile.ts";

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

describe("a quantile", () => {
  it("lies between its neighbours, without rounding where it is one of them", () => {
    expect(quantile([1, 2, 4, 9, 10], 0.9)).toBeCloseTo(9.6, 14);
    expect(quantile(upTo(11), 0.9)).toBe(10);
    expect(quantile([0.1, 0.1, 0.1], 0.95)).toBe(0.1);
    expect(quantile([7], 0.5)).toBe(7);
    expect(quantile([-Number.MAX_VALUE, Number.MAX_VALUE], 0.5)).toBe(0);
  });

  it("is refused for no values, and for a share that is none", () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
    expect(() => quantile([1], 1.1)).toThrow(RangeError);
  });
});

describe("the interval of a quantile", () => {
  it("is the narrowest of ranks that covers as often as it says", () => {
    for (const [n, p, level] of [
      [10, 0.5, 0.95],
      [100, 0.5, 0.95],
      [100, 0.9, 0.95],
      [400, 0.95, 0.9],
    ] as const) {
      const interval = orderStatisticInterval(upTo(n), p, level);
      const { lower = 0, upper = 0 } = interval ?? {};
      const binomial = { trials: n, probability: p };
      const tail = (1 - level) / 2;
      // The truth is below the k-th value if at most k − 1 values are below the truth.
      expect(binomialAtMost(lower - 1, binomial)).toBeLessThanOrEqual(tail);
      expect(binomialAtMost(lower, binomial)).toBeGreaterThan(tail);
      expect(binomialAtLeast(upper, binomial)).toBeLessThanOrEqual(tail);
      expect(binomialAtLeast(upper - 1, binomial)).toBeGreaterThan(tail);
    }
    // W. J. Conover's table: ranks 2 and 9 of 10 for a median, 97.9 %.
    expect(orderStatisticInterval(upTo(10), 0.5, 0.95)).toEqual({ lower: 2, upper: 9 });
  });

  it("has no limit where the values don't reach so far", () => {
    expect(orderStatisticInterval(upTo(20), 0.95, 0.95)).toBeUndefined();
    expect(orderStatisticInterval(upTo(5), 0.5, 0.95)).toBeUndefined();
    expect(orderStatisticInterval([], 0.5, 0.95)).toBeUndefined();
    expect(orderStatisticInterval(upTo(73), 0.95, 0.95)).toEqual({ lower: 65, upper: 73 });
  });
});
