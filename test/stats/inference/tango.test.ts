import { describe, expect, it } from "vitest";
import { normalCdf } from "../../../src/stats/distributions/normal.ts";
import { tangoInterval, tangoScore } from "../../../src/stats/inference/tango.ts";
import { wilsonInterval } from "../../../src/stats/inference/proportion.ts";

const tables = [
  { broke: 0, fixed: 0, n: 1 },
  { broke: 1, fixed: 0, n: 1 },
  { broke: 0, fixed: 0, n: 20 },
  { broke: 5, fixed: 5, n: 10 },
  { broke: 10, fixed: 0, n: 10 },
  { broke: 0, fixed: 10, n: 10 },
  { broke: 2, fixed: 12, n: 50 },
  { broke: 18, fixed: 6, n: 240 },
  { broke: 40_000, fixed: 39_000, n: 1_000_000 },
];

describe("Tango's interval", () => {
  it("gives the published example: two lens disinfections, z = 1.709, p = 0.044", () => {
    const z = tangoScore({ broke: 1, fixed: 0, n: 44 }, -0.1);
    expect(z).toBeCloseTo(1.709, 3);
    expect(normalCdf(-z)).toBeCloseTo(0.044, 3);
  });

  it.each(tables)("contains what was seen, inside [−1, 1]: %o", (pairs) => {
    const { lower, upper } = tangoInterval(pairs, 0.9);
    const seen = (pairs.fixed - pairs.broke) / pairs.n;
    expect(lower).toBeGreaterThanOrEqual(-1);
    expect(upper).toBeLessThanOrEqual(1);
    expect(lower).toBeLessThanOrEqual(seen);
    expect(upper).toBeGreaterThanOrEqual(seen);
    expect(upper - lower).toBeGreaterThan(0);
  });

  it.each(tables)("has limits that the score confirms: %o", (pairs) => {
    const { lower, upper } = tangoInterval(pairs, 0.95);
    if (lower > -1) expect(tangoScore(pairs, lower)).toBeCloseTo(1.959963984540054, 5);
    if (upper < 1) expect(tangoScore(pairs, upper)).toBeCloseTo(-1.959963984540054, 5);
  });

  it.each(tables)("mirrors when before and after are swapped: %o", ({ broke, fixed, n }) => {
    const there = tangoInterval({ broke, fixed, n }, 0.9);
    const back = tangoInterval({ broke: fixed, fixed: broke, n }, 0.9);
    expect(there.lower).toBeCloseTo(-back.upper, 12);
    expect(there.upper).toBeCloseTo(-back.lower, 12);
  });

  it.each(tables)("grows with the level: %o", (pairs) => {
    const narrow = tangoInterval(pairs, 0.8);
    const wide = tangoInterval(pairs, 0.95);
    expect(wide.lower).toBeLessThanOrEqual(narrow.lower);
    expect(wide.upper).toBeGreaterThanOrEqual(narrow.upper);
  });

  it("keeps its width where no case changed: as Wilson's of 0 out of n", () => {
    const { lower, upper } = tangoInterval({ broke: 0, fixed: 0, n: 20 }, 0.95);
    expect(upper).toBeCloseTo(wilsonInterval(0, 20, 0.95).upper, 12);
    expect(lower).toBeCloseTo(-upper, 12);
  });

  it("excludes nothing without cases", () => {
    expect(tangoInterval({ broke: 0, fixed: 0, n: 0 }, 0.9)).toEqual({ lower: -1, upper: 1 });
  });

  it("refuses a level that is none", () => {
    for (const level of [1, -0.1, 90, Number.NaN]) {
      expect(() => tangoInterval({ broke: 1, fixed: 0, n: 9 }, level)).toThrow(RangeError);
    }
  });
});
