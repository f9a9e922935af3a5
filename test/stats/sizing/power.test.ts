import { describe, expect, it } from "vitest";
import { mcnemarExact, mcnemarMidP } from "../../../src/stats/inference/mcnemar.ts";
import { casesNeeded, mcnemarPower } from "../../../src/stats/sizing/power.ts";
import { detectableDrop, pairsNeeded } from "../textbook.ts";

/** All trinomial tables, one by one. */
function byHand(
  chances: { breaks: number; fixes: number },
  n: number,
  blocks: (b: number, f: number) => boolean,
): number {
  const factorials = [1];
  for (let i = 1; i <= n; i += 1) factorials.push((factorials[i - 1] ?? 1) * i);
  const factorial = (i: number): number => factorials[i] ?? Number.NaN;
  let sum = 0;
  for (let b = 0; b <= n; b += 1) {
    for (let f = 0; b + f <= n; f += 1) {
      if (!blocks(b, f)) continue;
      const ways = factorial(n) / factorial(b) / factorial(f) / factorial(n - b - f);
      const rest = 1 - chances.breaks - chances.fixes;
      sum += ways * chances.breaks ** b * chances.fixes ** f * rest ** (n - b - f);
    }
  }
  return sum;
}

describe("the power of McNemar's test", () => {
  it("is what counting every table gives", () => {
    for (const chances of [
      { breaks: 0.12, fixes: 0.02 },
      { breaks: 0.06, fixes: 0.06 },
      { breaks: 0.3, fixes: 0 },
      { breaks: 0, fixes: 0.3 },
      { breaks: 0.5, fixes: 0.5 },
      { breaks: 1e-9, fixes: 0.2 },
      { breaks: 1, fixes: 0 },
    ]) {
      const mid = byHand(chances, 40, (b, f) => b > f && mcnemarMidP(b, f) < 0.05);
      expect(mcnemarPower({ ...chances, n: 40, alpha: 0.05 })).toBeCloseTo(mid, 12);
      const exact = byHand(chances, 40, (b, f) => b > f && mcnemarExact(b, f) <= 0.05);
      expect(mcnemarPower({ ...chances, n: 40, alpha: 0.05, test: "exact" })).toBeCloseTo(
        exact,
        12,
      );
      const limited = byHand(
        chances,
        40,
        (b, f) => (b - f) / 40 >= 0.2 - 1e-9 && mcnemarMidP(b, f) < 0.05,
      );
      expect(mcnemarPower({ ...chances, n: 40, alpha: 0.05, limit: 0.2 })).toBeCloseTo(limited, 12);
    }
  });

  it("is the rate of false alarms where nothing got worse: near alpha, whatever the size", () => {
    for (const n of [50, 100, 200, 500, 5000]) {
      const rate = mcnemarPower({ breaks: 0.06, fixes: 0.06, n, alpha: 0.05 });
      expect(rate).toBeGreaterThan(0.03);
      expect(rate).toBeLessThan(0.052);
    }
  });

  it("is 0 where no pair ever differs, and refuses chances that are none", () => {
    expect(mcnemarPower({ breaks: 0, fixes: 0, n: 100, alpha: 0.05 })).toBe(0);
    expect(() => mcnemarPower({ breaks: 0.7, fixes: 0.4, n: 9, alpha: 0.05 })).toThrow(RangeError);
    expect(() => mcnemarPower({ breaks: -0.1, fixes: 0.4, n: 9, alpha: 0.05 })).toThrow(RangeError);
  });
});

describe("cases, drops and power", () => {
  it("give the published size: 969 questions for 3 points (Miller 2024, §5, two-sided 5 %)", () => {
    const n = casesNeeded({ perCaseVariance: 1 / 9, drop: 0.03, alpha: 0.025 });
    expect(n).toBeCloseTo(969, 0);
  });

  it("are (1.645 + 0.842)² · ψ / drop² for the usual one-sided 5 %, four times as many for half the drop", () => {
    const n = casesNeeded({ perCaseVariance: 0.1, drop: 0.05076, alpha: 0.05 });
    expect(n).toBeCloseTo(240, 0);
    const half = casesNeeded({ perCaseVariance: 0.1, drop: 0.05076 / 2, alpha: 0.05 });
    expect(half / n).toBeCloseTo(4, 12);
  });

  it("say the same from each side", () => {
    const perCaseVariance = 0.12;
    const n = casesNeeded({ perCaseVariance, drop: 0.05, alpha: 0.05 });
    expect(detectableDrop({ perCaseVariance, n, alpha: 0.05 })).toBeCloseTo(0.05, 12);
  });

  it("agree with the exact power of McNemar's test, nearly", () => {
    const chances = { breaks: 0.09, fixes: 0.04 };
    const n = Math.ceil(pairsNeeded(chances, { alpha: 0.05 }));
    expect(Math.abs(mcnemarPower({ ...chances, n, alpha: 0.05 }) - 0.8)).toBeLessThan(0.02);
  });

  it("need no case where nothing varies, and refuse a drop that is none", () => {
    expect(casesNeeded({ perCaseVariance: 0, drop: 0.1, alpha: 0.05 })).toBe(0);
    expect(() => casesNeeded({ perCaseVariance: 1, drop: 0, alpha: 0.05 })).toThrow(RangeError);
    expect(() => pairsNeeded({ breaks: 0.1, fixes: 0.1 }, { alpha: 0.05 })).toThrow(RangeError);
  });
});
