import { describe, expect, it } from "vitest";
import { mcnemarExact, mcnemarMidP } from "../../../src/stats/inference/mcnemar.ts";
import { pairedT } from "../../../src/stats/inference/paired-t.ts";
import { sfc32 } from "../../../src/stats/distributions/sfc32.ts";
import { signFlip } from "../../../src/stats/inference/sign-flip.ts";

/** Every sign pattern, one by one, on whole numbers: how many sum to as little, and with half of the ties. */
function byHand(differences: readonly number[]): {
  readonly pLess: number;
  readonly pMid: number;
} {
  const seen = differences.reduce((sum, d) => sum + d, 0);
  if (differences.every((d) => d === 0)) return { pLess: 1, pMid: 1 };
  let [count, ties] = [0, 0];
  for (let pattern = 0; pattern < 2 ** differences.length; pattern += 1) {
    const sum = differences.reduce(
      (total, d, i) => total + ((pattern >> i) & 1 ? Math.abs(d) : -Math.abs(d)),
      0,
    );
    if (sum <= seen) count += 1;
    if (sum === seen) ties += 1;
  }
  const patterns = 2 ** differences.length;
  return { pLess: count / patterns, pMid: (count - ties / 2) / patterns };
}

/** By whole numbers without end: how many of all 2ᵏ sign patterns sum to as little. */
function bySums(multiples: readonly number[]): number {
  let counts = new Map<number, bigint>([[0, 1n]]);
  for (const multiple of multiples.filter((each) => each !== 0)) {
    const next = new Map<number, bigint>();
    for (const [sum, count] of counts)
      for (const signed of [sum + multiple, sum - multiple])
        next.set(signed, (next.get(signed) ?? 0n) + count);
    counts = next;
  }
  const seen = multiples.reduce((sum, each) => sum + each, 0);
  let [low, all] = [0n, 0n];
  for (const [sum, count] of counts) {
    all += count;
    if (sum <= seen) low += count;
  }
  return Number((low << 64n) / all) / 2 ** 64;
}

function drops(length: number): number[] {
  return Array.from({ length }, () => -1);
}

describe("the sign-flip test", () => {
  it("gives Fisher's own: Darwin's maize, 863 of 32,768", () => {
    // R. A. Fisher, The Design of Experiments, §21: crossed minus self-fertilised, in eighths of an inch.
    const maize = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    expect(signFlip(maize.map((d) => -d))).toMatchObject({ pLess: 863 / 32_768, exact: true });
  });

  it("counts as one would by hand, ties included", () => {
    const random = sfc32([4, 5, 6]);
    for (let round = 0; round < 60; round += 1) {
      const differences = Array.from({ length: round % 11 }, () => (random() % 9) - 4);
      expect(signFlip(differences)).toEqual({ ...byHand(differences), exact: true });
      // Tenths are not exact in binary; a tie is a tie nevertheless.
      expect(signFlip(differences.map((d) => d / 10))).toMatchObject(byHand(differences));
    }
  });

  it("is McNemar's exact test on 0/1 scores, and its mid-p", () => {
    for (const [broke, fixed] of [
      [0, 1],
      [1, 0],
      [6, 0],
      [9, 2],
      [3, 8],
      [10, 10],
      [17, 3],
      [40, 22],
      [3000, 2900],
    ] as const) {
      const differences = [
        ...Array.from({ length: broke }, () => -1),
        ...Array.from({ length: 50 }, () => 0),
        ...Array.from({ length: fixed }, () => 1),
      ];
      const { pLess, pMid, exact } = signFlip(differences);
      expect(exact).toBe(true);
      expect(pLess).toBeCloseTo(mcnemarExact(broke, fixed), 13);
      expect(pMid).toBeCloseTo(mcnemarMidP(broke, fixed), 13);
    }
  });

  it("is exact up to 30 differences that are not zero, and seeded beyond", () => {
    expect(signFlip([...drops(30), ...Array.from({ length: 500 }, () => 0)])).toEqual({
      pLess: 2 ** -30,
      pMid: 2 ** -31,
      exact: true,
    });
    // Never 0: (1 + 0) / (1 + 9,999) at the least.
    const offAnyGrid = drops(31).map((drop, i) => drop * Math.sqrt(i + 2));
    expect(signFlip(offAnyGrid)).toMatchObject({ pLess: 1 / 10_000, exact: false });
  });

  it("is exact for means over repeats and marks of a rubric, however many cases", () => {
    const random = sfc32([7, 7, 7]);
    for (const [n, unit] of [
      [21, 1],
      [60, 1 / 5],
      [200, 1 / 3],
      [400, 0.25],
      [1000, 0.1],
    ] as const) {
      const multiples = Array.from({ length: n }, () => (random() % 11) - 5);
      const differences = multiples.map((multiple) => (multiple * unit * 3) / 3);
      const { pLess, exact } = signFlip(differences);
      expect(exact).toBe(true);
      expect(pLess / bySums(multiples)).toBeCloseTo(1, 11);
      const greater = signFlip(differences.map((difference) => -difference)).pLess;
      expect(pLess + greater).toBeGreaterThan(1);
    }
  });

  it("keeps the digits of a small p: 300 drops of a fifth", () => {
    expect(signFlip(drops(300).map((drop) => drop / 5))).toMatchObject({ exact: true });
    expect(signFlip(drops(300)).pLess / 2 ** -300).toBeCloseTo(1, 12);
    const mixed = [...drops(60), ...drops(5).map((drop) => -drop)];
    expect(signFlip(mixed).pLess / mcnemarExact(60, 5)).toBeCloseTo(1, 12);
  });

  it("gives the same seeded p again, whatever the order, near that of the t test", () => {
    const random = sfc32([9, 9, 9]);
    const differences = Array.from({ length: 39 }, () => random() / 2 ** 32 - 0.6);
    const found = signFlip(differences);
    expect(found.exact).toBe(false);
    expect(signFlip(differences.toReversed())).toEqual(found);
    expect(signFlip(differences.toSorted((a, b) => a - b))).toEqual(found);
    expect(Math.abs(found.pLess - pairedT(differences, 0.9).pLess)).toBeLessThan(0.02);
  });

  it("has not changed its seeded sequence: a stored verdict would change with it", () => {
    const differences = Array.from({ length: 40 }, (_, i) => Math.sin(i * i) - 0.1);
    expect(signFlip(differences)).toEqual({ pLess: 0.0367, pMid: 0.03665, exact: false });
  });

  it("takes nothing changed for a result: p = 1", () => {
    expect(signFlip([])).toEqual({ pLess: 1, pMid: 1, exact: true });
    expect(signFlip([0, 0, 0])).toEqual({ pLess: 1, pMid: 1, exact: true });
    expect(signFlip([0.1 + 0.2 - 0.3, 0])).toEqual({ pLess: 1, pMid: 1, exact: true });
  });

  it("stands numbers that overflow when added", () => {
    const huge = Number.MAX_VALUE;
    expect(signFlip([-huge, -huge, -huge])).toEqual({ pLess: 1 / 8, pMid: 1 / 16, exact: true });
  });
});
