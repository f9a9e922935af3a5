import { describe, expect, it } from "vitest";
import { holm } from "../../src/stats/inference/adjustment.ts";
import { sfc32 } from "../../src/stats/distributions/sfc32.ts";

describe("Holm's adjustment", () => {
  it.each([
    // R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")
    [[0.01, 0.02, 0.03, 0.04, 0.05], 5, [0.05, 0.08, 0.09, 0.09, 0.09]],
    [[0.04, 0.01, 0.03], 3, [0.06, 0.03, 0.06]],
    [[0.02, 0.02, 0.02, 0.5, 1e-9], 5, [0.08, 0.08, 0.08, 0.5, 5e-9]],
    [[0.6, 0.7], 2, [1, 1]],
    [[0.03], 1, [0.03]],
    [[], 0, []],
    [[], 4, []],
  ])("of %j in a family of %i", (pValues, family, expected) => {
    const adjusted = holm(pValues, family);
    expect(adjusted).toHaveLength(expected.length);
    for (const [i, p] of expected.entries()) expect(adjusted[i]).toBeCloseTo(p, 14);
  });

  it("counts a comparison that could not be made: a missing metric makes the others no easier", () => {
    const [adjusted] = holm([0.02], 3);
    expect(adjusted).toBeCloseTo(0.06, 14);
    expect(holm([0.01, 0.04], 4)).toEqual(holm([0.01, 0.04, 1, 1], 4).slice(0, 2));
  });

  it("rejects 3 of Benjamini and Hochberg's 15 (JRSS B 57, 1995, §3)", () => {
    const pValues = [
      0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719,
      0.6528, 0.759, 1,
    ];
    expect(holm(pValues, 15).filter((p) => p <= 0.05)).toHaveLength(3);
  });

  it("never counts fewer than there are", () => {
    expect(holm([0.01, 0.02], 0)).toEqual(holm([0.01, 0.02], 2));
  });

  it("never makes a p smaller, never changes the order, never leaves [0, 1]", () => {
    const random = sfc32([8, 8, 8]);
    for (let round = 0; round < 50; round += 1) {
      const pValues = Array.from({ length: round }, () => (random() / 2 ** 32) ** 2);
      const adjusted = holm(pValues, round + (round % 3));
      for (const [i, p] of pValues.entries()) {
        expect(adjusted[i]).toBeGreaterThanOrEqual(p);
        expect(adjusted[i]).toBeLessThanOrEqual(1);
        for (const [j, other] of pValues.entries()) {
          if (p <= other) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j] ?? 0);
        }
      }
    }
  });
});
