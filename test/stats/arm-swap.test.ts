import { describe, expect, it } from "vitest";
import { armSwap } from "../../src/stats/inference/swap.ts";
import { sfc32 } from "../../src/stats/distributions/sfc32.ts";
import { signFlip } from "../../src/stats/inference/sign-flip.ts";

/** head − base of a mean, with the marked cases swapped. */
function meanDelta(differences: readonly number[]): (swapped: Uint8Array) => number {
  return (swapped) =>
    differences.reduce((sum, d, i) => sum + (swapped[i] === 1 ? -d : d), 0) / differences.length;
}

const drops = [-0.5, -0.25, 0.25, -1, 0, -0.75, 0.5, -1];

describe("the arm swap", () => {
  it("is the sign-flip test where the metric is a mean", async () => {
    const swap = await armSwap({ evaluate: meanDelta(drops), cases: drops.length });
    expect(swap).toEqual({
      delta: -2.75 / 8,
      exact: true,
      pLess: signFlip(drops).pMid,
      pGreater: signFlip(drops.map((drop) => -drop)).pMid,
    });
  });

  it("asks once for a swap and its opposite, and what was seen only once", async () => {
    const asked: string[] = [];
    const evaluate = (swapped: Uint8Array): Promise<number> => {
      asked.push(swapped.join(""));
      return Promise.resolve(meanDelta(drops)(swapped));
    };
    await armSwap({ evaluate, cases: drops.length });
    expect(asked).toHaveLength(2 ** 7);
    expect(new Set(asked).size).toBe(2 ** 7);
    expect(asked[0]).toBe("00000000");
  });

  it("takes seeded swaps where there are too many, the same each time", async () => {
    const random = sfc32([5, 5, 5]);
    const many = Array.from({ length: 60 }, () => random() / 2 ** 32 - 0.58);
    const experiment = { evaluate: meanDelta(many), cases: 60, swaps: 400 };
    const first = await armSwap(experiment);
    expect(first.exact).toBe(false);
    expect(await armSwap(experiment)).toEqual(first);
    expect(Math.abs(first.pLess - signFlip(many).pLess)).toBeLessThan(0.03);
    // Never 0.
    const all = await armSwap({ evaluate: meanDelta(many.map(() => -1)), cases: 60 });
    expect(all.pLess).toBe(1 / 1000);
  });

  it("swaps clusters as a whole", async () => {
    const clusters = ["a", "a", "b", "b", "c", "c", "d", "d"];
    const { pLess, exact } = await armSwap({
      evaluate: (swapped) => {
        for (let i = 0; i < 8; i += 2) expect(swapped[i]).toBe(swapped[i + 1]);
        return meanDelta(drops)(swapped);
      },
      cases: 8,
      clusters,
    });
    expect(exact).toBe(true);
    expect(pLess).toBe(signFlip([-0.75, -0.75, -0.75, -0.5]).pMid);
  });

  it("holds for a metric that is no mean: a macro F1 that did not change has p = 1", async () => {
    const same = await armSwap({ evaluate: () => 0, cases: 30 });
    expect(same).toEqual({ delta: 0, pLess: 1, pGreater: 1, exact: false });
    const none = await armSwap({ evaluate: () => 0, cases: 0 });
    expect(none).toEqual({ delta: 0, pLess: 1, pGreater: 1, exact: true });
  });

  it("stops where the metric has no value, and passes errors on", async () => {
    await expect(armSwap({ evaluate: () => Number.NaN, cases: 3 })).rejects.toThrow(/NaN/);
    const died = Promise.reject(new Error("the grader died"));
    await expect(armSwap({ evaluate: () => died, cases: 3 })).rejects.toThrow("the grader died");
  });
});
