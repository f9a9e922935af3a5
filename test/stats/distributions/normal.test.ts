import { describe, expect, it } from "vitest";
import { normalCdf, normalQuantile } from "../../../src/stats/distributions/normal.ts";

describe("normalCdf", () => {
  // Abramowitz & Stegun, Table 26.1; the last two: 40-digit values.
  it.each([
    [0, 0.5],
    [1, 0.841344746068543],
    [-1, 0.158655253931457],
    [1.96, 0.97500210485178],
    [2.5, 0.993790334674224],
    [3, 0.99865010196837],
    [-5, 2.866515718791939e-7],
    [-10, 7.619853024160525e-24],
  ])("agrees with the tables at %f", (z, p) => {
    expect(Math.abs(normalCdf(z) / p - 1)).toBeLessThan(1e-12);
  });

  it("has no step where its two methods meet", () => {
    for (const z of [-2.5, 2.5]) {
      expect(Math.abs(normalCdf(z - 1e-9) - normalCdf(z + 1e-9))).toBeLessThan(1e-10);
    }
  });
});

describe("normalQuantile", () => {
  it.each([
    [0.5, 0],
    [0.8, 0.8416212335729143],
    [0.95, 1.6448536269514722],
    [0.975, 1.959963984540054],
    [0.995, 2.5758293035489004],
  ])("agrees with the tables at %f", (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 13);
  });

  it("is the inverse of the cumulative distribution, far into the tails", () => {
    for (let exponent = 1; exponent < 300; exponent += 7) {
      const p = 10 ** -exponent;
      expect(Math.abs(normalCdf(normalQuantile(p)) / p - 1)).toBeLessThan(1e-12);
    }
    for (let p = 0.01; p < 1; p += 0.01) expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 14);
  });

  it.each([0, 1, -0.1, 1.1, Number.NaN])("refuses p = %f instead of giving NaN", (p) => {
    expect(() => normalQuantile(p)).toThrow(RangeError);
  });
});
