import type { Random } from "../../src/stats/distributions/sfc32.ts";
import { uniform } from "./worlds.ts";

/** A case's chances to be answered right, before and after. */
type Chances = readonly [before: number, after: number];

/** Effect of a change on the cases of a suite. */
export interface Change {
  readonly name: string;
  /** Number of comparisons that share alpha; the first of them has the change. */
  readonly rules: number;
  readonly draw: (random: Random) => Chances;
}

/** As in `repeated`: most cases are nearly always answered right, others flicker; 82 % are right on average. */
function usualChance(random: Random): number {
  const drawn = uniform(random);
  if (drawn < 0.65) return 0.98;
  return drawn < 0.9 ? 0.6 : 0.2;
}

/** The same chance on both sides. */
export function unchanged(random: Random): Chances {
  const chance = usualChance(random);
  return [chance, chance];
}

/** 12 % of the cases change, half of them for the better, by this share of the possible change. */
function neutral(by: number): Change["draw"] {
  return (random) => {
    const drawn = uniform(random);
    const [high, low] = [(1 + by) / 2, (1 - by) / 2];
    if (drawn < 0.06) return [high, low];
    return drawn < 0.12 ? [low, high] : unchanged(random);
  };
}

/** The mean stays: 5 % of the cases, right before, break for good, and the flickering quarter gains as much in total. */
function lopsided(random: Random): Chances {
  const drawn = uniform(random);
  if (drawn < 0.05) return [1, 0];
  return drawn < 0.3 ? [0.5, 0.7] : unchanged(random);
}

function broken(drop: number): Change["draw"] {
  return (random) => {
    const [before] = unchanged(random);
    return [before, uniform(random) < drop / 0.807 ? 0 : before];
  };
}

/** Each case loses the same amount, as far as its chance allows. */
function lowered(drop: number): Change["draw"] {
  return (random) => {
    const [before] = unchanged(random);
    return [before, Math.max(0, before - drop)];
  };
}

/** Changes that any test of a drop must handle. */
export const changes: readonly Change[] = [
  { name: "nothing changed", rules: 1, draw: unchanged },
  { name: "nothing changed, three rules", rules: 3, draw: unchanged },
  { name: "neutral, 0 % comes again", rules: 1, draw: neutral(0) },
  { name: "neutral, 50 % comes again", rules: 1, draw: neutral(0.5) },
  { name: "neutral, 100 % comes again", rules: 1, draw: neutral(1) },
  {
    name: "neutral on the mean alone: steady cases break, flickering ones gain",
    rules: 1,
    draw: lopsided,
  },
  { name: "5 points lost by cases that break for good", rules: 1, draw: broken(0.05) },
  { name: "the same, three rules", rules: 3, draw: broken(0.05) },
  { name: "5 points lost by all cases alike", rules: 1, draw: lowered(0.05) },
];

/** A candidate that is mostly wrong. */
export const mostlyWrong: Change = {
  name: "nothing changed, mostly wrong",
  rules: 1,
  draw: (random) => {
    const chance = 1 - usualChance(random);
    return [chance, chance];
  },
};
