import { binomialAtMost } from "../../src/stats/distributions/binomial.ts";
import { mcnemarMidP } from "../../src/stats/inference/mcnemar.ts";
import { sfc32, type Random } from "../../src/stats/distributions/sfc32.ts";
import { studentQuantile } from "../../src/stats/distributions/student.ts";
import { tangoInterval, tangoScore } from "../../src/stats/inference/tango.ts";
import { normalQuantile } from "../../src/stats/distributions/normal.ts";
import { wilsonInterval } from "../../src/stats/inference/proportion.ts";
import { kindsOf, meanOver, not, times, trinomial } from "./chances.ts";
import { blocks, exactly, gateThresholds } from "./one-repeat.ts";

/**
 * The same data under five kinds of rules: their verdicts for 240 cases, of which 213 were right and 201 are (18
 * broken, 6 fixed), and how often each blocks an unchanged run. `node scripts/simulate-gates.ts` prints them with the
 * rest.
 */
export const example = { n: 240, before: 213, after: 201, broke: 18, fixed: 6 };

/** Results of each rule, and the figures that its line of docs/statistics.md uses. */
export interface Verdicts {
  /** A bare drop of 2 points: whether it blocks, and how often it blocks an unchanged run. */
  readonly bare: { readonly blocks: boolean; readonly false_alarms: number };
  /** 95 % intervals (Wilson) of the two averages that don't overlap. */
  readonly intervals: { readonly blocks: boolean; readonly blocks_twenty_broken: boolean };
  /** Blocks unless the run is shown to be within 2 points (Tango, 90 %): how many unchanged runs are. */
  readonly margin: {
    readonly says: "blocks" | "passes" | "undecided";
    readonly interval: readonly [number, number];
    readonly shown: readonly { readonly n: number; readonly share: number }[];
  };
  /** Compares the average with those of earlier runs, by their mean and spread. */
  readonly history: {
    readonly runs: number;
    readonly draws: number;
    /** Number of histories of the same candidate for which it blocks the example. */
    readonly blocks: number;
    /** Share of runs of that candidate itself that it blocks. */
    readonly false_alarms: number;
  };
  readonly gate: {
    readonly blocks: boolean;
    readonly p: number;
    readonly false_alarms: number;
    readonly confirmed: number;
  };
}

/** Computes the results of all five. */
export function fiveVerdicts(draws = 20_000): Verdicts {
  const { n, broke, fixed } = example;
  const unchanged = exactly(n, 0, gateThresholds(n));
  return {
    bare: { blocks: (broke - fixed) / n >= 0.02, false_alarms: unchanged.two_points },
    intervals: intervalVerdicts(),
    margin: marginVerdicts(),
    history: historyVerdicts(draws),
    gate: {
      blocks: blocks(n, broke, fixed),
      p: mcnemarMidP(broke, fixed),
      false_alarms: unchanged.gate,
      confirmed: unchanged.confirmed,
    },
  };
}

function intervalVerdicts(): Verdicts["intervals"] {
  const { n, before, after } = example;
  const isApart = (now: number): boolean =>
    wilsonInterval(now, n, 0.95).upper < wilsonInterval(before, n, 0.95).lower;
  return { blocks: isApart(after), blocks_twenty_broken: isApart(before - 20) };
}

const margin = 0.02;

function marginVerdicts(): Verdicts["margin"] {
  const { n, broke, fixed } = example;
  const { lower, upper } = tangoInterval({ broke, fixed, n }, 0.9);
  const says = upper < -margin ? "blocks" : lower > -margin ? "passes" : "undecided";
  const shown = [n, 1000].map((size) => ({ n: size, share: shareShown(size) }));
  return { says, interval: [lower, upper], shown };
}

/** Share of unchanged runs that are shown to be within the margin. */
function shareShown(n: number): number {
  const kinds = kindsOf(0);
  const chance = trinomial(n, {
    breaks: meanOver(kinds, ({ base, head }) => times(base, not(head))),
    fixes: meanOver(kinds, ({ base, head }) => times(not(base), head)),
  });
  const z = normalQuantile(0.95);
  let share = 0;
  for (let broke = 0; broke <= n; broke += 1)
    for (let fixed = 0; fixed <= n - broke; fixed += 1) {
      const probability = chance(broke, fixed);
      if (probability > 1e-12 && tangoScore({ broke, fixed, n }, -margin) > z) share += probability;
    }
  return share;
}

/** Number of earlier averages in a history. */
const earlierRuns = 10;
/**
 * A candidate that is right on 213 of 240 on average: 54 cases are random, all others are always right. Two of its runs
 * differ on 27 cases, 11 %.
 */
const tossed = 54;

function historyVerdicts(draws: number): Verdicts["history"] {
  const { n, before, after } = example;
  const random = sfc32([n, tossed, earlierRuns]);
  const t = studentQuantile(0.95, earlierRuns - 1);
  const toss = tosser(random);
  const run = (): number => before - tossed / 2 + toss();
  let [hits, alarms] = [0, 0];
  for (let i = 0; i < draws; i += 1) {
    const earlier = Array.from({ length: earlierRuns }, run);
    const mean = earlier.reduce((sum, right) => sum + right, 0) / earlierRuns;
    const squares = earlier.reduce((sum, right) => sum + (right - mean) ** 2, 0);
    const least = mean - t * Math.sqrt(squares / (earlierRuns - 1));
    if (after < least) hits += 1;
    if (run() < least) alarms += 1;
  }
  return { runs: earlierRuns, draws, blocks: hits / draws, false_alarms: alarms / draws };
}

/** Draws the number of random cases that are right. */
function tosser(random: Random): () => number {
  const upTo = Array.from({ length: tossed + 1 }, (_, right) =>
    binomialAtMost(right, { trials: tossed, probability: 0.5 }),
  );
  return () => {
    const drawn = (random() + 0.5) / 2 ** 32;
    return upTo.findIndex((share) => drawn <= share);
  };
}
