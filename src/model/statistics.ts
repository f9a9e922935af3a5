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
  /** The one-sided test of a drop of the mean that suits what changed, whatever the metric's scale: its p is that of a drop. */
  readonly dropTest: (
    differences: ArrayLike<number>,
    clusters?: Clustered["clusters"],
  ) => { readonly test: PairedTest; readonly p: number };
  /** The same where repeats tell how well each case is known; undefined where they are known alike. */
  readonly weightedDropTest: (
    repeated: RepeatedDifferences,
  ) => { readonly test: PairedTest; readonly p: number } | undefined;
  /** What those weights make of the noise; `losses`: what each case has to lose, where drops break whole cases. */
  readonly weightedNoise: (
    repeated: RepeatedDifferences,
    losses: ArrayLike<number> | undefined,
  ) => Noise["weights"];
  /** The test of a drop of 0/1 answers from several earlier runs, by case; undefined where all answers of each case are alike. */
  readonly stratifiedDropTest: (
    answers: readonly StratifiedAnswers[],
  ) => { readonly test: PairedTest; readonly p: number } | undefined;
  /** As `weightedNoise`. */
  readonly stratifiedNoise: (
    answers: readonly StratifiedAnswers[],
    losses: ArrayLike<number> | undefined,
  ) => Noise["weights"];
  /** Exact up to 30 differences that are not zero, or where they are multiples of one unit; else seeded. */
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
  }) => Promise<SwapP>;
  /** P(X ≥ found) among those drawn from a population with so many marked: Fisher's exact test, one-sided. */
  readonly hypergeometricAtLeast: (
    found: number,
    draw: { readonly population: number; readonly marked: number; readonly drawn: number },
  ) => number;
  /** Exact interval of a proportion: it covers at least at the level, whatever the truth. */
  readonly clopperPearson: (successes: number, n: number, level: number) => Interval;
  /** Benjamini and Hochberg's adjustment, for lists that inform and do not block. */
  readonly benjaminiHochberg: (pValues: readonly number[]) => readonly number[];
  /** Holm's adjustment; the p-values of comparisons that could not be made count in `family`. */
  readonly holm: (pValues: readonly number[], family: number) => readonly number[];
  /** Whether a drop, however large, can be proven. */
  readonly canProve: (noise: Pick<Noise, "n" | "clusters">, alpha: number) => boolean;
  /** How often the test in use proves a true drop, from 0 to 1. `alpha`: what the p-value has to be below. */
  readonly provingChance: (drop: number, noise: Noise, alpha: number) => number;
  /** The smallest true drop that the test in use proves with the given power (0.8); undefined where it proves none. */
  readonly smallestDrop: (noise: Noise, alpha: number, power?: number) => number | undefined;
  /** How many cases prove a drop with the given power (0.8) by a one-sided test; not rounded. */
  readonly casesNeeded: (wanted: {
    readonly perCaseVariance: number;
    readonly drop: number;
    readonly alpha: number;
    readonly power?: number;
  }) => number;
  /**
   * How many cases show that a run that changed nothing did not drop by `limit`, 4 times in 5: by its interval, and by the exact
   * bound where next to no case changes. `width`: how far a case can fall.
   */
  readonly casesToShow: (wanted: {
    readonly perCaseVariance: number;
    readonly limit: number;
    readonly alpha: number;
    readonly width: number | undefined;
    readonly power?: number;
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

/** Differences of means over repeats, one a case, and the variance of each case's repeats on both sides. */
export interface RepeatedDifferences {
  readonly differences: ArrayLike<number>;
  readonly within: {
    readonly before: ArrayLike<number>;
    readonly after: ArrayLike<number>;
  };
}

/** The 0/1 answers of a case: so many right of so many, in head and in several earlier runs. */
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

/** What a comparison of two runs is like where nothing changed: a drop has to stand out from it. */
export interface Noise {
  /** Whether the scores are 0 or 1: then McNemar's test is used, and its power is counted. */
  readonly bits: boolean;
  /**
   * How a drop adds to the variance: a mean drop D, made of cases that break whole, adds D·lost − D², with `lost` the mean square
   * of what such a case loses over its mean; 1 of 0/1 scores. 0 of graded scores, where a drop is taken to lower all cases alike.
   */
  readonly lost: number;
  /** Pairs. */
  readonly n: number;
  /**
   * Of one case's difference head − base, in squares of the metric's unit: of 0/1 scores the share of cases that change. With
   * clusters n times the squared standard error of the mean.
   */
  readonly variance: number;
  /** The clusters that the cases are in, and in effect how many of one size, (Σn)² / Σn²; null: each is one of its own. */
  readonly clusters: { readonly count: number; readonly effective: number } | null;
  /** How many times larger the variance of a mean is than if cases were independent of their cluster; 1 without clusters. */
  readonly design: number;
  /** Where cases are weighted by how well their repeats tell what they score: factors of `variance` and of `lost`. */
  readonly weights?: { readonly variance: number; readonly lost: number } | undefined;
}

/** `pLess`: how likely such a low sum is if nothing changed, ties included; `pMid`: with half of the ties. */
export interface PermutationP {
  readonly pLess: number;
  readonly pMid: number;
  readonly exact: boolean;
}

/** How likely such a low difference, and such a high one, is if nothing changed; with half of the ties. */
interface SwapP {
  readonly delta: number;
  readonly pLess: number;
  readonly pGreater: number;
  readonly exact: boolean;
}

interface NoninferiorityQuestion {
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
interface VarianceComponents {
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
