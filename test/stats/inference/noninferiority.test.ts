import { describe, expect, it } from "vitest";
import {
  noninferiorityT,
  noninferiorityTango,
} from "../../../src/stats/inference/noninferiority.ts";
import { pairedT } from "../../../src/stats/inference/paired-t.ts";

const same = (n: number, value = 0): number[] => Array.from({ length: n }, () => value);

describe("non-inferiority by t", () => {
  it("is shown exactly where the lower limit is above −margin, and p below alpha", () => {
    const differences = Array.from({ length: 60 }, (_, i) => Math.sin(i) / 10);
    for (const margin of [0.001, 0.01, 0.02, 0.03, 0.05, 0.2]) {
      for (const alpha of [0.01, 0.05, 0.2, 0.5]) {
        const { p, lower, shown } = noninferiorityT(differences, { margin, alpha });
        expect(lower).toBe(pairedT(differences, 1 - 2 * alpha).interval?.lower);
        expect(shown).toBe(p < alpha);
        expect(shown).toBe((lower ?? Number.NaN) > -margin);
      }
    }
  });

  it("does not take 8 cases without a change for a proof of nothing", () => {
    const question = { margin: 0.02, alpha: 0.05, width: 1 };
    expect(noninferiorityT(same(8), question).shown).toBe(false);
    // 1 − 0.05^(1/n) below 0.02 takes 149 cases.
    expect(noninferiorityT(same(148), question).shown).toBe(false);
    expect(noninferiorityT(same(149), question).shown).toBe(true);
    const { p, lower } = noninferiorityT(same(149), question);
    expect(p).toBeCloseTo(0.98 ** 149, 14);
    expect(lower).toBeCloseTo(-(1 - 0.05 ** (1 / 149)), 14);
    // Tango's limit without a discordant pair is much the same.
    const tango = noninferiorityTango({ broke: 0, fixed: 0, n: 149 }, question);
    expect(Math.abs((tango.lower ?? 0) - (lower ?? 0))).toBeLessThan(0.003);
  });

  it("does not take a case that got better for a proof that no change at all is not", () => {
    const question = { margin: 0.02, alpha: 0.05, width: 1 };
    const one = (n: number): number[] => [0.001, ...same(n - 1)];
    expect(noninferiorityT(one(12), question).shown).toBe(false);
    expect(noninferiorityT(one(148), question).shown).toBe(false);
    expect(noninferiorityT(one(149), question).shown).toBe(true);
    const clusters = same(1000).map((_, i) => i % 25);
    const clustered = { values: [1, ...same(999)], clusters };
    expect(noninferiorityT(clustered, { ...question, margin: 0.05 }).shown).toBe(false);
  });

  it("has a result without a spread, and says how sure it is", () => {
    const question = { margin: 0.1, alpha: 0.05 };
    expect(noninferiorityT(same(4), question)).toEqual({
      p: 1 / 16,
      lower: undefined,
      shown: false,
    });
    expect(noninferiorityT(same(5), question)).toEqual({ p: 1 / 32, lower: 0, shown: true });
    expect(noninferiorityT(same(5, -0.2), question)).toMatchObject({ p: 1, shown: false });
    const wide = { ...question, width: 1 };
    expect(noninferiorityT(same(500, -0.2), wide)).toMatchObject({ p: 1, shown: false });
    expect(noninferiorityT(same(1), question).shown).toBe(false);
    expect(noninferiorityT(same(50, -1), { ...wide, margin: 2 })).toEqual({
      p: 0,
      lower: -1,
      shown: true,
    });
  });

  it("counts a cluster once", () => {
    const clusters = same(100).map((_, i) => Math.floor(i / 25));
    const question = { margin: 0.1, alpha: 0.05, width: 1 };
    const clustered = noninferiorityT({ values: same(100), clusters }, question);
    expect(clustered).toEqual(noninferiorityT(same(4), question));
  });

  it("refuses a margin that is none", () => {
    for (const question of [
      { margin: 0, alpha: 0.05 },
      { margin: 0.1, alpha: 0 },
      { margin: 0.1, alpha: 0.6 },
      { margin: 0.1, alpha: 0.05, width: 0 },
      { margin: Number.NaN, alpha: 0.05 },
    ]) {
      expect(() => noninferiorityT([0, 1], question)).toThrow(RangeError);
      expect(() => noninferiorityTango({ broke: 1, fixed: 1, n: 9 }, question)).toThrow(RangeError);
    }
    expect(() => noninferiorityT([], { margin: 0.1, alpha: 0.05 })).toThrow(RangeError);
  });
});

describe("non-inferiority by Tango's score", () => {
  it("is shown exactly where the lower limit is above −margin", () => {
    for (const [broke, fixed, n] of [
      [0, 0, 50],
      [0, 0, 500],
      [3, 1, 50],
      [40, 30, 1319],
      [5, 25, 100],
      [9, 0, 9],
    ] as const) {
      for (const margin of [0.005, 0.02, 0.05, 0.5, 1, 1.5]) {
        const { p, lower, shown } = noninferiorityTango(
          { broke, fixed, n },
          { margin, alpha: 0.05 },
        );
        expect(shown).toBe((lower ?? Number.NaN) > -margin);
        expect(p < 0.05).toBe(shown);
      }
    }
  });

  it("without a discordant pair holds alpha exactly: a drop of 5 % leaves no trace in 52 cases in 7 of 100 runs", () => {
    const question = { margin: 0.05, alpha: 0.05 };
    expect(0.95 ** 52).toBeGreaterThan(0.05);
    for (const n of [52, 58])
      expect(noninferiorityTango({ broke: 0, fixed: 0, n }, question).shown).toBe(false);
    expect(noninferiorityTango({ broke: 0, fixed: 0, n: 59 }, question).shown).toBe(true);
  });

  it("shows nothing without a pair", () => {
    const none = noninferiorityTango({ broke: 0, fixed: 0, n: 0 }, { margin: 0.5, alpha: 0.05 });
    expect(none).toEqual({ p: 1, lower: undefined, shown: false });
  });
});
