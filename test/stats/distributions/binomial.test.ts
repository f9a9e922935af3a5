import { describe, expect, it } from "vitest";
import {
  binomialAtLeast,
  binomialAtMost,
  binomialProbability,
} from "../../../src/stats/distributions/binomial.ts";

describe("binomial tails", () => {
  it("agree with Pascal's triangle", () => {
    for (let trials = 0; trials <= 40; trials += 1) {
      let ways = 1;
      for (let k = 0; k <= trials; k += 1) {
        const half = { trials, probability: 0.5 };
        expect(Math.abs(binomialProbability(k, half) / (ways / 2 ** trials) - 1)).toBeLessThan(
          2e-14,
        );
        expect(binomialAtLeast(k, half) + binomialAtMost(k - 1, half)).toBeCloseTo(1, 13);
        ways = (ways * (trials - k)) / (k + 1);
      }
    }
  });

  it("are 0 and 1 beyond the ends", () => {
    const binomial = { trials: 7, probability: 0.3 };
    expect(binomialAtLeast(0, binomial)).toBe(1);
    expect(binomialAtLeast(8, binomial)).toBe(0);
    expect(binomialAtMost(7, binomial)).toBe(1);
    expect(binomialAtMost(-1, binomial)).toBe(0);
    expect(binomialProbability(8, binomial)).toBe(0);
  });

  it("keep the digits of a tiny tail: 3 of 100 at 0.9", () => {
    // C(100, k)·0.9ᵏ·0.1¹⁰⁰⁻ᵏ, term by term.
    let expected = 0;
    for (let k = 0; k <= 3; k += 1) {
      let log = k * Math.log(0.9) + (100 - k) * Math.log(0.1);
      for (let i = 0; i < k; i += 1) log += Math.log((100 - i) / (i + 1));
      expected += Math.exp(log);
    }
    const got = binomialAtMost(3, { trials: 100, probability: 0.9 });
    expect(Math.abs(got / expected - 1)).toBeLessThan(1e-11);
  });
});
