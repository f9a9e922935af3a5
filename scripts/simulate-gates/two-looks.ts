import { sfc32, type Random } from "../../src/stats/distributions/sfc32.ts";
import { mcnemarMidP } from "../../src/stats/inference/mcnemar.ts";
import { simulateAll, type Simulation } from "./cell.ts";
import { uniform } from "./worlds.ts";

/**
 * How often rules with two looks block, which Regrade does not offer, compared with its own: one look at 0.05,
 * confirmed at 0.2.
 */
export interface LooksCell {
  readonly change: string;
  readonly n: number;
  /** One look at 0.05; then fresh results of the changed cases decide at 0.2. */
  readonly confirmed: number;
  /** A look at 0.2; then fresh results of all cases on both sides decide at 0.2. */
  readonly twice: number;
  /** A look at 0.2 at one half of the cases, and one at 0.2 at the other. */
  readonly halves: number;
  /** As `twice`, but the more of the changes appear again, the lower the first level is, from 0.2 down to 0.05. */
  readonly spent: number;
}

export interface Looks {
  /** Number of seeded runs behind each figure. */
  readonly runs: number;
  readonly cells: readonly LooksCell[];
}

/** Parts of the cases that change; all others stay. A random case changes half of the time, as often for the better. */
interface Change {
  readonly name: string;
  readonly coins: number;
  readonly breaks: number;
  readonly fixes: number;
}

const changes: readonly Change[] = [
  { name: "nothing changed", coins: 0.24, breaks: 0, fixes: 0 },
  { name: "neutral, 50 % comes again", coins: 0.12, breaks: 0.03, fixes: 0.03 },
  { name: "neutral, 100 % comes again", coins: 0, breaks: 0.06, fixes: 0.06 },
  { name: "5 points lost, 12 % change by chance", coins: 0.24, breaks: 0.05, fixes: 0 },
];

const [strict, loose] = [0.05, 0.2];

export const looksCells: readonly Simulation<LooksCell>[] = changes.flatMap((change, row) =>
  [50, 100, 200].map((n) => ({
    name: `two looks, ${n} cases: ${change.name}`,
    simulate: (runs) => looksCell(change, n, { runs, random: sfc32([row, n, 2]) }),
  })),
);

/** Simulates all cells. */
export function simulateLooks(runs: number): Looks {
  return { runs, cells: simulateAll(looksCells, runs) };
}

function looksCell(
  change: Change,
  n: number,
  { runs, random }: { readonly runs: number; readonly random: Random },
): LooksCell {
  const counts = { confirmed: 0, twice: 0, halves: 0, spent: 0 };
  for (let run = 0; run < runs; run += 1) {
    const kinds = Array.from({ length: n }, () => kindOf(change, uniform(random)));
    const [first, second] = [look(kinds, random), look(kinds, random)];
    const [p, again] = [pOf(first), pOf(second)];
    const changed = second.filter((_, i) => first[i] !== 0);
    const half = n >> 1;
    if (p < strict && pOf(changed) < loose) counts.confirmed += 1;
    if (p < loose && again < loose) counts.twice += 1;
    if (pOf(first.slice(0, half)) < loose && pOf(first.slice(half)) < loose) counts.halves += 1;
    if (p < levelFor(first, second) && again < loose) counts.spent += 1;
  }
  const share = (count: number): number => Math.round((count / runs) * 1e4) / 1e4;
  const { confirmed, twice, halves, spent } = counts;
  const blocked = { confirmed: share(confirmed), twice: share(twice) };
  return { change: change.name, n, ...blocked, halves: share(halves), spent: share(spent) };
}

type Kind = "coin" | "breaks" | "fixes" | "stays";

function kindOf({ coins, breaks, fixes }: Change, drawn: number): Kind {
  if (drawn < coins) return "coin";
  if (drawn < coins + breaks) return "breaks";
  return drawn < coins + breaks + fixes ? "fixes" : "stays";
}

/** For each case −1, 1 or 0. */
function look(kinds: readonly Kind[], random: Random): readonly number[] {
  return kinds.map((kind) => {
    switch (kind) {
      case "breaks":
        return -1;
      case "fixes":
        return 1;
      case "stays":
        return 0;
      case "coin": {
        const drawn = uniform(random);
        if (drawn < 0.25) return -1;
        return drawn < 0.5 ? 1 : 0;
      }
    }
  });
}

function pOf(signs: readonly number[]): number {
  const broke = signs.filter((sign) => sign < 0).length;
  const fixed = signs.filter((sign) => sign > 0).length;
  return broke > fixed ? mcnemarMidP(broke, fixed) : 1;
}

/**
 * The first level. Of random cases that changed, a quarter changes in the same way again; if two thirds of the changes
 * are permanent, the level is the strict one.
 */
function levelFor(first: readonly number[], second: readonly number[]): number {
  const changed = first.filter((sign) => sign !== 0).length;
  const same = first.filter((sign, i) => sign !== 0 && second[i] === sign).length;
  const stays = changed === 0 ? 1 : Math.max(0, (same / changed - 0.25) / 0.75);
  const share = Math.min(1, 1.5 * stays);
  return loose + share * (strict - loose);
}
