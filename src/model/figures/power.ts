import type { MetricUnit } from "../definition/metric.ts";

/** Number of cases needed to prove a drop, by size of the drop. */
export interface PowerReport {
  readonly format: "regrade.power/1";
  readonly suite: string;
  /** Source of the figures: a run's scores, or the manifest and assumptions. */
  readonly source: "run" | "manifest";
  /** Required chance of proving a drop, from 0 to 1. */
  readonly power: number;
  readonly places: readonly PowerPlace[];
  readonly notes: readonly string[];
}

/** One metric of a task and candidate. */
export interface PowerPlace {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  readonly slice: string | null;
  readonly unit: MetricUnit;
  readonly cases: number;
  readonly repeats: number;
  /** Alpha of one comparison: the suite's alpha divided by the number of blocking comparisons that share it. */
  readonly alpha: number;
  readonly comparisons: number;
  readonly noise: PowerNoise;
  /** Whether its reducer (`pass@k`) makes one score of all repeats of a case: then only other runs show the noise. */
  readonly reduced: boolean;
  /** Smallest true drop that the current suite proves with this chance; null if there is none or it is unknown. */
  readonly detects: number | null;
  readonly rows: readonly PowerRow[];
  /** Effect of additional calls, the best use first; absent if not requested, empty if they are too few. */
  readonly spend?: readonly SpendOption[];
}

/** One way to spend further calls. */
export interface SpendOption {
  readonly kind: "cases" | "repeats" | "earlier_runs";
  /** The number of cases, repeats or earlier runs that the suite then has. */
  readonly to: number;
  readonly calls: number;
  /** The smallest true drop that is then proven; null if there is none or it is unknown. */
  readonly detects: number | null;
}

interface PowerNoise {
  readonly from: "repeats" | "pairs" | "assumption";
  /** Variance of one case's difference between two unchanged runs with the suite's repeats, in squares of the unit. */
  readonly variance: number;
  /** Source of the figure, for people. */
  readonly words: string;
}

export interface PowerRow {
  readonly drop: number;
  /** Chance that the current suite proves this drop. */
  readonly now: number;
  /** Number of cases needed, by number of repeats. */
  readonly cases: readonly { readonly repeats: number; readonly cases: number }[];
  /** Number of repeats needed with the current cases; null if no number is enough. */
  readonly repeats: number | null;
}
