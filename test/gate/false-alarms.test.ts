import { describe, expect, it } from "vitest";
import { simulated } from "../../scripts/simulate-gates/five-repeats.ts";
import { exactly, gateThresholds } from "../../scripts/simulate-gates/one-repeat.ts";

/** How often the default gate blocks a drop of so many points, for sure or by simulation. */
interface Expected {
  readonly n: number;
  readonly loss: number;
  readonly power: number;
}

describe("the default gate, with one repeat", () => {
  it.each([50, 100, 200])(
    "blocks at most 5.5 % of unchanged runs of %i cases, confirmed 1.5 %",
    (n) => {
      const { gate, confirmed, below_baseline: naive } = exactly(n, 0, gateThresholds(n));
      expect(gate).toBeLessThan(0.055);
      expect(confirmed).toBeLessThan(0.015);
      expect(naive).toBeGreaterThan(0.4);
    },
  );

  it.each<Expected>([
    { n: 100, loss: 0.05, power: 0.34 },
    { n: 100, loss: 0.1, power: 0.74 },
  ])("finds a drop of $loss in $n cases as often as such a test can", ({ n, loss, power }) => {
    const { gate } = exactly(n, loss, gateThresholds(n));
    expect(Math.abs(gate - power)).toBeLessThan(0.02);
  });
});

describe("the default gate, with five repeats", () => {
  it(
    "finds a drop of 5 points in 100 cases twice as often, and blocks no more without one",
    { tags: "long" },
    () => {
      // 400 runs: the standard error of a share is at most 0.025.
      expect(simulated(400, { n: 100, loss: 0.05 }).gate).toBeGreaterThan(0.54);
      expect(simulated(400, { n: 100, loss: 0 }).gate).toBeLessThan(0.09);
    },
  );
});
