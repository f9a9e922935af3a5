import { describe, expect, it } from "vitest";
import { pairedT } from "../../../src/stats/inference/paired-t.ts";
import { sfc32 } from "../../../src/stats/distributions/sfc32.ts";

const sleep = [-1.2, -2.4, -1.3, -1.3, 0, -1, -1.8, -0.8, -4.6, -1.4];

describe("the paired t test", () => {
  it("gives Student's example: t = −4.0621, p = 0.002833 two-sided, (−2.4599, −0.7001)", () => {
    const { mean, stderr = 0, pLess, interval } = pairedT(sleep, 0.95);
    expect(mean / stderr).toBeCloseTo(-4.0621, 4);
    expect(2 * pLess).toBeCloseTo(0.002833, 6);
    expect(interval?.lower).toBeCloseTo(-2.4598858, 7);
    expect(interval?.upper).toBeCloseTo(-0.7001142, 7);
  });

  it("adds up to 1 with its mirror, and does not depend on the unit or the order", () => {
    const there = pairedT(sleep, 0.9);
    const back = pairedT(
      sleep.map((d) => -d),
      0.9,
    );
    expect(there.pLess + back.pLess).toBeCloseTo(1, 14);
    const scaled = pairedT(
      sleep.map((d) => d * 1e6),
      0.9,
    );
    expect(scaled.pLess).toBeCloseTo(there.pLess, 14);
    expect(pairedT(sleep.toReversed(), 0.9)).toEqual(there);
  });

  it("stays sharp for strong evidence instead of rounding it to 0", () => {
    const random = sfc32([1, 1, 1]);
    const drops = Float64Array.from({ length: 1000 }, () => random() / 2 ** 32 - 0.8);
    const { pLess } = pairedT(drops, 0.9);
    expect(pLess).toBeGreaterThan(0);
    expect(pLess).toBeLessThan(1e-100);
  });

  it.each([
    ["every case lost the same", Array.from({ length: 30 }, () => -0.1), 2 ** -30],
    ["every case won the same", Array.from({ length: 30 }, () => 0.1), 1],
    ["nothing changed", Array.from({ length: 30 }, () => 0), 1],
    ["the same loss, but for rounding", [0.8 - 0.9, 0.7 - 0.8, 0.1 - 0.2], 1 / 8],
    ["nothing but rounding", [0.1 + 0.2 - 0.3, 0.1 + 0.7 - 0.8, 0, -5e-17], 1],
  ])("takes zero variance for a result: %s", (_, differences, p) => {
    const { pLess, interval, stderr = 1, mean } = pairedT(differences, 0.9);
    expect(pLess).toBe(p);
    expect(stderr).toBeLessThan(1e-16);
    expect(interval?.lower).toBeCloseTo(mean, 14);
    expect(interval?.upper).toBeCloseTo(mean, 14);
  });

  it("has no standard error and no interval for one case, and proves nothing with it", () => {
    expect(pairedT([-0.5], 0.9)).toEqual({
      mean: -0.5,
      stderr: undefined,
      pLess: 0.5,
      interval: undefined,
    });
  });

  it("refuses no case at all", () => {
    expect(() => pairedT([], 0.9)).toThrow(RangeError);
  });
});
