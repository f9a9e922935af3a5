import { describe, expect, it } from "vitest";

import {
  costWords,
  count,
  counted,
  difference,
  differenceRange,
  distance,
  duration,
  figure,
  figureRange,
  percentName,
  pValue,
  unitOf,
  usd,
} from "../../../src/report/words/figures.ts";
import * as examples from "../examples.ts";

describe("a figure", () => {
  it.each([
    [0.8375, "share", "83.8%"],
    [0.8875, "share", "88.8%"],
    [1, "share", "100.0%"],
    [0, "share", "0.0%"],
    [1.2384, "seconds", "1.24 s"],
    [0.01317, "usd", "$0.0132"],
    [0.8711, "number", "0.871"],
    [-0.5, "number", "−0.500"],
    [12, "number", "12"],
    [1_234_567.8, "number", "1,234,568"],
    [0.00000012, "number", "1.20e−7"],
    [0, "number", "0"],
  ] as const)("%d as %s is %s", (value, unit, text) => {
    expect(figure(value, unit)).toBe(text);
  });

  it("is not rounded to all or nothing where something is missing", () => {
    expect(figure(0.9997, "share")).toBe("99.97%");
    expect(figure(0.0001, "share")).toBe("0.01%");
  });

  it.each([
    [-0.05, "share", "−5.0 points"],
    [0.004, "share", "+0.4 points"],
    [0, "share", "0.0 points"],
    [0.0034, "number", "+0.00340"],
    [-0.02, "usd", "−$0.0200"],
  ] as const)("the difference %d as %s is %s", (value, unit, text) => {
    expect(difference(value, unit)).toBe(text);
  });

  it("keeps unit and sign in intervals", () => {
    expect(differenceRange([-0.086, -0.017], "share")).toBe("−8.6 to −1.7 points");
    expect(differenceRange([-0.02, 0.01], "seconds")).toBe("−0.0200 to +0.0100 s");
    expect(figureRange([0.786, 0.879], "share")).toBe("78.6% to 87.9%");
    expect(figureRange([-0.312, 2.035], "share")).toBe("0.0% to 100.0%");
    expect(figureRange([-0.5, 1.5], "seconds")).toBe("0 s to 1.50 s");
    expect(figureRange([-0.5, 1.5], "number")).toBe("−0.500 to 1.50");
    expect(distance(-0.02, "share")).toBe("2.0 points");
    expect(percentName(0.9)).toBe("90%");
    expect(percentName(0.975)).toBe("97.5%");
  });

  it.each([
    [0.04, "0.0 s"],
    [12.34, "12.3 s"],
    [59.96, "1 min 00 s"],
    [372, "6 min 12 s"],
    [3599.7, "1 h 00 min"],
    [7320, "2 h 02 min"],
  ])("%d seconds are %s", (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });

  it("counts and pays as people write it", () => {
    expect(count(1_000_000)).toBe("1,000,000");
    expect(counted(1, "case")).toBe("1 case");
    expect(counted(0, "case")).toBe("0 cases");
    expect(usd(0)).toBe("$0.00");
    expect(usd(1234.5)).toBe("$1,234.50");
    expect(pValue(0.0219)).toBe("p = 0.022");
    expect(pValue(0.00001)).toBe("p < 0.001");
  });

  it("has the unit that the metric declares", () => {
    expect(unitOf(examples.failed, { task: "qa", metric: "exact_match" })).toBe("share");
    expect(unitOf({ ...examples.failed, metrics: [] }, { task: "qa", metric: "exact_match" })).toBe(
      "share",
    );
    expect(unitOf(examples.failed, { task: "qa", metric: "latency_seconds" })).toBe("seconds");
    expect(unitOf(examples.failed, { task: "qa", metric: "unknown" })).toBe("number");
  });
});

describe("costWords", () => {
  const usage = { input_tokens: 0, output_tokens: 0, cached: 0 };
  it("tells what the models that graders asked cost apart, where there were any", () => {
    expect(costWords({ ...usage, usd: 3.16, judge_usd: 0 })).toBe("$3.16");
    expect(costWords({ ...usage, usd: 3, judge_usd: 0.5 })).toBe("$3.50, $0.500 of it for judges");
  });

  it("does not take what has no known price for free", () => {
    const unknown = { ...usage, unpriced: true } as const;
    expect(costWords({ ...unknown, usd: 0, judge_usd: 0 })).toBe(
      "$0.00 and what has no known price",
    );
  });
});
