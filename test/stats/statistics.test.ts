import { describe, expect, it } from "vitest";
import { expectWithin } from "../support/patience.ts";
import { statistics } from "../../src/stats/statistics.ts";

/** Every number inside a result. */
function numbersIn(result: unknown): number[] {
  if (typeof result === "number") return [result];
  if (typeof result !== "object" || result === null) return [];
  return Object.values(result).flatMap(numbersIn);
}

const lists: readonly (readonly number[])[] = [
  [0],
  [1],
  [-1],
  [0, 0],
  [1, 1],
  [-1, -1],
  [0, -1],
  [5e-324, -5e-324],
  [1e-300, 2e-300, -1e-300],
  [1e308, -1e308],
  [Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE],
  Array.from({ length: 20 }, (_, i) => i - 10),
  Array.from({ length: 21 }, (_, i) => i - 10.5),
  Array.from({ length: 5000 }, (_, i) => Math.sin(i)),
];
const levels = [0, 0.5, 0.9, 0.95, 0.999999];
const tables = [0, 1, 2, 3, 5, 1000, 100_000].flatMap((broke) =>
  [0, 1, 2, 7, 1000, 100_000].map((fixed) => ({ broke, fixed })),
);

/** Everything that a list can be asked, under whatever clusters. */
function answersOf(values: readonly number[], level: number): unknown[] {
  const question = { margin: 0.02, alpha: (1 - level) / 2, width: 2 };
  return [
    values.map((_, i) => i % 3),
    values.map(() => null),
    values.map(() => "one"),
    values.map((_, i) => (i % 2 === 0 ? null : "even")),
  ].flatMap((clusters) => [
    statistics.clusterT({ values, clusters }, level),
    statistics.clusterFlip({ values, clusters }),
    statistics.noninferiorityT({ values, clusters }, question),
    statistics.noninferiorityT(values, question),
    statistics.aggregateChange({ before: values, after: values, clusters }, "sum", level),
  ]);
}

describe("the statistics of the gate", () => {
  it("are never NaN and never infinite under clusters either", () => {
    for (const values of lists.filter((list) => list.length < 5000)) {
      for (const level of levels) {
        for (const number of numbersIn(answersOf(values, level)))
          expect(number).toSatisfy(Number.isFinite);
      }
    }
  });

  it("are never NaN and never infinite for medians, percentiles and spreads", () => {
    for (const values of lists.filter((list) => list.length < 5000)) {
      const after = values.toReversed();
      for (const aggregation of ["p50", "p95", "stddev", "sum"] as const) {
        const change = statistics.aggregateChange({ before: values, after }, aggregation, 0.9);
        for (const number of numbersIn(change)) expect(number).toSatisfy(Number.isFinite);
        const p = [change?.pLess ?? 0.5, change?.pGreater ?? 0.5];
        for (const each of p) expect(each).toBeLessThanOrEqual(1);
      }
    }
  });

  it("are never NaN and never infinite, whatever the differences", () => {
    for (const values of lists) {
      expect(statistics.signFlip(values).pLess).toSatisfy(Number.isFinite);
      for (const level of levels) {
        const results = [statistics.mean(values), statistics.pairedT(values, level)];
        for (const number of numbersIn(results)) expect(number).toSatisfy(Number.isFinite);
        const { pLess } = statistics.pairedT(values, level);
        expect(pLess).toBeGreaterThanOrEqual(0);
        expect(pLess).toBeLessThanOrEqual(1);
      }
    }
  });

  it("are never NaN and never infinite, whatever the table", () => {
    for (const { broke, fixed } of tables) {
      const p = statistics.mcnemarMidP(broke, fixed);
      expect(p).toBeGreaterThanOrEqual(0);
      expect(p).toBeLessThanOrEqual(1);
      for (const concordant of [0, 1, 100_000]) {
        for (const level of levels) {
          const pairs = { broke, fixed, n: broke + fixed + concordant };
          const { lower, upper } = statistics.tangoInterval(pairs, level);
          expect(lower).toBeGreaterThanOrEqual(-1);
          expect(upper).toBeLessThanOrEqual(1);
          expect(lower).toBeLessThanOrEqual(upper);
        }
      }
    }
  });

  it("keep up with a hundred thousand cases", async () => {
    const n = 100_000;
    const differences = Float64Array.from({ length: n }, (_, i) => Math.sin(i * i));
    // Some 10 ms.
    await expectWithin(0.5, () => {
      statistics.pairedT(differences, 0.9);
      statistics.tangoInterval({ broke: 5100, fixed: 4900, n }, 0.9);
      statistics.mcnemarMidP(5100, 4900);
    });
  });
});
