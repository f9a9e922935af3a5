import { sfc32, type Random } from "../../src/stats/distributions/sfc32.ts";
import { simulateAll, type Simulation } from "./cell.ts";
import { compared, settled, share, uniform, type World } from "./worlds.ts";

/** Share of runs in which a rule with `against` blocks although no candidate is worse than the reference. */
export interface AgainstCell {
  readonly change: string;
  /** Number of candidates that are compared with one reference. */
  readonly candidates: number;
  readonly n: number;
  readonly blocked: number;
}

export interface Against {
  /** Number of seeded runs behind each figure. */
  readonly runs: number;
  readonly cells: readonly AgainstCell[];
}

interface Neutral {
  readonly change: string;
  readonly repeats: number;
  /** For a case: the chance that the reference is right, and the chances of the candidates. */
  readonly draw: (random: Random, candidates: number) => readonly [number, ...(readonly number[])];
}

const neutrals: readonly Neutral[] = [
  { change: "the same answers but for chance", repeats: 1, draw: byChance },
  { change: "the same, 5 repeats", repeats: 5, draw: byChance },
  {
    change: "12 % of the cases differ for good, as many better as worse",
    repeats: 1,
    draw: forGood,
  },
];

/** Each case has its own chance to be answered right: 82 % on average, as in the other simulations. */
function byChance(random: Random, candidates: number): readonly [number, ...(readonly number[])] {
  const drawn = uniform(random);
  const chance = drawn < 0.65 ? 0.98 : drawn < 0.9 ? 0.6 : 0.2;
  return [chance, ...Array.from({ length: candidates }, () => chance)];
}

/** Every answer is certain. Each candidate breaks and fixes cases of its own. */
function forGood(random: Random, candidates: number): readonly [number, ...(readonly number[])] {
  const right = uniform(random) < 0.5 ? 1 : 0;
  const others = Array.from({ length: candidates }, () =>
    uniform(random) < 0.12 ? 1 - right : right,
  );
  return [right, ...others];
}

/** One candidate, and three against the same reference. */
export const againstCells: readonly Simulation<AgainstCell>[] = neutrals.flatMap((neutral, row) =>
  [1, 3].flatMap((candidates) =>
    [50, 100, 200].map((n) => ({
      name: `against, ${candidates} candidate${candidates === 1 ? "" : "s"}, ${n} cases: ${neutral.change}`,
      simulate: (runs) => {
        const random = sfc32([row, n, candidates]);
        let blocked = 0;
        for (let run = 0; run < runs; run += 1)
          if (isBlocked(neutral, { candidates, n }, random)) blocked += 1;
        const rounded = Math.round((blocked / runs) * 1e4) / 1e4;
        return { change: neutral.change, candidates, n, blocked: rounded };
      },
    })),
  ),
);

/** Simulates all cells. */
export function simulateAgainst(runs: number): Against {
  return { runs, cells: simulateAll(againstCells, runs) };
}

function isBlocked(
  { repeats, draw }: Neutral,
  { candidates, n }: { readonly candidates: number; readonly n: number },
  random: Random,
): boolean {
  const scores = Array.from({ length: n }, () =>
    draw(random, candidates).map((chance) => share(random, repeats, chance)),
  );
  const world: World = {
    name: "",
    n,
    scale: "binary",
    repeats,
    draw: () => ({ before: [], after: [] }),
  };
  const before = scores.map(([reference = 0]) => reference);
  const comparisons = Array.from({ length: candidates }, (_, i) =>
    compared(world, { before, after: scores.map((each) => each[i + 1] ?? 0) }),
  );
  return settled(comparisons).some(({ outcome }) => outcome === "missed");
}
