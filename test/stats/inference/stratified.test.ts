import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stratifiedDropTest, stratifiedNoise } from "../../../src/stats/inference/stratified.ts";

/** Made by scripts/stratified-vectors.py with SciPy and statsmodels. */
interface Vector {
  readonly name: string;
  readonly answers: readonly (readonly [number, number, number, number])[];
  readonly p: number;
}

const { vectors }: { readonly vectors: readonly Vector[] } = JSON.parse(
  readFileSync(new URL("../stratified.json", import.meta.url), "utf8"),
);

const answersOf = ({ answers }: Pick<Vector, "answers">) =>
  answers.map(([right, of, rightBefore, ofBefore]) => ({ right, of, rightBefore, ofBefore }));

describe("the test of a drop from several earlier runs", () => {
  it.each(vectors)("has SciPy's p: $name", ({ p, ...vector }) => {
    const found = stratifiedDropTest(answersOf(vector));
    expect(found).toEqual({ test: "stratified_exact", p: expect.closeTo(p, 12) });
  });

  it("is normal where so many answers are summed, and hardly another", () => {
    const [vector] = vectors;
    if (vector === undefined) throw new Error("no vectors");
    const answers = answersOf(vector);
    const times = (count: number) => Array.from({ length: count }, () => answers).flat();
    const [few, many] = [stratifiedDropTest(times(1)), stratifiedDropTest(times(60))];
    expect([few?.test, many?.test]).toEqual(["stratified_exact", "stratified_large"]);
    expect(many?.p).toBeLessThan(1e-6);
  });

  it("has nothing to tell where all answers of each case are alike", () => {
    const alike = [
      [1, 1, 5, 5],
      [0, 1, 0, 5],
    ] as const;
    expect(stratifiedDropTest(answersOf({ answers: alike }))).toBeUndefined();
    expect(stratifiedNoise(answersOf({ answers: alike }), undefined)).toBeUndefined();
    expect(stratifiedDropTest([])).toBeUndefined();
  });

  it("stands cases that are in fewer of the earlier runs", () => {
    const answers = [
      ...Array.from({ length: 8 }, () => [0, 1, 3, 3] as const),
      [0, 1, 1, 1],
    ] as const;
    const found = stratifiedDropTest(answersOf({ answers }));
    expect(found?.test).toBe("stratified_exact");
    expect(found?.p).toBeLessThan(0.01);
  });
});
