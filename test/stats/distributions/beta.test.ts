import { describe, expect, it } from "vitest";
import { betaQuantile, incompleteBeta } from "../../../src/stats/distributions/beta.ts";
import { stirlingError } from "../../../src/stats/distributions/gamma.ts";

describe("stirlingError", () => {
  it("completes Stirling's formula to the factorials", () => {
    let factorial = 1;
    for (let x = 1; x <= 170; x += 1) {
      const stirling = (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2;
      const logGamma = stirling + stirlingError(x);
      expect(Math.abs(logGamma - Math.log(factorial))).toBeLessThan(1e-15 * (10 + logGamma * 10));
      factorial *= x;
    }
  });

  it("knows Γ(½) = √π", () => {
    expect(-0.5 + Math.log(2 * Math.PI) / 2 + stirlingError(0.5)).toBeCloseTo(
      Math.log(Math.PI) / 2,
      14,
    );
  });
});

describe("incompleteBeta", () => {
  it("is a polynomial for whole shapes", () => {
    for (let x = 0; x <= 1; x += 0.05) {
      expect(incompleteBeta({ a: 1, b: 1 }, x)).toBeCloseTo(x, 14);
      expect(incompleteBeta({ a: 3, b: 1 }, x)).toBeCloseTo(x ** 3, 14);
      expect(incompleteBeta({ a: 1, b: 4 }, x)).toBeCloseTo(1 - (1 - x) ** 4, 14);
      expect(incompleteBeta({ a: 2, b: 2 }, x)).toBeCloseTo(3 * x ** 2 - 2 * x ** 3, 14);
    }
  });

  it("mirrors: Iₓ(a, b) + I₁₋ₓ(b, a) = 1", () => {
    for (const [a, b] of [
      [0.5, 0.5],
      [2, 30],
      [1000, 0.5],
      [5e5, 0.5],
      [1e5, 1e5],
    ] as const) {
      for (const x of [1e-9, 0.01, 0.3, 0.5, 0.9, 0.999]) {
        const sum = incompleteBeta({ a, b }, x) + incompleteBeta({ a: b, b: a }, 1 - x, x);
        expect(sum).toBeCloseTo(1, 10);
      }
    }
  });

  it.each([
    [-0.5, 0],
    [0, 0],
    [1, 1],
    [2, 1],
  ])("is %f → %f at and beyond the ends", (x, p) => {
    expect(incompleteBeta({ a: 2, b: 3 }, x)).toBe(p);
  });
});

describe("betaQuantile", () => {
  it("is the inverse", () => {
    for (const [a, b] of [
      [0.5, 0.5],
      [1, 20],
      [300, 4],
      [1e4, 2e4],
    ] as const) {
      for (const p of [1e-9, 0.025, 0.5, 0.975]) {
        expect(incompleteBeta({ a, b }, betaQuantile(p, { a, b }))).toBeCloseTo(p, 11);
      }
    }
    expect(betaQuantile(0, { a: 2, b: 3 })).toBe(0);
    expect(betaQuantile(1, { a: 2, b: 3 })).toBe(1);
  });

  it("refuses what is no probability", () => {
    expect(() => betaQuantile(1.5, { a: 2, b: 3 })).toThrow(RangeError);
    expect(() => betaQuantile(Number.NaN, { a: 2, b: 3 })).toThrow(RangeError);
  });
});
