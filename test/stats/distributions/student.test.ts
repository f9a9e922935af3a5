import { describe, expect, it } from "vitest";
import { normalQuantile } from "../../../src/stats/distributions/normal.ts";
import { studentQuantile, studentUpperTail } from "../../../src/stats/distributions/student.ts";

describe("studentUpperTail", () => {
  it("is Cauchy's distribution for one degree of freedom", () => {
    for (const t of [0, 0.1, 1, 7, 1e6]) {
      const tail = Math.atan2(1, t) / Math.PI;
      expect(Math.abs(studentUpperTail(t, 1) / tail - 1)).toBeLessThan(1e-13);
    }
  });

  it("has a closed form for two degrees of freedom", () => {
    for (const t of [0, 0.5, 2, 40]) {
      const root = Math.sqrt(2 + t * t);
      expect(Math.abs(studentUpperTail(t, 2) / (1 / (root * (root + t))) - 1)).toBeLessThan(1e-13);
    }
  });

  it("falls with t and adds up to 1 with its mirror", () => {
    for (const df of [1, 4, 29, 1000, 1e6]) {
      let before = 1;
      for (let t = -6; t <= 6; t += 0.25) {
        const tail = studentUpperTail(t, df);
        expect(tail).toBeLessThan(before);
        expect(tail + studentUpperTail(-t, df)).toBeCloseTo(1, 14);
        before = tail;
      }
    }
  });

  it("says 0 for an infinite t, not NaN", () => {
    expect(studentUpperTail(Number.POSITIVE_INFINITY, 5)).toBe(0);
    expect(studentUpperTail(Number.NEGATIVE_INFINITY, 5)).toBe(1);
    expect(studentUpperTail(1e300, 3)).toBe(0);
  });
});

describe("studentQuantile", () => {
  // Any printed table of t.
  it.each([
    [0.975, 1, 12.706],
    [0.975, 9, 2.262],
    [0.975, 29, 2.045],
    [0.95, 10, 1.812],
    [0.995, 4, 4.604],
    [0.9995, 120, 3.373],
  ])("agrees with the tables at p %f, df %i", (p, df, t) => {
    expect(studentQuantile(p, df)).toBeCloseTo(t, 3);
  });

  it("is the inverse, far into the tail and for many cases", () => {
    for (const df of [1, 2, 10, 999, 99_999, 1e7]) {
      for (const p of [1e-30, 1e-9, 0.001, 0.05, 0.3, 0.49999]) {
        const t = studentQuantile(p, df);
        expect(Math.abs(studentUpperTail(-t, df) / p - 1)).toBeLessThan(1e-9);
      }
      expect(studentQuantile(0.5, df)).toBe(0);
      expect(studentQuantile(0.75, df)).toBe(-studentQuantile(0.25, df));
    }
  });

  it("becomes the normal quantile", () => {
    expect(studentQuantile(0.025, 1e7)).toBeCloseTo(normalQuantile(0.025), 6);
  });

  it.each([
    [0, 5],
    [1, 5],
    [0.5, 0],
    [Number.NaN, 5],
  ])("refuses p %f, df %f instead of giving NaN", (p, df) => {
    expect(() => studentQuantile(p, df)).toThrow(RangeError);
  });
});
