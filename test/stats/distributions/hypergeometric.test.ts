import { describe, expect, it } from "vitest";
import { hypergeometricAtLeast } from "../../../src/stats/distributions/hypergeometric.ts";

/** `found` of `drawn`, where so many of a population are marked; and how likely that or more is. */
type Row = readonly [
  found: number,
  population: number,
  marked: number,
  drawn: number,
  expected: number,
];

describe("Fisher's exact test, one-sided", () => {
  // From SciPy's documentation: fisher_exact([[6, 2], [1, 4]], alternative="greater") is 0.0862,
  // and hypergeom's dogs (20 animals, 7 dogs, 12 chosen).
  // The others are the sums of fractions of whole numbers, which Python's `math.comb` and `fractions` give exactly.
  it.each<Row>([
    [6, 13, 7, 8, 0.08624708624708624],
    [8, 16, 9, 10, 0.024475524475524476],
    [1, 20, 7, 12, 0.9998968008255934],
    [0, 20, 7, 12, 1],
    [5, 10, 5, 5, 0.003968253968253968],
    [3, 100, 3, 3, 6.184291898577613e-6],
    [30, 100, 60, 40, 0.010291284541572326],
    [7, 800, 7, 200, 5.6351855840106185e-5],
    [63, 240, 63, 66, 7.812321723296587e-55],
    [20, 1000, 100, 100, 0.001069633001485991],
    [120, 10_000, 1000, 1000, 0.016720411351255772],
  ])("of %d in %d, %d marked, %d drawn", (...row) => {
    const [found, population, marked, drawn, expected] = row;
    const p = hypergeometricAtLeast(found, { population, marked, drawn });
    expect(Math.abs(p / expected - 1)).toBeLessThan(1e-12);
  });

  it("agrees with counting for every small table", () => {
    for (let population = 1; population <= 12; population += 1)
      for (let marked = 0; marked <= population; marked += 1)
        for (let drawn = 0; drawn <= population; drawn += 1) {
          const draw = { population, marked, drawn };
          let tail = 0;
          for (let found = drawn + 1; found >= 0; found -= 1) {
            tail +=
              (choose(marked, found) * choose(population - marked, drawn - found)) /
              choose(population, drawn);
            expect(hypergeometricAtLeast(found, draw)).toBeCloseTo(tail, 12);
          }
        }
  });
});

function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let ways = 1;
  for (let i = 0; i < k; i += 1) ways = (ways * (n - i)) / (i + 1);
  return ways;
}
