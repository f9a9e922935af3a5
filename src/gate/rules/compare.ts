import type { Comparison } from "../../model/outcomes/finding.ts";
import type { Statistics } from "../../model/figures/statistics.ts";
import type { Prove } from "../../model/definition/gate.ts";
import { countChanges } from "./changes.ts";
import type { Pairs } from "../pairing/pairs.ts";
import { testGains, turn } from "./tests.ts";
import type { Aggregation } from "../../model/definition/aggregations.ts";

/** Settings of a paired comparison. */
export interface PairedQuestion {
  readonly worse: "lower" | "higher";
  readonly scale: "binary" | "graded";
  readonly aggregation: Aggregation;
  readonly prove: Prove;
  readonly alpha: number;
  /** The largest loss that is accepted. */
  readonly limit: number;
  /** Highest − lowest possible score, if known. */
  readonly width: number | undefined;
  /**
   * For `prove: no_drop` with a calibrated judge: the part of the limit that its scores must show, and the alpha left
   * for it.
   */
  readonly shows?: { readonly margin: number; readonly alpha: number } | undefined;
}

/** Relative rounding error: two means of the same scores may differ in their last digits. */
const rounding = 1e-12;

/** Compares both sides. It needs at least one pair. undefined if the scores are too large to compute with. */
export function compare(
  pairs: Pairs,
  question: PairedQuestion,
  statistics: Statistics,
): Comparison | undefined {
  const sign = question.worse === "lower" ? 1 : -1;
  const gains = pairs.after.map((after, i) => sign * gainOf(pairs.before[i] ?? 0, after) + 0);
  if (!gains.every(Number.isFinite)) return undefined;
  const worst = question.worse === "lower" ? 0 : 1;
  const isBinary = question.scale === "binary";
  const changes = countChanges(pairs, gains, isBinary ? worst : undefined);
  const { gain, ...tested } = testGains({ gains, changes, pairs, question }, statistics);
  const { aggregation } = question;
  const value = statistics.aggregateValue(pairs.after, aggregation);
  const baseline = statistics.aggregateValue(pairs.before, aggregation);
  if (![gain, value, baseline].every(Number.isFinite)) return undefined;
  return {
    n: gains.length,
    lost: pairs.lost.length,
    value: value ?? 0,
    baseline: baseline ?? 0,
    delta: sign * gain + 0,
    loss: -gain + 0,
    repeats: pairs.repeats,
    steady: pairs.steady,
    ...changes,
    fractional: isBinary && pairs.bits ? changes.fractional : 0,
    ...tested,
    interval: turn(tested.interval, sign),
  };
}

/** Makes a function for the loss from `before` to `after`; below 0 means better. */
export function lossIn(worse: PairedQuestion["worse"]): (before: number, after: number) => number {
  const sign = worse === "lower" ? -1 : 1;
  return (before, after) => sign * gainOf(before, after) + 0;
}

/**
 * The gain of a pair. Scores that differ only by rounding are equal, because a sign test would count them otherwise.
 */
function gainOf(before: number, after: number): number {
  const gain = after - before;
  const noise = rounding * Math.max(Math.abs(before), Math.abs(after));
  return Math.abs(gain) <= noise ? 0 : gain;
}
