import { compare } from "../../src/gate/rules/compare.ts";
import type { Comparison } from "../../src/model/outcomes/finding.ts";
import type { Pairs } from "../../src/gate/pairing/pairs.ts";
import { planRules } from "../../src/gate/rules/plan.ts";
import { decideRules } from "../../src/gate/rules/decide.ts";
import { sfc32, type Random } from "../../src/stats/distributions/sfc32.ts";
import { statistics } from "../../src/stats/statistics.ts";
import { type Kind, kindsOf, meanOver, type Polynomial, rightOf, times } from "./chances.ts";
import { confirmAlpha } from "../../src/model/outcomes/confirmation.ts";
import { type Blocked, metric } from "./one-repeat.ts";
import { withinShares } from "./worlds.ts";

export const repeats = 5;
const outcomes = repeats + 1;

const [rule] = planRules({}, new Map([["t", [metric]]]));

/**
 * Seeded runs of n cases with five answers each; a case's scores on both sides are drawn from their exact distribution.
 */
export function simulated(
  runs: number,
  { n, loss }: { readonly n: number; readonly loss: number },
): Blocked {
  const world = createWorld(loss);
  const random = sfc32([n, Math.round(loss * 1000), repeats]);
  const counts = { below_baseline: 0, below_mean: 0, two_points: 0, gate: 0, confirmed: 0 };
  for (let run = 0; run < runs; run += 1) {
    const scores = Array.from({ length: n }, () => world.draw(random));
    const comparison = compareAll(pairsOf(scores));
    if (comparison.loss > 1e-9) counts.below_baseline += 1;
    if (comparison.value < 0.8 - 1e-9) counts.below_mean += 1;
    if (comparison.loss >= 0.02 - 1e-9) counts.two_points += 1;
    if (!isBlocked(comparison)) continue;
    counts.gate += 1;
    if (isConfirmed(scores.filter(differs), { world, random })) counts.confirmed += 1;
  }
  return {
    below_baseline: counts.below_baseline / runs,
    below_mean: counts.below_mean / runs,
    two_points: counts.two_points / runs,
    gate: counts.gate / runs,
    confirmed: counts.confirmed / runs,
  };
}

/** Scores of a case as one number: right answers in base × 6 + right answers in head. */
type Score = number;

interface World {
  readonly draw: (random: Random) => Score;
  /** Runs a case with this score again on both sides. */
  readonly again: (score: Score, random: Random) => Score;
}

function createWorld(loss: number): World {
  const kinds = kindsOf(loss);
  const joint = Array.from({ length: outcomes ** 2 }, (_, score) => (kind: Kind): Polynomial => {
    const [before, after] = rightAnswers(score);
    return times(rightOf(before, repeats, kind.base), rightOf(after, repeats, kind.head));
  });
  const first = drawer(joint.map((of) => meanOver(kinds, of)));
  const later = joint.map((seen) =>
    drawer(joint.map((next) => meanOver(kinds, (kind) => times(seen(kind), next(kind))))),
  );
  return { draw: first, again: (score, random) => later[score]?.(random) ?? 0 };
}

function rightAnswers(score: Score): readonly [number, number] {
  return [Math.floor(score / outcomes), score % outcomes];
}

function differs(score: Score): boolean {
  const [before, after] = rightAnswers(score);
  return before !== after;
}

/** Draws a score by its weight; the likeliest are checked first. */
function drawer(weights: readonly number[]): (random: Random) => Score {
  const order = [...weights.entries()].toSorted(([, x], [, y]) => y - x);
  const total = weights.reduce((sum, weight) => sum + Math.max(0, weight), 0);
  return (random) => {
    let left = ((random() + 0.5) / 2 ** 32) * total;
    for (const [score, weight] of order) {
      left -= weight;
      if (left <= 0) return score;
    }
    return order[0]?.[0] ?? 0;
  };
}

const shares = Array.from({ length: outcomes }, (_, right) => right / repeats);

function pairsOf(scores: readonly Score[]): Pairs {
  const before = scores.map((score) => shares[Math.floor(score / outcomes)] ?? 0);
  const after = scores.map((score) => shares[score % outcomes] ?? 0);
  return {
    positions: scores,
    pairAt: new Int32Array(),
    caseIds: scores.map(() => ""),
    before,
    after,
    answers: undefined,
    within: withinShares({ before, after }, repeats),
    clusters: undefined,
    repeats,
    bits: false,
    steady: false,
    dropped: { ungraded: 0, invalid: 0, changed: 0, unasked: 0 },
    lost: [],
  };
}

function compareAll(pairs: Pairs): Comparison {
  const question = {
    worse: "lower" as const,
    scale: "binary" as const,
    aggregation: "mean" as const,
    prove: "drop" as const,
    alpha: rule?.alpha ?? 0,
    limit: rule?.limit ?? 0,
    width: 1,
  };
  const comparison = compare(pairs, question, statistics);
  if (comparison === undefined) throw new RangeError("scores of 0 to 1 can be compared");
  return comparison;
}

function isBlocked(comparison: Comparison): boolean {
  if (rule === undefined) throw new RangeError("the default gate has a rule for a share");
  // Evaluating the gate for a smaller p is the slowest part.
  if ((comparison.p ?? 1) >= rule.alpha) return false;
  const target = { task: "t", candidate: "c", metric: metric.id };
  const finding = { kind: "comparison", prove: "drop", comparison } as const;
  const [result] = decideRules([{ rule, target, slice: null, range: [0, 1], finding }], statistics);
  return result?.outcome === "missed";
}

/** Only the fresh results of the cases that differed decide. */
function isConfirmed(
  scores: readonly Score[],
  { world, random }: { readonly world: World; readonly random: Random },
): boolean {
  const fresh = pairsOf(scores.map((score) => world.again(score, random)));
  return (compareAll(fresh).p ?? 1) < confirmAlpha;
}
