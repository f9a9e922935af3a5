import { normalCdf } from "../../src/stats/distributions/normal.ts";
import { sfc32, type Random } from "../../src/stats/distributions/sfc32.ts";
import type { StratifiedAnswers } from "../../src/model/figures/statistics.ts";
import { simulateAll, type Simulation } from "./cell.ts";
import { type Change, changes, mostlyWrong, unchanged } from "./changes.ts";
import { compared, settled, uniform, type World } from "./worlds.ts";

/**
 * How often the rule blocks against several earlier runs: by the mean over them; stratified by case; and by the test of
 * Cochran, Mantel and Haenszel alone, which Regrade does not do.
 */
export interface PooledCell {
  readonly change: string;
  readonly n: number;
  readonly earlier: number;
  readonly mean: number;
  readonly stratified: number;
  readonly shuffled: number;
}

export interface Pooled {
  /** Number of seeded runs behind each figure. */
  readonly runs: number;
  readonly cells: readonly PooledCell[];
  /** The same drop with an increasing number of earlier runs. */
  readonly stored: readonly PooledCell[];
}

const limit = 0.02;
const alpha = 0.05;
const usual = 5;

/** Benefit and cost of stratifying. */
export const pooledCells: readonly Simulation<PooledCell>[] = [...changes, mostlyWrong].flatMap(
  (change, row) => [50, 100, 200].map((n) => pooledCell({ change, n, earlier: usual, row })),
);

export const storedCells: readonly Simulation<PooledCell>[] = changes
  .filter(({ name }) => name.startsWith("5 points lost by cases"))
  .flatMap((change) =>
    [1, 2, 3, 5, 10, 20].map((earlier) => pooledCell({ change, n: 100, earlier, row: 20 })),
  );

/** Simulates all cells. */
export function simulatePooled(runs: number): Pooled {
  return { runs, cells: simulateAll(pooledCells, runs), stored: simulateAll(storedCells, runs) };
}

interface Asked {
  readonly change: Change;
  readonly n: number;
  readonly earlier: number;
  readonly row: number;
}

function pooledCell(asked: Asked): Simulation<PooledCell> {
  const { change, n, earlier } = asked;
  const name = `${earlier} earlier run${earlier === 1 ? "" : "s"}, ${n} cases: ${change.name}`;
  return { name, simulate: (runs) => simulatePool(asked, runs) };
}

function simulatePool({ change, n, earlier, row }: Asked, runs: number): PooledCell {
  const random = sfc32([row, n, 100 + earlier]);
  const counts = { mean: 0, stratified: 0, shuffled: 0 };
  for (let run = 0; run < runs; run += 1) {
    const all = Array.from({ length: change.rules }, (_, i) =>
      drawAnswers(n, earlier, { draw: i === 0 ? change.draw : unchanged, random }),
    );
    if (isBlocked(all, false)) counts.mean += 1;
    if (isBlocked(all, earlier > 1)) counts.stratified += 1;
    if (all.some((answers) => isShuffledBlocked(answers, change.rules))) counts.shuffled += 1;
  }
  const digits = (count: number): number => Math.round((count / runs) * 1e4) / 1e4;
  const { mean, stratified, shuffled } = counts;
  return {
    change: change.name,
    n,
    earlier,
    mean: digits(mean),
    stratified: digits(stratified),
    shuffled: digits(shuffled),
  };
}

type Answers = readonly StratifiedAnswers[];

function drawAnswers(
  n: number,
  earlier: number,
  { draw, random }: { readonly draw: Change["draw"]; readonly random: Random },
): Answers {
  return Array.from({ length: n }, () => {
    const [before, after] = draw(random);
    let rightBefore = 0;
    for (let run = 0; run < earlier; run += 1) if (uniform(random) < before) rightBefore += 1;
    const right = uniform(random) < after ? 1 : 0;
    return { right, of: 1, rightBefore, ofBefore: earlier };
  });
}

function isBlocked(all: readonly Answers[], isStratified: boolean): boolean {
  const asked = { prove: "drop", limit } as const;
  const comparisons = all.map((answers) => {
    const world: World = {
      name: "",
      n: answers.length,
      scale: "binary",
      repeats: 1,
      ...(isStratified && { answers }),
      draw: () => ({ before: [], after: [] }),
    };
    const before = answers.map(({ rightBefore, ofBefore }) => rightBefore / ofBefore);
    return compared(world, { before, after: answers.map(({ right }) => right) }, asked);
  });
  // The gate's adjustment only increases p-values: most runs need no adjustment to be decided.
  if (comparisons.every(({ p }) => (p ?? 1) >= alpha)) return false;
  return settled(comparisons, asked).some(({ outcome }) => outcome === "missed");
}

/** By the normal approximation, without weights. */
function isShuffledBlocked(answers: Answers, rules: number): boolean {
  let [loss, deviation, variance] = [0, 0, 0];
  for (const { right, rightBefore, ofBefore } of answers) {
    const share = (right + rightBefore) / (1 + ofBefore);
    loss += rightBefore / ofBefore - right;
    deviation += right - share;
    variance += share * (1 - share);
  }
  if (variance === 0 || loss / answers.length < limit - 1e-9) return false;
  return normalCdf(deviation / Math.sqrt(variance)) < alpha / rules;
}
