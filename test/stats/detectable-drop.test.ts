import { describe, expect, it } from "vitest";
import { detectableDrop } from "../../src/stats/detectable-drop.ts";

describe("detectableDrop", () => {
  it("gives the published size: 969 questions for 3 points (Miller 2024, §5, two-sided 5 %)", () => {
    expect(detectableDrop({ perCaseVariance: 1 / 9, n: 969, alpha: 0.025 })).toBeCloseTo(0.03, 5);
  });

  it("is (1.645 + 0.842)·√(ψ/n) for the usual one-sided 5 %", () => {
    expect(detectableDrop({ perCaseVariance: 0.1, n: 240, alpha: 0.05 })).toBeCloseTo(0.05076, 4);
  });

  it("halves with four times the cases", () => {
    const few = detectableDrop({ perCaseVariance: 0.12, n: 100, alpha: 0.05 });
    expect(detectableDrop({ perCaseVariance: 0.12, n: 400, alpha: 0.05 })).toBeCloseTo(few / 2, 14);
  });

  it("refuses no cases at all", () => {
    expect(() => detectableDrop({ perCaseVariance: 0.1, n: 0, alpha: 0.05 })).toThrow(RangeError);
  });
});
