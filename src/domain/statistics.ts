import type { PairedTest } from "./run.ts";
import type { Aggregation, Reducer } from "./suite.ts";

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** Of differences head − base, one a case. What no case can answer (a mean of none) throws a RangeError. */
export interface Statistics {
  readonly mean: (values: ArrayLike<number>) => number;
  /** One-sided mid-p of McNemar's test: `broke` pairs right → wrong, `fixed` pairs wrong → right. */
  readonly mcnemarMidP: (broke: number, fixed: number) => number;
  /** Tango's score interval of (fixed − broke) / n. */
  readonly tangoInterval: (
    pairs: { broke: number; fixed: number; n: number },
    level: number,
  ) => Interval;
  /** `pLess`: evidence that the true mean is below 0. One difference has no `stderr` and no `interval`. */
  readonly pairedT: (
    differences: ArrayLike<number>,
    level: number,
  ) => {
    readonly mean: number;
    readonly stderr: number | undefined;
    readonly pLess: number;
    readonly interval: Interval | undefined;
  };
  /** Exact up to 20 differences that are not zero, or where they are multiples of one unit; else seeded. */
  readonly signFlip: (differences: ArrayLike<number>) => PermutationP;
  /** As `pairedT`, for cases that are not independent: cluster-robust, with one degree of freedom less than clusters. */
  readonly clusterT: (
    clustered: Clustered,
    level: number,
  ) => {
    readonly mean: number;
    readonly stderr: number | undefined;
    readonly pLess: number;
    readonly interval: Interval | undefined;
    /** How many clusters. */
    readonly clusters: number;
  };
  /** As `signFlip`, whole clusters at a time. */
  readonly clusterFlip: (clustered: Clustered) => PermutationP;
  /** Is the mean difference above −margin? By the (cluster-robust) t test. */
  readonly noninferiorityT: (
    differences: ArrayLike<number> | Clustered,
    question: NoninferiorityQuestion,
  ) => Noninferiority;
  /** Is (fixed − broke) / n above −margin? By Tango's score test. */
  readonly noninferiorityTango: (
    pairs: { readonly broke: number; readonly fixed: number; readonly n: number },
    question: NoninferiorityQuestion,
  ) => Noninferiority;
  /**
   * Head against base under an aggregation that is not the mean (medians, percentiles, sums, spreads), over the same
   * cases on both sides. undefined where there is no such value: of no case, the spread of one.
   */
  readonly aggregateChange: (
    sides: PairedSides,
    aggregation: Aggregation,
    level: number,
  ) => AggregateChange | undefined;
  /** The value of an aggregation over the cases' scores; a spread of one case is undefined. */
  readonly aggregateValue: (
    values: ArrayLike<number>,
    aggregation: Aggregation,
  ) => number | undefined;
  /** The score of a case from those of its repeats; undefined where they are fewer than the reducer needs. */
  readonly reduceRepeats: (scores: readonly number[], reducer: Reducer) => number | undefined;
  /**
   * The test for metrics that only a whole task has: base and head are swapped within cases, and the metric computed again.
   */
  readonly armSwap: (experiment: {
    /** head − base where the marked cases (1) have their sides swapped. All 0: what was seen. */
    readonly evaluate: (swapped: Uint8Array) => number | Promise<number>;
    readonly cases: number;
    readonly clusters?: Clustered["clusters"] | undefined;
    /** How many swaps at most; exact where all of them are no more. Default 499. */
    readonly swaps?: number;
  }) => Promise<PermutationP & { readonly pGreater: number; readonly delta: number }>;
  /** Exact interval of a proportion: it covers at least at the level, whatever the truth. */
  readonly clopperPearson: (successes: number, n: number, level: number) => Interval;
  /** Benjamini and Hochberg's adjustment, for lists that inform and do not block. */
  readonly benjaminiHochberg: (pValues: readonly number[]) => readonly number[];
  /** Holm's adjustment; the p-values of comparisons that could not be made count in `family`. */
  readonly holm: (pValues: readonly number[], family: number) => readonly number[];
  /** The smallest drop that would be proven 4 times in 5. */
  readonly detectableDrop: (spread: {
    perCaseVariance: number;
    n: number;
    alpha: number;
  }) => number;
  /** How many cases prove a drop with the given power (0.8) by a one-sided test; not rounded. */
  readonly casesNeeded: (wanted: {
    readonly perCaseVariance: number;
    readonly drop: number;
    readonly alpha: number;
    readonly power?: number;
  }) => number;
  /** How often a drop is proven by a one-sided test, from 0 to 1. */
  readonly powerOfDrop: (wanted: {
    readonly perCaseVariance: number;
    readonly drop: number;
    readonly n: number;
    readonly alpha: number;
  }) => number;
  /** How often McNemar's mid-p, and a drop of at least `limit`, block n pairs, by exact enumeration. */
  readonly mcnemarPower: (wanted: {
    /** P(1 → 0) and P(0 → 1) of a pair; where they are equal nothing got worse, and the result is the false-alarm rate. */
    readonly breaks: number;
    readonly fixes: number;
    readonly n: number;
    readonly alpha: number;
    /** The smallest drop that blocks. Default: 0, any drop. */
    readonly limit?: number;
  }) => number;
  /** How much of the spread is between cases, and how much between the repeats of a case. At least two cases. */
  readonly varianceComponents: (repeatsOfCases: readonly ArrayLike<number>[]) => VarianceComponents;
}

/** Differences (or scores), one a case, and the cluster of each case. null: the case is a cluster of its own. */
export interface Clustered {
  readonly values: ArrayLike<number>;
  readonly clusters: ArrayLike<string | number | null>;
}

/** The scores of the same cases on both sides. */
export interface PairedSides {
  readonly before: ArrayLike<number>;
  readonly after: ArrayLike<number>;
  /** Where cases are not independent. */
  readonly clusters?: Clustered["clusters"] | undefined;
}

export interface AggregateChange {
  readonly baseline: number;
  readonly value: number;
  /** value − baseline. */
  readonly delta: number;
  /** Of delta, as `interval`; undefined where cases or clusters are too few to tell. */
  readonly stderr: number | undefined;
  readonly interval: Interval | undefined;
  readonly test: PairedTest;
  /** How likely such a low delta, or such a high one, is if nothing changed. */
  readonly pLess: number;
  readonly pGreater: number;
}

/** `pLess`: how likely such a low sum is if nothing changed. Ties included. */
export interface PermutationP {
  readonly pLess: number;
  readonly exact: boolean;
}

export interface NoninferiorityQuestion {
  /** The largest drop that is accepted; above 0. */
  readonly margin: number;
  readonly alpha: number;
  /** Highest − lowest possible score. Where all differences are equal, it bounds what was not seen. */
  readonly width?: number;
}

export interface Noninferiority {
  /** How likely such a result is if the true drop is the margin. */
  readonly p: number;
  /** Lower end of the 1 − 2·alpha interval; undefined where the data give none. */
  readonly lower: number | undefined;
  /** `lower` is above −margin. */
  readonly shown: boolean;
}

/** One-way random effects over the repeats of cases, in squares of the metric's unit. */
export interface VarianceComponents {
  readonly mean: number;
  /** The mean square between cases, which still holds a part of the noise within them. */
  readonly meanSquareBetween: number;
  /** The variance between the repeats of a case; undefined, as all that follows from it, where no case has two. */
  readonly within: number | undefined;
  /** The variance between cases, without that noise. */
  readonly between: number | undefined;
  /** between / (between + within); undefined where nothing varies. */
  readonly intraclass: number | undefined;
  /** Standard error of the mean as measured. */
  readonly stderr: number;
  /** What it would be with so many repeats a case; Infinity: with no noise at all. */
  readonly stderrAt: (repeats: number) => number | undefined;
}
