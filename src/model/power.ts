import type { MetricUnit } from "./calibration.ts";

/** How many cases prove which drop. */
export interface PowerReport {
  readonly format: "regrade.power/1";
  readonly suite: string;
  /** Where the figures come from: a run's scores, or the manifest and assumptions. */
  readonly source: "run" | "manifest";
  /** How often a drop is to be proven, from 0 to 1. */
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
  /** Of one comparison: alpha over the number of blocking comparisons that share it. */
  readonly alpha: number;
  readonly comparisons: number;
  readonly noise: PowerNoise;
  /** Whether its reducer (`pass@k`) makes one score of all repeats of a case: only other runs show noise then. */
  readonly reduced: boolean;
  /** The smallest true drop that the suite as it is proves so often; null: none, or nobody can tell. */
  readonly detects: number | null;
  readonly rows: readonly PowerRow[];
}

interface PowerNoise {
  readonly from: "repeats" | "pairs" | "assumption";
  /** Of one case's difference between two unchanged runs with the suite's repeats, in squares of the unit. */
  readonly variance: number;
  /** Where it comes from, for people. */
  readonly words: string;
}

export interface PowerRow {
  readonly drop: number;
  /** How often the suite as it is proves it. */
  readonly now: number;
  /** Cases needed, by repeats. */
  readonly cases: readonly { readonly repeats: number; readonly cases: number }[];
  /** Repeats needed with the cases that there are; null where no number of them would do. */
  readonly repeats: number | null;
}
