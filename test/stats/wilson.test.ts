import { describe, expect, it } from "vitest";
import { wilsonInterval } from "../../src/stats/inference/proportion.ts";

describe("Wilson's interval", () => {
  // Newcombe 1998, Statistics in Medicine 17, Table I, method 3.
  it.each([
    [81, 263, { lower: 0.2553, upper: 0.3662 }],
    [15, 148, { lower: 0.0624, upper: 0.1605 }],
    [0, 20, { lower: 0, upper: 0.1611 }],
    [1, 29, { lower: 0.0061, upper: 0.1718 }],
  ])("gives the published limits of %i out of %i", (successes, n, published) => {
    const interval = wilsonInterval(successes, n, 0.95);
    expect(interval.lower).toBeCloseTo(published.lower, 4);
    expect(interval.upper).toBeCloseTo(published.upper, 4);
  });

  it("contains the proportion, stays inside [0, 1] and mirrors", () => {
    for (const n of [1, 2, 7, 240, 1_000_000]) {
      for (const successes of [0, 1, n >> 1, n - 1, n]) {
        const { lower, upper } = wilsonInterval(successes, n, 0.95);
        const mirror = wilsonInterval(n - successes, n, 0.95);
        expect(lower).toBeGreaterThanOrEqual(0);
        expect(upper).toBeLessThanOrEqual(1);
        expect(lower).toBeLessThanOrEqual(successes / n);
        expect(upper).toBeGreaterThanOrEqual(successes / n);
        expect(mirror.lower).toBeCloseTo(1 - upper, 12);
      }
    }
  });

  it("is exactly 0 and 1 at the ends, and excludes nothing without cases", () => {
    expect(wilsonInterval(0, 7, 0.95).lower).toBe(0);
    expect(wilsonInterval(7, 7, 0.95).upper).toBe(1);
    expect(wilsonInterval(0, 0, 0.95)).toEqual({ lower: 0, upper: 1 });
  });
});
