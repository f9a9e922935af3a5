import { sfc32, type Random } from "../../src/stats/distributions/sfc32.ts";
import { dropTest } from "../../src/stats/inference/drop-test.ts";
import { normalCdf } from "../../src/stats/distributions/normal.ts";
import { simulateAll, type Simulation } from "./cell.ts";
import { type Change, changes, unchanged } from "./changes.ts";
import { compared, settled, share, type Scored, type World } from "./worlds.ts";

/**
 * Share of runs that the rule blocks with five repeats per case: by the mean of the cases alone; with cases weighted by
 * their repeats; and, which Regrade does not do, by the mean or by answers permuted within each case, each at half of
 * alpha.
 */
export interface RepeatsCell {
  readonly change: string;
  readonly n: number;
  readonly mean: number;
  readonly weighted: number;
  readonly shuffled: number;
}

/** The cells, and the number of seeded runs behind each figure. */
export interface WithRepeats {
  readonly runs: number;
  readonly cells: readonly RepeatsCell[];
}

const repeats = 5;
const limit = 0.02;
const alpha = 0.05;

/** Benefit and cost of the weights. */
export const repeatsCells: readonly Simulation<RepeatsCell>[] = changes.flatMap((change, row) =>
  [50, 100, 200].map((n) => ({
    name: `${repeats} repeats, ${n} cases: ${change.name}`,
    simulate: (runs) => repeatsCell({ change, n, random: sfc32([row, n, repeats]) }, runs),
  })),
);

/** Simulates all cells. */
export function simulateRepeats(runs: number): WithRepeats {
  return { runs, cells: simulateAll(repeatsCells, runs) };
}

function repeatsCell(
  { change, n, random }: { readonly change: Change; readonly n: number; readonly random: Random },
  runs: number,
): RepeatsCell {
  let [mean, weighted, shuffled] = [0, 0, 0];
  for (let run = 0; run < runs; run += 1) {
    const all = Array.from({ length: change.rules }, (_, i) =>
      drawScores(n, i === 0 ? change.draw : unchanged, random),
    );
    if (isBlocked(all, n, 1)) mean += 1;
    if (isBlocked(all, n, repeats)) weighted += 1;
    if (all.some((scored) => isShuffledBlocked(scored, change.rules))) shuffled += 1;
  }
  const digits = (count: number): number => Math.round((count / runs) * 1e4) / 1e4;
  return {
    change: change.name,
    n,
    mean: digits(mean),
    weighted: digits(weighted),
    shuffled: digits(shuffled),
  };
}

function drawScores(n: number, draw: Change["draw"], random: Random): Scored {
  const pairs = Array.from({ length: n }, () => {
    const [before, after] = draw(random);
    return [share(random, repeats, before), share(random, repeats, after)] as const;
  });
  return { before: pairs.map(([before]) => before), after: pairs.map(([, after]) => after) };
}

/** With one declared repeat per score, the certainty of the scores is unknown. */
function isBlocked(all: readonly Scored[], n: number, known: number): boolean {
  const world: World = {
    name: "",
    n,
    scale: "binary",
    repeats: known,
    draw: () => ({ before: [], after: [] }),
  };
  const asked = { prove: "drop", limit } as const;
  const comparisons = all.map((scored) => compared(world, scored, asked));
  // The gate's adjustment only increases p-values: most runs need no adjustment to be decided.
  if (comparisons.every(({ p }) => (p ?? 1) >= alpha)) return false;
  return settled(comparisons, asked).some(({ outcome }) => outcome === "missed");
}

/**
 * Uses the normal approximation: if a case's ten answers, of which r are right, are randomly split between two sides,
 * the difference has the variance (r/10)(1 − r/10)·4/9.
 */
function isShuffledBlocked({ before, after }: Scored, rules: number): boolean {
  const differences = before.map((score, i) => (after[i] ?? 0) - score);
  const loss = -differences.reduce((sum, difference) => sum + difference, 0);
  if (loss / before.length < limit - 1e-9) return false;
  const variance = before.reduce((sum, score, i) => {
    const right = (score + (after[i] ?? 0)) / 2;
    return sum + (right * (1 - right) * 4) / (2 * repeats - 1);
  }, 0);
  const level = alpha / 2 / rules;
  if (variance > 0 && normalCdf(-loss / Math.sqrt(variance)) < level) return true;
  return dropTest(differences).p < level;
}
