import { describe, expect, it } from "vitest";
import { binomialAtLeast, binomialAtMost } from "../../src/stats/distributions/binomial.ts";
import { clopperPearson } from "../../src/stats/inference/proportion.ts";

describe("Clopper and Pearson's interval", () => {
  it("leaves exactly the tail on each side", () => {
    for (const [x, n] of [
      [1, 2],
      [3, 10],
      [9, 10],
      [57, 200],
      [999, 1000],
    ] as const) {
      const { lower, upper } = clopperPearson(x, n, 0.9);
      expect(binomialAtLeast(x, { trials: n, probability: lower })).toBeCloseTo(0.05, 12);
      expect(binomialAtMost(x, { trials: n, probability: upper })).toBeCloseTo(0.05, 12);
    }
  });

  it("covers the truth at least as often as it says, whatever the truth", () => {
    const n = 20;
    const intervals = Array.from({ length: n + 1 }, (_, x) => clopperPearson(x, n, 0.95));
    for (let p = 0.01; p < 1; p += 0.01) {
      const binomial = { trials: n, probability: p };
      const covered = intervals.reduce((sum, { lower, upper }, x) => {
        const chance =
          binomialAtMost(x, binomial) - (x === 0 ? 0 : binomialAtMost(x - 1, binomial));
        return lower <= p && p <= upper ? sum + chance : sum;
      }, 0);
      expect(covered).toBeGreaterThanOrEqual(0.95 - 1e-12);
    }
  });

  it("is exact at the ends: 0 of n, n of n, none at all", () => {
    expect(clopperPearson(0, 20, 0.95)).toEqual({
      lower: 0,
      upper: expect.closeTo(1 - 0.025 ** 0.05, 14),
    });
    expect(clopperPearson(20, 20, 0.95)).toEqual({
      lower: expect.closeTo(0.025 ** 0.05, 14),
      upper: 1,
    });
    expect(clopperPearson(0, 0, 0.95)).toEqual({ lower: 0, upper: 1 });
  });
});
