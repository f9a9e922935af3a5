import { describe, expect, it } from "vitest";
import { clusterFlip, clusterT } from "../../src/stats/inference/cluster-t.ts";
import { clustersOf, gather } from "../../src/stats/clusters.ts";
import { pairedT } from "../../src/stats/inference/paired-t.ts";
import { sfc32 } from "../../src/stats/distributions/sfc32.ts";
import { signFlip } from "../../src/stats/inference/sign-flip.ts";

const values = [-1, 0, 0.5, -0.25, -1, 0, 1, -0.5];
const clusters = ["b", "b", "a", null, "a", "c", null, "b"];

describe("the cluster-robust t test", () => {
  it("is the paired t test where every case is a cluster of its own", () => {
    const alone = values.map(() => null);
    const { clusters: count, ...t } = clusterT({ values, clusters: alone }, 0.9);
    const plain = pairedT(values, 0.9);
    expect(count).toBe(values.length);
    expect(t.mean).toBe(plain.mean);
    expect(t.stderr).toBeCloseTo(plain.stderr ?? 0, 14);
    expect(t.pLess).toBeCloseTo(plain.pLess, 13);
    expect(t.interval?.lower).toBeCloseTo(plain.interval?.lower ?? 0, 13);
  });

  it("takes a case that was copied for what it is: no new evidence", () => {
    const copied = [...values, ...values];
    const names = [...values.keys(), ...values.keys()];
    const once = clusterT({ values, clusters: [...values.keys()] }, 0.9);
    const twice = clusterT({ values: copied, clusters: names }, 0.9);
    expect(twice.stderr).toBeCloseTo(once.stderr ?? 0, 14);
    expect(twice.pLess).toBeCloseTo(once.pLess, 13);
    expect(pairedT(copied, 0.9).pLess).toBeLessThan(once.pLess);
  });

  it("is the formula with the factor √(G / (G − 1)), clusters of unequal size and alone", () => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const members = [[0, 1, 7], [2, 4], [3], [5], [6]];
    const squares = members.map(
      (of) => of.reduce((sum, i) => sum + (values[i] ?? 0) - mean, 0) ** 2,
    );
    const sum = squares.reduce((total, square) => total + square, 0);
    const t = clusterT({ values, clusters }, 0.9);
    expect(t.clusters).toBe(5);
    expect(t.stderr).toBeCloseTo((Math.sqrt(sum) / values.length) * Math.sqrt(5 / 4), 14);
  });

  it("gives the same bytes in whatever order the cases come", () => {
    const order = [5, 2, 7, 0, 1, 6, 3, 4];
    const mixed = {
      values: order.map((i) => values[i] ?? 0),
      clusters: order.map((i) => clusters[i] ?? null),
    };
    expect(clusterT(mixed, 0.9)).toEqual(clusterT({ values, clusters }, 0.9));
    expect(clusterFlip(mixed)).toEqual(clusterFlip({ values, clusters }));
  });

  it("has a result where there is no spread, and none to show for one cluster", () => {
    const names = ["a", "a", "b", "b", "c"];
    const same = clusterT({ values: [-1, -1, -1, -1, -1], clusters: names }, 0.9);
    expect(same).toMatchObject({ stderr: 0, pLess: 1 / 8, interval: { lower: -1, upper: -1 } });
    expect(clusterT({ values: [0, 0, 0, 0, 0], clusters: names }, 0.9).pLess).toBe(1);
    // Each cluster has the mean of all, and nothing is left but rounding.
    const level = clusterT({ values: [0.1, -0.3, -0.3, 0.1, -0.1], clusters: names }, 0.9);
    expect(level.pLess).toBe(1 / 8);
    const one = clusterT({ values: [-1, 0, -1], clusters: ["a", "a", "a"] }, 0.9);
    expect(one).toMatchObject({ stderr: undefined, interval: undefined, pLess: 0.5, clusters: 1 });
  });

  it("refuses what it can't read", () => {
    expect(() => clusterT({ values: [], clusters: [] }, 0.9)).toThrow(RangeError);
    expect(() => clusterT({ values: [1, 2], clusters: ["a"] }, 0.9)).toThrow(/as many clusters/);
    expect(() => clusterT({ values: [1, Number.NaN], clusters: [1, 2] }, 0.9)).toThrow(RangeError);
  });

  it("holds its error where clusters move together, which the paired t test does not", () => {
    // 40 clusters of 5 cases that share a common shift; nothing got worse.
    const random = sfc32([3, 1, 4]);
    const normal = (): number =>
      Array.from({ length: 12 }, () => random() / 2 ** 32).reduce((sum, u) => sum + u, 0) - 6;
    const names = Array.from({ length: 200 }, (_, i) => Math.floor(i / 5));
    const blocked = { robust: 0, naive: 0 };
    const rounds = 400;
    for (let round = 0; round < rounds; round += 1) {
      const shifts = Array.from({ length: 40 }, normal);
      const shifted = names.map((name) => (shifts[name] ?? 0) + 0.3 * normal());
      if (clusterT({ values: shifted, clusters: names }, 0.9).pLess < 0.05) blocked.robust += 1;
      if (pairedT(shifted, 0.9).pLess < 0.05) blocked.naive += 1;
    }
    expect(blocked.robust / rounds).toBeLessThan(0.09);
    expect(blocked.naive / rounds).toBeGreaterThan(0.15);
  });
});

describe("the cluster flip", () => {
  it("is the sign-flip test of the clusters' sums", () => {
    const sums = [-1.5, -0.5, -0.25, 0, 1];
    expect(clusterFlip({ values, clusters })).toEqual(signFlip(sums));
    expect(clusterFlip({ values: [], clusters: [] })).toEqual({ pLess: 1, pMid: 1, exact: true });
  });

  it("takes for nothing what is left over of differences that cancel", () => {
    const cancelling = { values: [0.1, 0.2, -0.3, -1], clusters: ["a", "a", "a", "b"] };
    expect(clusterFlip(cancelling)).toEqual({ pLess: 0.5, pMid: 0.25, exact: true });
  });
});

describe("clusters", () => {
  it("are numbered by name, and by value where they have none", () => {
    const { of, size } = clustersOf([null, "b", 10, 9, "a", null], 6, (i, j) => j - i);
    expect([...of]).toEqual([5, 3, 1, 0, 2, 4]);
    expect(size).toBe(6);
    const gathered = gather([1, 2, 3], clustersOf(["x", "a", "x"], 3));
    expect([...gathered.values]).toEqual([2, 1, 3]);
    expect([...gathered.starts]).toEqual([0, 1, 3]);
  });
});
