import { describe, expect, it } from "vitest";
import { mean, meanOf, tInterval } from "../../../src/stats/aggregates/mean.ts";
import { below, sfc32 } from "../../../src/stats/distributions/sfc32.ts";
import { exactSum } from "../../../src/stats/aggregates/sum.ts";

function shuffled(values: readonly number[], seed: number): number[] {
  const random = sfc32([seed, 2, 3]);
  const result = [...values];
  for (let i = result.length - 1; i > 0; i -= 1) {
    const j = below(random, i + 1);
    [result[i], result[j]] = [result[j] ?? 0, result[i] ?? 0];
  }
  return result;
}

describe("exactSum", () => {
  it.each([
    [[], 0],
    [[0.1, 0.2, 0.3, -0.6], 2.7755575615628914e-17],
    [Array.from({ length: 10 }, () => 0.1), 1],
    [[1e16, 1, -1e16], 1],
    [[1e-16, 1, 1e16], 10000000000000002],
    [[1e100, 1, -1e100, 1e-100], 1],
    [[-1e308, 1e308, 2], 2],
  ])("loses nothing: %j", (values, sum) => {
    expect(exactSum(values)).toBe(sum);
  });

  it("does not depend on the order", () => {
    const random = sfc32([7, 7, 7]);
    const values = Array.from(
      { length: 500 },
      () => (random() / 2 ** 32 - 0.5) * 10 ** (below(random, 30) - 15),
    );
    const sums = [1, 2, 3, 4, 5].map((seed) => exactSum(shuffled(values, seed)));
    expect(new Set(sums).size).toBe(1);
  });
});

describe("mean", () => {
  it("refuses an empty list: a gap is no number", () => {
    expect(() => mean([])).toThrow(RangeError);
    expect(() => meanOf([])).toThrow(RangeError);
  });

  it.each([[[Number.NaN]], [[1, Number.NaN]], [[1, Number.POSITIVE_INFINITY]], [[-1 / 0]]])(
    "refuses %j: NaN never reaches a verdict",
    (values) => {
      expect(() => mean(values)).toThrow(RangeError);
    },
  );

  it("of equal values is that value, and their spread is 0", () => {
    for (const value of [0.1, 1 / 3, -0.7, 1e-9, 1e300]) {
      for (const n of [2, 3, 7, 10, 1001]) {
        const values = Array.from({ length: n }, () => value);
        expect(meanOf(values)).toEqual({ mean: value, stderr: 0, n });
      }
    }
  });

  it("stands numbers that overflow when added or squared", () => {
    const huge = Number.MAX_VALUE;
    expect(mean([huge, huge, huge / 2])).toBeCloseTo((huge / 6) * 5, -300);
    expect(mean([huge, -huge])).toBe(0);
    const { stderr } = meanOf([huge, -huge, 0, 1]);
    expect(Number.isFinite(stderr)).toBe(true);
    const { lower, upper } = tInterval(meanOf([huge, -huge]), 0.95) ?? { lower: 0, upper: 0 };
    expect([lower, upper]).toEqual([-huge, huge]);
  });

  it("reads typed arrays as well", () => {
    expect(mean(Float64Array.of(1, 2, 6))).toBe(3);
  });
});

describe("the interval of a mean", () => {
  it("gives Student's own: the sleep data of 1908, 0.75 (−0.53 … 2.03) for the first drug", () => {
    const extra = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
    const summary = meanOf(extra);
    const { lower, upper } = tInterval(summary, 0.95) ?? { lower: 0, upper: 0 };
    expect(summary.mean).toBeCloseTo(0.75, 14);
    expect(summary.stderr).toBeCloseTo(0.5657, 4);
    expect(lower).toBeCloseTo(-0.5298, 4);
    expect(upper).toBeCloseTo(2.0298, 4);
  });

  it("is none for one value, and has no width for equal ones", () => {
    expect(tInterval(meanOf([0.4]), 0.95)).toBeUndefined();
    expect(tInterval(meanOf([0.4, 0.4, 0.4]), 0.95)).toEqual({ lower: 0.4, upper: 0.4 });
  });

  it("is not cut to [0, 1]: a limit beyond says that few cases carry the mean", () => {
    const { lower = 0 } = tInterval(meanOf([0, 0.9, 1]), 0.95) ?? {};
    expect(lower).toBeLessThan(0);
  });
});
