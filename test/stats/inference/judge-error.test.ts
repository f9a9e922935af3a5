import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Figure, JudgedBits } from "../../../src/model/figures/judge-calibration.ts";
import {
  judgedMargin,
  judgeSlope,
  peoplesDifference,
  trueShare,
  unseenBias,
  withoutBias,
} from "../../../src/stats/inference/judge-error.ts";

type Figures = readonly [value: number, lower: number, upper: number];

/** Made by scripts/agreement-vectors.py. */
const {
  shares,
  slopes,
  ratios,
}: {
  readonly ratios: readonly {
    readonly delta: Figures;
    readonly slope: Figures;
    readonly level: number;
    readonly people: Figures;
    readonly margin: number;
  }[];
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
} = JSON.parse(readFileSync(new URL("../agreement.json", import.meta.url), "utf8"));

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
  it("carries the error of the run and of the labels, each end that of its own side", () => {
    const bias = { value: 0.4, ci: [0.2, 0.7] as const };
    const found = withoutBias({ value: 3.5, ci: [3.2, 3.6] }, bias, 1);
    expectFigures(found, [3.1, 3.1 - Math.hypot(0.3, 0.3), 3.1 + Math.hypot(0.1, 0.2)]);
  });

  it("corrects the part that the judge scored, and has no interval where the labels have none", () => {
    const bias = { value: 0.4, ci: null };
    expect(withoutBias({ value: 3.5, ci: [3, 4] }, bias, 0.5)).toEqual({ value: 3.3, ci: null });
  });

  it("may be off unseen where no label differs: by one in ten of 30", () => {
    expect(unseenBias(30, 4)).toBeCloseTo(4 * (1 - 0.025 ** (1 / 30)), 12);
    expect(unseenBias(30, 4)).toBeCloseTo(0.463, 3);
  });
});

describe("a difference in people's scores", () => {
  it.each(ratios)("has Fieller's interval: $delta over $slope", (vector) => {
    const { level } = vector;
    const [delta, lower, upper] = vector.delta;
    const [value, ...ci] = vector.slope;
    const judged = { delta, interval: { lower, upper }, level };
    expectFigures(peoplesDifference(judged, { value, ci }), vector.people);
    const alpha = (1 - level) / 2;
    const shows = judgedMargin({ limit: 0.1, alpha }, { value, ci });
    expect(shows?.margin).toBeCloseTo(vector.margin, 10);
    expect(shows?.alpha).toBeCloseTo(0.9 * alpha, 12);
  });

  it("has no end where the labels don't show that the judge sees any, and no size where it sees the contrary", () => {
    const judged = { delta: -0.1, interval: { lower: -0.2, upper: 0 }, level: 0.9 };
    expect(peoplesDifference(judged, { value: 0.2, ci: [-0.1, 0.5] })).toEqual({
      value: -0.5,
      ci: null,
    });
    expect(peoplesDifference(judged, { value: -0.2, ci: [-0.4, 0] })).toBeUndefined();
    expect(judgedMargin({ limit: 0.1, alpha: 0.05 }, { value: 0.2, ci: [-0.1, 0.5] })).toEqual({
      margin: 0,
      alpha: expect.closeTo(0.045, 12),
    });
    expect(judgedMargin({ limit: 0.1, alpha: 0.05 }, { value: 1, ci: null })).toBeUndefined();
  });
});
