import { describe, expect, it } from "vitest";
import { clusterT } from "../../../src/stats/inference/cluster-t.ts";
import { dropTest } from "../../../src/stats/inference/drop-test.ts";
import { mcnemarMidP } from "../../../src/stats/inference/mcnemar.ts";
import { pairedT } from "../../../src/stats/inference/paired-t.ts";
import { sfc32 } from "../../../src/stats/distributions/sfc32.ts";

function repeat(value: number, times: number): readonly number[] {
  return Array.from({ length: times }, () => value);
}

/** Differences that are no multiples of one unit. */
function scattered(n: number, shift: number): readonly number[] {
  const random = sfc32([1, 2, n]);
  return Array.from({ length: n }, () => random() / 2 ** 32 - 0.5 + shift);
}

describe("the test of a drop", () => {
  it("has one p for the same changes, whatever their size and however many cases stayed", () => {
    const p = mcnemarMidP(3, 0);
    for (const size of [1, 0.5, 0.2, 17])
      for (const still of [0, 27, 97, 997])
        expect(dropTest([...repeat(-size, 3), ...repeat(0, still)])).toEqual({
          test: "sign_flip_exact",
          p: expect.closeTo(p, 14),
        });
  });

  it("is not turned by changes that are next to nothing", () => {
    const noise = scattered(97, 0).map((value) => value * 1e-6);
    const { test, p } = dropTest([...repeat(-1, 3), ...noise]);
    expect(test).toBe("sign_flip_seeded");
    expect(Math.abs(p - mcnemarMidP(3, 0))).toBeLessThan(0.01);
  });

  it("is exact for means over repeats, and the paired t test for scores that vary freely", () => {
    expect(dropTest([...repeat(-0.2, 40), ...repeat(0.6, 12)]).test).toBe("sign_flip_exact");
    const values = scattered(80, -0.1);
    expect(dropTest(values)).toEqual({ test: "paired_t", p: pairedT(values, 0.9).pLess });
    expect(dropTest(values.slice(0, 29)).test).toBe("sign_flip_exact");
  });

  it("takes no change for a result", () => {
    expect(dropTest(repeat(0, 50))).toEqual({ test: "sign_flip_exact", p: 1 });
  });

  it("flips whole clusters where these are few, or one outweighs the others, or few of them changed", () => {
    const values = scattered(120, -0.1);
    const even = values.map((_, i) => i % 30);
    expect(dropTest(values, even)).toEqual({
      test: "cluster_t",
      p: clusterT({ values, clusters: even }, 0.9).pLess,
    });
    const few = values.map((_, i) => i % 19);
    expect(dropTest(values, few).test).toBe("cluster_flip_exact");
    const uneven = values.map((_, i) => (i < 60 ? 0 : i));
    expect(dropTest(values, uneven).test).toMatch(/^cluster_flip/);
    const sparse = values.map((value, i) => (i % 30 < 3 ? value : 0));
    expect(dropTest(sparse, even).test).toBe("cluster_flip_exact");
  });

  it("counts half of the ties of cluster flips, too", () => {
    const clusters = repeat(0, 6).map((_, i) => i >> 1);
    expect(dropTest(repeat(-1, 6), clusters)).toEqual({ test: "cluster_flip_exact", p: 1 / 16 });
  });
});
