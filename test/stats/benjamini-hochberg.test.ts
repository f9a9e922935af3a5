import { describe, expect, it } from "vitest";
import { benjaminiHochberg } from "../../src/stats/inference/adjustment.ts";
import { holm } from "../../src/stats/inference/adjustment.ts";
import { sfc32 } from "../../src/stats/distributions/sfc32.ts";

describe("Benjamini and Hochberg's adjustment", () => {
  it("is the smallest m·p / rank of all that are no smaller", () => {
    const random = sfc32([1, 1, 1]);
    for (let size = 0; size <= 9; size += 1) {
      const p = Array.from({ length: size }, () => (random() % 20) / 20);
      const expected = p.map((own) => {
        const later = p.filter((other) => other >= own);
        const ranked = later.map(
          (other) => (other * size) / p.filter((each) => each <= other).length,
        );
        return Math.min(1, ...ranked);
      });
      const adjusted = benjaminiHochberg(p);
      expect(adjusted).toHaveLength(size);
      for (const [i, value] of expected.entries()) expect(adjusted[i]).toBeCloseTo(value, 14);
    }
  });

  it("never asks for more than Holm's, and never less than the p-value itself", () => {
    const p = [0.04, 0.001, 0.5, 0.02, 0.02, 1, 0];
    const strict = holm(p, p.length);
    for (const [i, value] of benjaminiHochberg(p).entries()) {
      expect(value).toBeLessThanOrEqual(strict[i] ?? 0);
      expect(value).toBeGreaterThanOrEqual(p[i] ?? 0);
    }
  });
});
