import { compare } from "../../src/gate/rules/compare.ts";
import type { MeasuredRule } from "../../src/gate/rules/measure.ts";
import type { Pairs } from "../../src/gate/pairing/pairs.ts";
import { planRules } from "../../src/gate/rules/plan.ts";
import { decideRules } from "../../src/gate/rules/decide.ts";
import type { Comparison, JudgedRule } from "../../src/model/outcomes/finding.ts";
import type { Random } from "../../src/stats/distributions/sfc32.ts";
import { statistics } from "../../src/stats/statistics.ts";
import { metric } from "./one-repeat.ts";

/** Scores of a pair of runs, case by case. */
export interface Scored {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** A kind of suite: the scores of its runs if nothing changed, or with an added drop. */
export interface World {
  readonly name: string;
  readonly n: number;
  readonly scale: "binary" | "graded";
  readonly repeats: number;
  readonly clusters?: readonly string[];
  readonly answers?: Pairs["answers"];
  readonly draw: (random: Random, drop: number) => Scored;
}

/** From 0 to below 1. */
export function uniform(random: Random): number {
  return (random() + 0.5) / 2 ** 32;
}

function bell(random: Random): number {
  return Math.sqrt(-2 * Math.log(uniform(random))) * Math.cos(2 * Math.PI * uniform(random));
}

/**
 * 0/1 scores: a case breaks with the chance ψ/2 + drop, and is fixed with ψ/2. If the sum would exceed 1, the chance of
 * a fix is reduced.
 */
export function bits(n: number, psi: number): World {
  return {
    name: `0/1, ${n} cases, ${100 * psi} % change`,
    n,
    scale: "binary",
    repeats: 1,
    draw: (random, drop) => {
      const fixes = Math.min(psi / 2, (1 - drop) / 2);
      return split(n, () => signAt(uniform(random), Math.min(1 - fixes, fixes + drop), fixes));
    },
  };
}

/** −1, 1 or 0 by a draw from 0 to 1. */
function signAt(draw: number, breaks: number, fixes: number): number {
  if (draw < breaks) return -1;
  return draw < breaks + fixes ? 1 : 0;
}

function split(n: number, sign: () => number): Scored {
  const signs = Array.from({ length: n }, sign);
  return { before: signs.map((s) => (s > 0 ? 0 : 1)), after: signs.map((s) => (s < 0 ? 0 : 1)) };
}

/** Chances of cases to be answered right, with the number of cases for each: 82 % are right on average. */
const chances = [
  [0.65, 0.98],
  [0.25, 0.6],
  [0.1, 0.2],
] as const;
const meanChance = chances.reduce((sum, [part, chance]) => sum + part * chance, 0);

/** Means of 0/1 scores over repeats; a drop breaks some cases completely. */
export function repeated(n: number, repeats: number): World {
  return {
    name: `${repeats} repeats, ${n} cases`,
    n,
    scale: "binary",
    repeats,
    draw: (random, drop) => {
      const pairs = Array.from({ length: n }, () => {
        const chance = chanceOf(uniform(random));
        const isLost = uniform(random) < drop / meanChance;
        return [
          share(random, repeats, chance),
          share(random, repeats, isLost ? 0 : chance),
        ] as const;
      });
      return { before: pairs.map(([b]) => b), after: pairs.map(([, a]) => a) };
    },
  };
}

function chanceOf(draw: number): number {
  let left = draw;
  for (const [part, chance] of chances) {
    if (left < part) return chance;
    left -= part;
  }
  return meanChance;
}

/** The share of right answers over repeats, drawn with the given chance. */
export function share(random: Random, repeats: number, chance: number): number {
  let right = 0;
  for (let k = 0; k < repeats; k += 1) if (uniform(random) < chance) right += 1;
  return right / repeats;
}

/** Graded scores with normal differences, with a standard deviation of 0.2; a drop lowers all equally. */
export function graded(n: number): World {
  return {
    name: `graded, ${n} cases`,
    n,
    scale: "graded",
    repeats: 1,
    draw: (random, drop) => {
      const before = Array.from({ length: n }, () => 0.5 + 0.1 * bell(random));
      return { before, after: before.map((score) => score + 0.2 * bell(random) - drop) };
    },
  };
}

/**
 * 0/1 scores in clusters with a shared effect of one half: for each case it is random whether its own or its cluster's
 * draw counts, for noise and for the drop. 12 % of the cases change.
 */
export function clustered(name: string, sizes: readonly number[]): World {
  const clusters = sizes.flatMap((size, g) => Array.from({ length: size }, () => `g${g}`));
  const n = clusters.length;
  const half = 0.06;
  return {
    name,
    n,
    scale: "binary",
    repeats: 1,
    clusters,
    draw: (random, drop) => {
      const signs = sizes.flatMap((size) => {
        const shared = [uniform(random), uniform(random)] as const;
        return Array.from({ length: size }, () => {
          const noise = uniform(random) < Math.SQRT1_2 ? shared[0] : uniform(random);
          const lost = (uniform(random) < Math.SQRT1_2 ? shared[1] : uniform(random)) < drop;
          const sign = signAt(noise, half, half);
          return lost ? (sign > 0 ? 0 : -1) : sign;
        });
      });
      let i = 0;
      return split(n, () => signs[i++] ?? 0);
    },
  };
}

/** The variance of each case's 0/1 answers, of which the scores are the shares. */
export function withinShares({ before, after }: Scored, repeats: number): Pairs["within"] {
  const variance = (right: number): number => (repeats * right * (1 - right)) / (repeats - 1);
  return { before: before.map(variance), after: after.map(variance) };
}

interface AskedRule {
  readonly prove: "drop" | "no_drop";
  readonly limit: number;
}

/** A pair of runs as the gate compares it: to prove a drop, or that there is none as large as the limit. */
export function compared(
  world: World,
  { before, after }: Scored,
  { prove, limit }: AskedRule = dropRule,
): Comparison {
  const pairs: Pairs = {
    positions: before.map((_, i) => i),
    pairAt: new Int32Array(),
    caseIds: before.map(() => ""),
    before,
    after,
    answers: world.answers,
    within: world.repeats < 3 ? undefined : withinShares({ before, after }, world.repeats),
    clusters: world.clusters,
    repeats: world.repeats,
    bits: world.repeats === 1 && world.answers === undefined,
    steady: false,
    dropped: { ungraded: 0, invalid: 0, changed: 0, unasked: 0 },
    lost: [],
  };
  const question = {
    worse: "lower",
    scale: world.scale,
    aggregation: "mean",
    prove,
    alpha: rule.alpha,
    limit,
    width: 1,
  } as const;
  const comparison = compare(pairs, question, statistics);
  if (comparison === undefined) throw new RangeError("scores of 0 to 1 can be compared");
  return comparison;
}

const [planned] = planRules({ max_drop: 0 }, new Map([["t", [metric]]]));
if (planned === undefined) throw new RangeError("the default gate has a rule for a share");
const rule = planned;
const dropRule = { prove: "drop", limit: 0 } as const;

/** Result of a `prove: no_drop` rule with this limit for a pair of runs. */
export function shown(world: World, scored: Scored, limit: number): JudgedRule | undefined {
  const asked = { prove: "no_drop", limit } as const;
  return settled([compared(world, scored, asked)], asked)[0];
}

/** The rules of a suite with these comparisons, as the gate decides them: any proven drop blocks. */
export function settled(
  comparisons: readonly Comparison[],
  asked: AskedRule = dropRule,
): readonly JudgedRule[] {
  const target = { task: "t", candidate: "c", metric: metric.id };
  const measured = comparisons.map((comparison): MeasuredRule => {
    const finding = { kind: "comparison", prove: asked.prove, comparison } as const;
    return { rule: { ...rule, ...asked }, target, slice: null, range: [0, 1], finding };
  });
  return decideRules(measured, statistics);
}
