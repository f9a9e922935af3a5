import type { Statistics } from "../../model/figures/statistics.ts";
import { binomialAtLeast, binomialProbability } from "../distributions/binomial.ts";
import { mcnemarExact, mcnemarMidP } from "../inference/mcnemar.ts";
import { normalQuantile } from "../distributions/normal.ts";

const usualPower = 0.8;

/**
 * Number of cases that a one-sided test at `alpha` needs to prove a drop with the given power (0.8), not rounded: n =
 * (z₁₋α + z_power)² · variance / drop². The variance is that of one case's difference head − base: the share of
 * discordant pairs for 0/1 metrics; ω² + σ²_A/K_A + σ²_B/K_B for means over K repeats. Drop in the metric's unit,
 * variance in its square.
 *
 * E. Miller, "Adding Error Bars to Evals", 2024, arXiv:2411.00640, §5 (two-sided: pass alpha / 2). Throws a RangeError
 * unless drop > 0 and alpha and power are between 0 and 1.
 */
export const casesNeeded: Statistics["casesNeeded"] = (wanted) => {
  const { perCaseVariance, drop, alpha, power = usualPower } = wanted;
  checkDrop(drop);
  const quantiles = normalQuantile(1 - alpha) + normalQuantile(power);
  return (quantiles / drop) ** 2 * perCaseVariance;
};

/** The proof of a drop, mirrored around a loss of `limit`, so that the same formula holds; combined with `casesUnseen`. */
export const casesToShow: Statistics["casesToShow"] = ({ limit, width, ...wanted }) => {
  const byInterval = Math.ceil(casesNeeded({ ...wanted, drop: limit }));
  const { alpha } = wanted;
  return width === undefined ? byInterval : Math.max(byInterval, casesUnseen(limit / width, alpha));
};

/** The fewest cases without a loss that bound the loss below `share` of the possible loss: 1 − alpha^(1/n) < share. */
export function casesUnseen(share: number, alpha: number): number {
  return share >= 1 ? 1 : Math.floor(Math.log(alpha) / Math.log1p(-share)) + 1;
}

function checkDrop(drop: number): void {
  if (!(drop > 0)) throw new RangeError(`only a drop above 0 can be proven, not ${drop}`);
}

/**
 * Conditions of blocking: a p at most alpha (`exact`) or below it (`mid_p`, as in the gate), and a drop of at least
 * `limit`.
 */
interface Rule {
  readonly n: number;
  readonly alpha: number;
  readonly limit?: number;
  readonly test: "exact" | "mid_p";
}

/**
 * Chance that McNemar's mid-p below `alpha` and a drop of at least `limit` block n pairs, by exact enumeration: Σ_d P(d
 * discordant pairs of n) · P(broke ≥ the least that blocks | d). With breaks = fixes it is the rate of false alarms.
 * Time grows with √n. `test: "exact"` uses the exact test, whose published powers check the enumeration.
 */
export function mcnemarPower({
  breaks,
  fixes,
  test = "mid_p",
  ...wanted
}: Parameters<Statistics["mcnemarPower"]>[0] & Partial<Pick<Rule, "test">>): number {
  const rule = { ...wanted, test };
  const discordant = breaks + fixes;
  if (!(breaks >= 0 && fixes >= 0 && discordant <= 1))
    throw new RangeError(
      `${breaks} and ${fixes} are no chances that exclude each other: each is 0 or more, their sum at most 1`,
    );
  if (discordant === 0) return 0;
  const expected = rule.n * discordant;
  const tailOf = ascendingTails(breaks / discordant);
  let rate = 0;
  for (let d = fewestLikely(expected); d <= rule.n; d += 1) {
    const chance = certainOr(d, rule.n, discordant);
    if (chance < negligible && d > expected) break;
    const least = leastBlocking(d, rule);
    if (least <= d) rate += chance * tailOf(least, d);
  }
  return rate;
}

/** All chances below this together change no displayed digit. */
const negligible = 1e-18;

/** Smaller numbers have a chance below `negligible`, by Chernoff's bound: P(X ≤ μ − t) ≤ exp(−t² / 2μ). */
function fewestLikely(expected: number): number {
  return Math.max(0, Math.floor(expected - Math.sqrt(-2 * expected * Math.log(negligible))));
}

/** P(X = successes), including probabilities of 0 and 1, which the binomial's formulas don't accept. */
function certainOr(successes: number, trials: number, probability: number): number {
  if (probability === 0) return successes === 0 ? 1 : 0;
  if (probability === 1) return successes === trials ? 1 : 0;
  return binomialProbability(successes, { trials, probability });
}

/**
 * P(X ≥ least) for successive calls with one more trial each, and the same `least` or the next. Each result follows
 * from the one before, because n + 1 trials reach k if n reach it, or if n reach k − 1 and the last is a success. Other
 * calls, and those after a chance too small to continue from, are summed directly: doing that for each call would
 * double the time.
 */
function ascendingTails(probability: number): (least: number, trials: number) => number {
  const odds = probability / (1 - probability);
  const last = { least: 0, trials: 0, tail: 0, below: 0 };
  return (least, trials) => {
    const step = least - last.least;
    if (trials === last.trials + 1 && (step === 0 || step === 1) && last.below > leastToGoOn) {
      const failures = trials - last.least + 1;
      last.tail += probability * last.below;
      last.below *= (trials / failures) * (1 - probability);
      if (step === 1) {
        last.below *= (failures / last.least) * odds;
        last.tail = Math.max(0, last.tail - last.below);
      }
    } else {
      last.tail = tailOr(least, trials, probability);
      last.below = certainOr(least - 1, trials, probability);
    }
    Object.assign(last, { least, trials });
    return last.tail;
  };
}

/** Below the smallest normal double a chance has fewer digits, so the recurrence must not continue from it. */
const leastToGoOn = 1e-300;

/** P(X ≥ successes), including probabilities of 0 and 1. */
function tailOr(successes: number, trials: number, probability: number): number {
  if (successes <= 0 || probability === 1) return 1;
  if (probability === 0) return 0;
  return binomialAtLeast(successes, { trials, probability });
}

/** The smallest number of broken pairs among `discordant` that blocks; one more than `discordant` if none does. */
function leastBlocking(discordant: number, { n, alpha, limit = 0, test }: Rule): number {
  const proven = leastProven(discordant, { alpha, test });
  // (broke − fixed) / n ≥ limit, where broke + fixed are all discordant pairs
  const seen = Math.ceil((discordant + (limit - 1e-9) * n) / 2);
  return Math.max(proven, seen);
}

/** Cached by test and level, then by number of discordant pairs. */
const known = new Map<string, number[]>();
const mostKnown = 64;

/** One more discordant pair needs the same number of broken ones, or one more. */
function leastProven(discordant: number, { alpha, test }: Pick<Rule, "alpha" | "test">): number {
  const key = `${test} ${alpha}`;
  const found = known.get(key) ?? [];
  if (found.length === 0) {
    if (known.size >= mostKnown) known.clear();
    known.set(key, found);
  }
  const isProof = (broke: number, fixed: number): boolean =>
    broke > fixed &&
    (test === "mid_p" ? mcnemarMidP(broke, fixed) < alpha : mcnemarExact(broke, fixed) <= alpha);
  for (let d = found.length; d <= discordant; d += 1) {
    let least = found[d - 1] ?? 0;
    while (least <= d && !isProof(least, d - least)) least += 1;
    found.push(least);
  }
  return found[discordant] ?? discordant + 1;
}
