import { describe, expect, it } from "vitest";
import type { Noise } from "../../../src/model/figures/statistics.ts";
import { canProve, provingChance, smallestDrop } from "../../../src/stats/sizing/detectable.ts";
import { mcnemarPower } from "../../../src/stats/sizing/power.ts";

const bits: Noise = { n: 100, variance: 0.12, bits: true, lost: 1, clusters: null, design: 1 };
const shares: Noise = { ...bits, bits: false, variance: 0.024 };
const graded: Noise = { ...bits, bits: false, lost: 0, variance: 0.04 };
const clustered: Noise = { ...shares, clusters: { count: 20, effective: 14.2 }, design: 2 };

describe("how often a true drop is proven", () => {
  it("of 0/1 scores is the power of McNemar's test, with the cases that the drop breaks", () => {
    const power = mcnemarPower({ breaks: 0.11, fixes: 0.06, n: 100, alpha: 0.05 });
    expect(provingChance(0.05, bits, 0.05)).toBeCloseTo(power, 12);
  });

  it("goes on smoothly where enumeration gives way to the normal approximation", () => {
    const [below, above] = [3076, 3078].map((n) => provingChance(0.01, { ...bits, n }, 0.05));
    expect(Math.abs((below ?? 0) - (above ?? 1))).toBeLessThan(0.01);
  });

  it("is 0 where nothing dropped, and where so few cases or clusters prove nothing", () => {
    expect(provingChance(0, bits, 0.05)).toBe(0);
    expect(provingChance(1, { ...bits, n: 3 }, 0.05)).toBe(0);
    const four = { ...clustered, clusters: { count: 4, effective: 4 } };
    expect(provingChance(1, four, 0.05)).toBe(0);
  });

  it("falls as comparisons share alpha, and as clusters differ in size", () => {
    expect(provingChance(0.1, bits, 0.05 / 3)).toBeLessThan(provingChance(0.1, bits, 0.05));
    const even = { ...clustered, clusters: { count: 20, effective: 20 } };
    expect(provingChance(0.1, clustered, 0.05)).toBeLessThan(provingChance(0.1, even, 0.05));
  });
});

describe("what can be proven at all", () => {
  it.each([
    [3, null, 0.05, false],
    [4, null, 0.05, true],
    [4, null, 0.05 / 3, false],
    [0, null, 0.05, false],
    [500, 1, 0.05, false],
    [500, 4, 0.05, false],
    [500, 5, 0.05, true],
    [500, 5, 0.025, false],
  ])("%d cases in %s clusters at %d: %s", (...[n, count, alpha, possible]) => {
    const clusters = count === null ? null : { count, effective: count };
    expect(canProve({ n, clusters }, alpha)).toBe(possible);
  });
});

describe("the smallest drop", () => {
  it.each([
    ["0/1 scores", bits],
    ["0/1 scores of which none changed", { ...bits, variance: 0 }],
    ["means of repeats", shares],
    ["graded scores", graded],
    ["clusters", clustered],
  ])("of %s is proven 4 times in 5", (_, noise) => {
    for (const alpha of [0.05, 0.05 / 3]) {
      const drop = smallestDrop(noise, alpha) ?? 0;
      expect(provingChance(drop, noise, alpha)).toBeCloseTo(0.8, 2);
    }
  });

  it("of graded scores is about (z₁₋α + z₀.₈)·√(variance / n)", () => {
    expect((smallestDrop({ ...graded, n: 10_000 }, 0.05) ?? 0) / (2.4865 * 0.002)).toBeCloseTo(
      1,
      2,
    );
  });

  it("is none where not even a total loss would be proven, and where graded scores show no noise", () => {
    expect(smallestDrop({ ...bits, n: 3 }, 0.05)).toBeUndefined();
    expect(smallestDrop({ ...graded, variance: 0 }, 0.05)).toBeUndefined();
    expect(
      smallestDrop({ ...clustered, clusters: { count: 1, effective: 1 } }, 0.05),
    ).toBeUndefined();
  });
});
