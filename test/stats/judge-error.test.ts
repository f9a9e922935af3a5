import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Figure, JudgedBits } from "../../src/model/judge-calibration.ts";
import { judgeSlope, trueShare, withoutBias } from "../../src/stats/judge-error.ts";

type Figures = readonly [value: number, lower: number, upper: number];

/** Made by scripts/agreement-vectors.py. */
const {
  shares,
  slopes,
}: {
  readonly shares: readonly {
    readonly share: number;
    readonly n: number;
    readonly bits: JudgedBits;
    readonly figure: Figures;
    readonly slope: Figures;
  }[];
  readonly slopes: readonly {
    readonly pairs: readonly {
      readonly people: number;
      readonly judge: number;
      readonly caseId: string;
    }[];
    readonly slope: Figures;
  }[];
} = JSON.parse(readFileSync(new URL("agreement.json", import.meta.url), "utf8"));

function expectFigures(found: Figure | undefined, [value, lower, upper]: Figures): void {
  expect(found?.value).toBeCloseTo(value, 10);
  expect(found?.ci?.[0]).toBeCloseTo(lower, 10);
  expect(found?.ci?.[1]).toBeCloseTo(upper, 10);
}

describe("the share that people would call right", () => {
  it.each(shares)("has the interval of Lang and Reiczigel: $share of $n", (vector) => {
    const { share: value, n, bits } = vector;
    const stderr = Math.sqrt((value * (1 - value)) / n);
    expectFigures(trueShare({ value, stderr, n }, bits), vector.figure);
    expectFigures(judgeSlope([], bits), vector.slope);
  });

  it("is not known where people call all alike, or the judge is a coin", () => {
    const mean = { value: 0.8, stderr: 0.03, n: 160 };
    const bits = { rights: 40, rights_seen: 36, wrongs: 0, wrongs_seen: 0 };
    expect(trueShare(mean, bits)).toBeUndefined();
    expect(judgeSlope([], bits)).toBeUndefined();
    const coin = { rights: 40, rights_seen: 20, wrongs: 40, wrongs_seen: 20 };
    expect(trueShare(mean, coin)).toBeUndefined();
    expect(judgeSlope([], coin)?.value).toBe(0);
  });

  it("may be anything where the run has one case", () => {
    const bits = { rights: 40, rights_seen: 36, wrongs: 40, wrongs_seen: 36 };
    expect(trueShare({ value: 1, stderr: null, n: 1 }, bits)?.ci).toEqual([0, 1]);
  });
});

describe("how much of a difference a judge shows", () => {
  it.each(slopes)("is the slope of least squares, with clusters: %#", ({ pairs, slope }) => {
    expectFigures(judgeSlope(pairs, null), slope);
  });

  it("has no interval where judge and people never differ, and is nothing where people's scores are alike", () => {
    const same = [1, 2, 3, 4].map((score) => ({
      people: score,
      judge: score,
      caseId: String(score),
    }));
    expect(judgeSlope(same, null)).toEqual({ value: 1, ci: null });
    expect(
      judgeSlope(
        same.map((pair) => Object.assign({}, pair, { people: 3 })),
        null,
      ),
    ).toBeUndefined();
    expect(judgeSlope([], null)).toBeUndefined();
  });
});

describe("a mean without the judge's bias", () => {
  it("carries the error of the run and of the labels", () => {
    const bias = { value: 0.4, ci: [0.2, 0.6] as const };
    const found = withoutBias({ value: 3.5, stderr: 0.1, n: 50 }, bias, 1);
    const reach = Math.hypot(1.959963984540054 * 0.1, 0.2);
    expectFigures(found, [3.1, 3.1 - reach, 3.1 + reach]);
  });

  it("corrects the part that the judge scored, and has no interval where the labels have none", () => {
    const bias = { value: 0.4, ci: null };
    expect(withoutBias({ value: 3.5, stderr: 0.1, n: 50 }, bias, 0.5)).toEqual({
      value: 3.3,
      ci: null,
    });
  });
});
