import type { Figure } from "./judge-calibration.ts";
import type { Reducer } from "../definition/suite.ts";
import type { Aggregation } from "../definition/aggregations.ts";

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** The tests of a paired difference. A new one needs a name here, a file in `src/stats`, and a function below. */
export type PairedTest =
  | "mcnemar_midp"
  | "paired_t"
  | "sign_flip_exact"
  | "sign_flip_seeded"
  /** Differences weighted by how well the repeats of their case agree. */
  | "weighted_t"
  | "weighted_flip_exact"
  | "weighted_flip_seeded"
  /** For 0/1 answers against several earlier runs: head's answers are permuted among all answers of their case. */
  | "stratified_exact"
  | "stratified_large"
  | "cluster_t"
  | "cluster_flip_exact"
  | "cluster_flip_seeded"
  /** Base and head are swapped within cases, with a seed: for medians, percentiles and spreads. */
  | "side_swap_seeded"
  /** Base and head are swapped within cases and graded again: for a batch grader's number for all cases together. */
  | "arm_swap_exact"
  | "arm_swap_seeded"
  /** The same test by a normal approximation, if there are too many cases for enough swaps. */
  | "large_sample";

/** Functions over differences head − base, one per case. Impossible requests (a mean of no cases) throw a RangeError. */
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
  /**
   * The one-sided test of a drop of the mean. The differences decide which test is used, not the metric's scale; its p
   * is that of a drop.
   */
  readonly dropTest: (
    differences: ArrayLike<number>,
    clusters?: Clustered["clusters"],
  ) => { readonly test: PairedTest; readonly p: number };
  /** As `dropTest`, if repeats show the certainty of each case; undefined if it is equal for all. */
  readonly weightedDropTest: (
    repeated: RepeatedDifferences,
  ) => { readonly test: PairedTest; readonly p: number } | undefined;
  /** Effect of these weights on the noise; `losses`: possible loss of each case, if drops break whole cases. */
  readonly weightedNoise: (
    repeated: RepeatedDifferences,
    losses: ArrayLike<number> | undefined,
  ) => Noise["weights"];
  /**
   * The test of a drop of 0/1 answers from several earlier runs, by case; undefined if all answers of each case are
   * alike.
   */
  readonly stratifiedDropTest: (
    answers: readonly StratifiedAnswers[],
  ) => { readonly test: PairedTest; readonly p: number } | undefined;
  /** As `weightedNoise`. */
  readonly stratifiedNoise: (
    answers: readonly StratifiedAnswers[],
    losses: ArrayLike<number> | undefined,
  ) => Noise["weights"];
  /** Exact for up to 30 differences that are not zero, or if all are multiples of one unit; otherwise with a seed. */
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
    /** Number of clusters. */
    readonly clusters: number;
  };
  /** As `signFlip`, whole clusters at a time. */
  readonly clusterFlip: (clustered: Clustered) => PermutationP;
  /** Tests whether the mean difference is above −margin, by the (cluster-robust) t test. */
  readonly noninferiorityT: (
    differences: ArrayLike<number> | Clustered,
    question: NoninferiorityQuestion,
  ) => Noninferiority;
  /** Tests whether (fixed − broke) / n is above −margin, by Tango's score test. */
  readonly noninferiorityTango: (
    pairs: { readonly broke: number; readonly fixed: number; readonly n: number },
    question: NoninferiorityQuestion,
  ) => Noninferiority;
  /**
   * Compares head with base under an aggregation that is not the mean (medians, percentiles, sums, spreads), over the
   * same cases on both sides. undefined if there is no such value: for no case, or the spread of one case.
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
  /** The score of a case from its repeats' scores; undefined if there are fewer than the reducer needs. */
  readonly reduceRepeats: (scores: readonly number[], reducer: Reducer) => number | undefined;
  /**
   * The test for metrics that only a whole task has: base and head are swapped within cases, and the metric computed again.
   */
  readonly armSwap: (experiment: {
    /** head − base with the sides of the marked cases (1) swapped. All 0: the observed value. */
    readonly evaluate: (swapped: Uint8Array) => number | Promise<number>;
    readonly cases: number;
    readonly clusters?: Clustered["clusters"] | undefined;
    /** Maximum number of swaps; the test is exact if there are no more in total. Default 499. */
    readonly swaps?: number;
  }) => Promise<SwapP>;
  /** P(X ≥ found) for a sample from a population with this number of marked items: Fisher's exact test, one-sided. */
  readonly hypergeometricAtLeast: (
    found: number,
    draw: { readonly population: number; readonly marked: number; readonly drawn: number },
  ) => number;
  /** Exact interval of a proportion: it covers at least at the level, whatever the truth. */
  readonly clopperPearson: (successes: number, n: number, level: number) => Interval;
  /** Benjamini and Hochberg's adjustment, for lists that only inform. */
  readonly benjaminiHochberg: (pValues: readonly number[]) => readonly number[];
  /** Holm's adjustment; the p-values of comparisons that could not be made count in `family`. */
  readonly holm: (pValues: readonly number[], family: number) => readonly number[];
  /** Whether a drop, however large, can be proven. */
  readonly canProve: (noise: Pick<Noise, "n" | "clusters">, alpha: number) => boolean;
  /** Chance that the test in use proves a true drop, from 0 to 1. `alpha`: the p-value must be below it. */
  readonly provingChance: (drop: number, noise: Noise, alpha: number) => number;
  /** The smallest true drop that the test in use proves with the given power (0.8); undefined if it proves none. */
  readonly smallestDrop: (noise: Noise, alpha: number, power?: number) => number | undefined;
  /** Number of cases that prove a drop with the given power (0.8) by a one-sided test; not rounded. */
  readonly casesNeeded: (wanted: {
    readonly perCaseVariance: number;
    readonly drop: number;
    readonly alpha: number;
    readonly power?: number;
  }) => number;
  /**
   * Number of cases that show "no drop by `limit`" for an unchanged run in 4 of 5 runs: by its interval, and by the exact
   * bound if almost no case changes. `width`: largest possible loss of a case.
   */
  readonly casesToShow: (wanted: {
    readonly perCaseVariance: number;
    readonly limit: number;
    readonly alpha: number;
    readonly width: number | undefined;
    readonly power?: number;
  }) => number;
  /** Chance that McNemar's mid-p, and a drop of at least `limit`, block n pairs, by exact enumeration. */
  readonly mcnemarPower: (wanted: {
    /** P(1 → 0) and P(0 → 1) of a pair; where they are equal nothing got worse, and the result is the false-alarm rate. */
    readonly breaks: number;
    readonly fixes: number;
    readonly n: number;
    readonly alpha: number;
    /** The smallest drop that blocks. Default: 0, any drop. */
    readonly limit?: number;
  }) => number;
  /** Variance between cases, and between the repeats of a case. Needs at least two cases. */
  readonly varianceComponents: (repeatsOfCases: readonly ArrayLike<number>[]) => VarianceComponents;
  /** The part of a limit in people's scores that a judge's scores must show, and the remaining alpha for it. */
  readonly judgedMargin: (
    asked: { readonly limit: number; readonly alpha: number },
    slope: Figure,
  ) => { readonly margin: number; readonly alpha: number } | undefined;
  /** A judge's difference converted to people's scores; undefined if the judge's scores show nothing about theirs. */
  readonly peoplesDifference: (
    judged: { readonly delta: number; readonly interval: Interval | null; readonly level: number },
    slope: Figure,
  ) => Figure | undefined;
}

/** Differences (or scores), one per case, and the cluster of each case. null: the case is its own cluster. */
export interface Clustered {
  readonly values: ArrayLike<number>;
  readonly clusters: ArrayLike<string | number | null>;
}

/** Differences of means over repeats, one per case, and the variance of each case's repeats on both sides. */
export interface RepeatedDifferences {
  readonly differences: ArrayLike<number>;
  readonly within: {
    readonly before: ArrayLike<number>;
    readonly after: ArrayLike<number>;
  };
}

/** The 0/1 answers of a case: the right ones and the total, in head and in several earlier runs. */
export interface StratifiedAnswers {
  readonly right: number;
  readonly of: number;
  readonly rightBefore: number;
  readonly ofBefore: number;
}

/** The scores of the same cases on both sides. */
export interface PairedSides {
  readonly before: ArrayLike<number>;
  readonly after: ArrayLike<number>;
  /** Present if cases are not independent. */
  readonly clusters?: Clustered["clusters"] | undefined;
}

export interface AggregateChange {
  readonly baseline: number;
  readonly value: number;
  /** value − baseline. */
  readonly delta: number;
  /** Standard error of delta; undefined, like `interval`, if there are too few cases or clusters. */
  readonly stderr: number | undefined;
  readonly interval: Interval | undefined;
  readonly test: PairedTest;
  /** Chance of a delta this low or lower, or this high or higher, if nothing changed. */
  readonly pLess: number;
  readonly pGreater: number;
}

/** Variation of a comparison of two unchanged runs: a drop has to exceed it. */
export interface Noise {
  /** Whether the scores are 0 or 1: then McNemar's test is used, and its power is computed exactly. */
  readonly bits: boolean;
  /**
   * Increase of the variance by a drop: a mean drop D, made of cases that break as a whole, adds D·lost − D², with `lost`
   * the mean square of such a case's loss over its mean; 1 for 0/1 scores. 0 for graded scores, where a drop is assumed
   * to lower all cases alike.
   */
  readonly lost: number;
  /** Number of pairs. */
  readonly n: number;
  /**
   * Variance of one case's difference head − base, in squares of the metric's unit: for 0/1 scores the share of cases
   * that change. With clusters, n times the squared standard error of the mean.
   */
  readonly variance: number;
  /** Number of clusters, and the effective number, (Σn)² / Σn²; null: each case is its own cluster. */
  readonly clusters: { readonly count: number; readonly effective: number } | null;
  /** Design effect: how many times larger the variance of a mean is than with independent cases; 1 without clusters. */
  readonly design: number;
  /** If cases are weighted by the certainty of their repeats: factors of `variance` and of `lost`. */
  readonly weights?: { readonly variance: number; readonly lost: number } | undefined;
}

/** `pLess`: chance of a sum this low if nothing changed, ties included; `pMid`: with half of the ties. */
export interface PermutationP {
  readonly pLess: number;
  readonly pMid: number;
  readonly exact: boolean;
}

/** Chances of a difference this low, and this high, if nothing changed; ties count half. */
interface SwapP {
  readonly delta: number;
  readonly pLess: number;
  readonly pGreater: number;
  readonly exact: boolean;
}

export interface NoninferiorityQuestion {
  /** The largest drop that is accepted; above 0. */
  readonly margin: number;
  readonly alpha: number;
  /** Highest − lowest possible score. If all differences are equal, it bounds unseen losses. */
  readonly width?: number;
}

export interface Noninferiority {
  /** Chance of such a result if the true drop is the margin. */
  readonly p: number;
  /** Lower end of the 1 − 2·alpha interval; undefined if the data give none. */
  readonly lower: number | undefined;
  /** Whether `lower` is above −margin. */
  readonly shown: boolean;
}

/** A one-way random effects model of cases and their repeats, in squares of the metric's unit. */
interface VarianceComponents {
  readonly mean: number;
  /** The mean square between cases, which includes a part of the noise within them. */
  readonly meanSquareBetween: number;
  /** The variance between the repeats of a case; undefined if no case has two, as are all figures that depend on it. */
  readonly within: number | undefined;
  /** The variance between cases, without that noise. */
  readonly between: number | undefined;
  /** between / (between + within); undefined if nothing varies. */
  readonly intraclass: number | undefined;
  /** Standard error of the mean as measured. */
  readonly stderr: number;
  /** Standard error with this number of repeats per case; Infinity: without any noise. */
  readonly stderrAt: (repeats: number) => number | undefined;
}
