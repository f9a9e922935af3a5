import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dropTest } from "../../../src/stats/inference/drop-test.ts";
import { mean } from "../../../src/stats/aggregates/mean.ts";
import { smallestDrop } from "../../../src/stats/sizing/detectable.ts";
import { weightedDropTest, weightedNoise } from "../../../src/stats/inference/weighted-drop.ts";

/** Made by scripts/weighted-flip-vectors.py with NumPy and SciPy. */
interface Vector {
  readonly name: string;
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
  readonly test: string;
  readonly p: number;
}

const { vectors }: { readonly vectors: readonly Vector[] } = JSON.parse(
  readFileSync(new URL("../weighted-flip.json", import.meta.url), "utf8"),
);

function variance(scores: readonly number[]): number {
  const centre = mean(scores);
  return scores.reduce((sum, score) => sum + (score - centre) ** 2, 0) / (scores.length - 1);
}

function repeatedOf({ before, after }: Pick<Vector, "before" | "after">) {
  return {
    differences: before.map((scores, i) => mean(after[i] ?? []) - mean(scores)),
    within: { before: before.map(variance), after: after.map(variance) },
  };
}

/** Ten answers of which so many are right, on a side. */
function right(count: number): readonly number[] {
  return Array.from({ length: 10 }, (_, i) => (i < count ? 1 : 0));
}

describe("the test of differences that are weighted by repeats", () => {
  it.each(vectors)("has NumPy's and SciPy's p: $name", ({ test, p, ...sides }) => {
    expect(weightedDropTest(repeatedOf(sides))).toEqual({ test, p: expect.closeTo(p, 12) });
  });

  it("is the same whichever side is called which, but for the sign", () => {
    const [vector] = vectors;
    if (vector === undefined) throw new Error("no vectors");
    const { differences, within } = repeatedOf(vector);
    const turned = {
      differences: differences.map((difference) => -difference),
      within: { before: within.after, after: within.before },
    };
    const [there, back] = [weightedDropTest({ differences, within }), weightedDropTest(turned)];
    expect((there?.p ?? 0) + (back?.p ?? 0)).toBeGreaterThan(0.99);
    expect(there?.p).toBeLessThan(0.05);
  });

  it("sees cases that break for good behind others that flicker", () => {
    const flickering = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? [3, 6] : [7, 4]));
    const broken = Array.from({ length: 4 }, () => [10, 0]);
    const counts = [...flickering, ...broken];
    const repeated = repeatedOf({
      before: counts.map(([before]) => right(before ?? 0)),
      after: counts.map(([, after]) => right(after ?? 0)),
    });
    const weighted = weightedDropTest(repeated);
    const { p } = dropTest(repeated.differences);
    expect(p).toBeGreaterThan(0.05);
    expect(weighted?.p).toBe(p / 2);
  });

  it("takes no loss of steady cases for one of the mean where those that flicker gained as much", () => {
    const flickering = Array.from({ length: 40 }, () => [4, 5]);
    const counts = [...flickering, ...Array.from({ length: 4 }, () => [10, 0])];
    const repeated = repeatedOf({
      before: counts.map(([before]) => right(before ?? 0)),
      after: counts.map(([, after]) => right(after ?? 0)),
    });
    expect(weightedDropTest(repeated)?.p).toBe(dropTest(repeated.differences).p);
  });

  it("leaves the test of the mean where all cases are known alike", () => {
    const sides = { before: [right(9), right(9)], after: [right(1), right(1)] };
    expect(weightedDropTest(repeatedOf(sides))).toBeUndefined();
    const steady = { before: [right(10), right(0)], after: [right(0), right(0)] };
    expect(weightedDropTest(repeatedOf(steady))).toBeUndefined();
    expect(
      weightedDropTest({ differences: [], within: { before: [], after: [] } }),
    ).toBeUndefined();
  });

  it("tells a smaller drop that could be seen", () => {
    const vector = vectors.find(({ name }) => name.includes("nothing changed"));
    if (vector === undefined) throw new Error("no vector of unchanged runs");
    const repeated = repeatedOf(vector);
    const losses = vector.before.map(mean);
    const weights = weightedNoise(repeated, losses);
    const spread = variance(repeated.differences);
    const noise = { n: 100, variance: spread, bits: false, lost: 0.9, clusters: null, design: 1 };
    const [plain, weighted] = [
      smallestDrop(noise, 0.05),
      smallestDrop({ ...noise, weights }, 0.05),
    ];
    expect(weighted).toBeLessThan(0.9 * (plain ?? 0));
  });
});
