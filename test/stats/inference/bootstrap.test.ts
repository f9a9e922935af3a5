import { describe, expect, it } from "vitest";
import { bootstrap, describe as summarise } from "../../../src/stats/inference/bootstrap.ts";
import { apart, clustersOf } from "../../../src/stats/clusters.ts";
import { meanOf } from "../../../src/stats/aggregates/mean.ts";
import { quantile } from "../../../src/stats/aggregates/quantile.ts";
import { type Resampled, resampler } from "../../../src/stats/aggregates/shapes.ts";
import { below, sfc32, sfc32Block } from "../../../src/stats/distributions/sfc32.ts";

const values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
const names = ["a", "b", "a", "c", "c", "c", "d", "e", "e", "a", "f", "f"];

/** The aggregation of a resample that is written out. */
function plainly(kind: Resampled, list: readonly number[]): number {
  const { mean, stderr = Number.NaN, n } = meanOf(list);
  if (kind.kind === "mean") return mean;
  if (kind.kind === "stddev") return stderr * Math.sqrt(n);
  return quantile(
    list.toSorted((a, b) => a - b),
    kind.p,
  );
}

describe("the bootstrap", () => {
  it("draws what sfc32 says, unit by unit", () => {
    const random = sfc32([1, 2, 3]);
    const expected = Array.from({ length: 50 }, () => {
      const counts = new Uint32Array(7);
      for (let i = 0; i < 7; i += 1) {
        const unit = below(random, 7);
        counts[unit] = (counts[unit] ?? 0) + 1;
      }
      return counts.join("");
    });
    const drawn: string[] = [];
    bootstrap({ units: 7, draws: 50, seed: [1, 2, 3] }, (counts) => drawn.push(counts.join("")));
    expect(drawn).toEqual(expected);
  });

  it("computes of a resample what one would of the list written out", () => {
    const kinds: readonly Resampled[] = [
      { kind: "mean" },
      { kind: "stddev" },
      { kind: "quantile", p: 0 },
      { kind: "quantile", p: 0.5 },
      { kind: "quantile", p: 0.9 },
      { kind: "quantile", p: 1 },
    ];
    for (const clusters of [apart(values.length), clustersOf(names, values.length)]) {
      for (const kind of kinds) {
        const statistic = resampler({ values, clusters }, kind);
        bootstrap({ units: clusters.size, draws: 40, seed: [4, 4, 4] }, (counts) => {
          const list = values.flatMap((value, i) =>
            Array.from({ length: counts[clusters.of[i] ?? 0] ?? 0 }, () => value),
          );
          const got = statistic(counts);
          expect(got).toBeCloseTo(plainly(kind, list), 12);
          return got;
        });
      }
    }
  });

  it("has the standard error of a mean, and percentiles that enclose it", () => {
    const many = Array.from({ length: 300 }, (_, i) => Math.sin(i * i));
    const mean = resampler({ values: many, clusters: apart(300) }, { kind: "mean" });
    const drawing = { units: 300, draws: 4000, seed: [1, 1, 2] as const };
    const { stderr, interval } = summarise(bootstrap(drawing, mean), 0.9);
    const plain = meanOf(many);
    expect(stderr / (plain.stderr ?? 0)).toBeCloseTo(1, 1);
    expect(interval.lower).toBeCloseTo(plain.mean - 1.645 * stderr, 2);
    expect(interval.upper).toBeCloseTo(plain.mean + 1.645 * stderr, 2);
  });

  it("refuses to draw from nothing", () => {
    expect(() => bootstrap({ units: 0, draws: 1, seed: [1, 2, 3] }, () => 0)).toThrow(RangeError);
  });
});

describe("sfc32 by the list", () => {
  it("gives the same numbers as one by one", () => {
    const random = sfc32([9, 8, 7]);
    const one = Array.from({ length: 200 }, random);
    const fill = sfc32Block([9, 8, 7]);
    const lists = [new Uint32Array(1), new Uint32Array(130), new Uint32Array(69)];
    for (const list of lists) fill(list);
    expect(lists.flatMap((list) => Array.from(list))).toEqual(one);
  });
});
