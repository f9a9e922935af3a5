import { describe, expect, it } from "vitest";
import { mcnemarExact, mcnemarMidP } from "../../../src/stats/inference/mcnemar.ts";
import { normalCdf } from "../../../src/stats/distributions/normal.ts";
import { sfc32 } from "../../../src/stats/distributions/sfc32.ts";
import { mcnemarExactTwoSided, mcnemarMidPTwoSided } from "../textbook.ts";

/** Both p-values as exact fractions, rounded once. */
function exactly(broke: number, fixed: number): { exact: number; midP: number } {
  const trials = broke + fixed;
  let ways = 1n;
  let twiceTail = 0n;
  let seen = 0n;
  for (let k = 0; k <= trials; k += 1) {
    if (k >= broke) twiceTail += 2n * ways;
    if (k === broke) seen = ways;
    ways = (ways * BigInt(trials - k)) / BigInt(k + 1);
  }
  const of = (numerator: bigint): number =>
    Number((numerator * 10n ** 40n) / 2n ** BigInt(trials + 1)) / 1e40;
  return { exact: of(twiceTail), midP: of(twiceTail - seen) };
}

describe("McNemar's test", () => {
  it("agrees with exact fractions for every table of up to 60 discordant pairs", () => {
    for (let trials = 1; trials <= 60; trials += 1) {
      for (let broke = 0; broke <= trials; broke += 1) {
        const { exact, midP } = exactly(broke, trials - broke);
        expect(Math.abs(mcnemarExact(broke, trials - broke) / exact - 1)).toBeLessThan(1e-12);
        expect(Math.abs(mcnemarMidP(broke, trials - broke) / midP - 1)).toBeLessThan(1e-12);
      }
    }
  });

  it.each([
    [520, 480],
    [1050, 950],
    [1090, 910],
  ])("agrees with exact fractions for %i against %i", (broke, fixed) => {
    const { exact, midP } = exactly(broke, fixed);
    expect(Math.abs(mcnemarExact(broke, fixed) / exact - 1)).toBeLessThan(1e-11);
    expect(Math.abs(mcnemarMidP(broke, fixed) / midP - 1)).toBeLessThan(1e-11);
  });

  it("gives the published two-sided values", () => {
    // Fagerland, Lydersen, Laake 2013, airway hyper-responsiveness: 7 against 1.
    expect(mcnemarExactTwoSided(7, 1)).toBeCloseTo(0.0703, 4);
    expect(mcnemarMidPTwoSided(7, 1)).toBeCloseTo(0.0391, 4);
    expect(mcnemarMidPTwoSided(1, 7)).toBeCloseTo(0.0391, 4);
  });

  it("takes no discordance for a result: p = 1, not NaN", () => {
    for (const p of [mcnemarExact, mcnemarMidP, mcnemarExactTwoSided, mcnemarMidPTwoSided]) {
      expect(p(0, 0)).toBe(1);
    }
  });

  it("sees the mirror: mid-p of a regression and of an improvement add up to 1", () => {
    for (const [broke, fixed] of [
      [1, 0],
      [3, 3],
      [18, 6],
      [700, 650],
      [50_100, 49_900],
    ] as const) {
      expect(mcnemarMidP(broke, fixed) + mcnemarMidP(fixed, broke)).toBeCloseTo(1, 11);
      expect(mcnemarExact(broke, fixed)).toBeGreaterThanOrEqual(mcnemarMidP(broke, fixed));
    }
    expect(mcnemarMidP(5, 5)).toBeCloseTo(0.5, 14);
    expect(mcnemarExactTwoSided(5, 5)).toBe(1);
    expect(mcnemarMidPTwoSided(5, 5)).toBeCloseTo(1, 14);
  });

  it("falls with every further broken case and rises with every further fixed one", () => {
    for (let fixed = 0; fixed < 20; fixed += 1) {
      for (let broke = 1; broke < 20; broke += 1) {
        expect(mcnemarMidP(broke + 1, fixed)).toBeLessThan(mcnemarMidP(broke, fixed));
        expect(mcnemarMidP(broke, fixed + 1)).toBeGreaterThan(mcnemarMidP(broke, fixed));
      }
    }
  });

  it("neither overflows nor drifts for a hundred thousand discordant pairs, and more", () => {
    for (const [broke, fixed] of [
      [50_250, 49_750],
      [50_000, 50_000],
      [501_000, 499_000],
    ] as const) {
      const z = (broke - fixed) / Math.sqrt(broke + fixed);
      // The mid-p of that many pairs is the normal tail but for a term of the order of 1/n.
      expect(mcnemarMidP(broke, fixed)).toBeCloseTo(normalCdf(-z), 5);
    }
    expect(mcnemarExact(100_000, 0)).toBe(0);
    expect(mcnemarExact(0, 100_000)).toBe(1);
    expect(mcnemarMidP(0, 100_000)).toBe(1);
    expect(mcnemarMidP(60_000, 40_000)).toBe(0);
    expect(Math.abs(mcnemarExact(1000, 0) / 2 ** -1000 - 1)).toBeLessThan(1e-12);
  });

  it("rings no more false alarms than promised: about 4.5 % of unchanged runs of 100 cases", () => {
    const random = sfc32([20, 26, 5]);
    const runs = 2000;
    let alarms = 0;
    for (let run = 0; run < runs; run += 1) {
      // 12 % of the cases flip between two runs of the same model, as often for the worse as for the better.
      let [broke, fixed] = [0, 0];
      for (let i = 0; i < 100; i += 1) {
        const u = random() / 2 ** 32;
        if (u < 0.06) broke += 1;
        else if (u < 0.12) fixed += 1;
      }
      if (mcnemarMidP(broke, fixed) <= 0.05) alarms += 1;
    }
    expect(alarms / runs).toBeGreaterThan(0.025);
    expect(alarms / runs).toBeLessThan(0.065);
  });
});
