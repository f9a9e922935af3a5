import type { Verdict } from "../outcomes/verdict.ts";
import type { RuleResult } from "../outcomes/rule-result.ts";
import type { MetricUnit } from "../definition/metric.ts";

/** A rate with Clopper and Pearson's 95 % interval. `of` is never 0. */
export interface Proportion {
  readonly count: number;
  readonly of: number;
  readonly rate: number;
  readonly ci: readonly [number, number];
}

/** Result of comparing a suite with itself: how often its gate is wrong, and which drops it can detect. */
export interface Calibration {
  readonly format: "regrade.calibration/1";
  readonly suite: string;
  readonly runs: readonly { readonly id: string; readonly directory: string }[];
  /** Numbers of ordered pairs of runs by verdict: the first run is the baseline of the second. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Pairs for which the whole gate failed although nothing had changed. */
  readonly alarms: Proportion;
  /** The same share after each case's answers were randomly redistributed to two runs; null if that is impossible. */
  readonly dealt: Proportion | null;
  readonly rules: readonly RuleCalibration[];
  readonly noise: readonly MetricNoise[];
  /** Limits of these figures, one sentence each. */
  readonly notes: readonly string[];
}

/** One rule over all pairs; `min`, `max` and `must_pass` look at one run only, and are counted by run. */
export interface RuleCalibration extends Pick<
  RuleResult,
  | "kind"
  | "prove"
  | "level"
  | "task"
  | "candidate"
  | "metric"
  | "slice"
  | "against"
  | "limit"
  | "test"
> {
  readonly unit: MetricUnit;
  readonly alarms: Proportion;
  readonly dealt: Proportion | null;
  /** Number of pairs, or runs, for which the rule was undecided. */
  readonly undecided: number;
  /** Results of rules without a statistical test on the same pairs; null for rules that compare nothing. */
  readonly naive: { readonly any_drop: Proportion; readonly bare_limit: Proportion } | null;
  /** Cases of the smallest pair. */
  readonly cases: number | null;
  /** Share of cases whose score differs between two runs, on average. */
  readonly disagree: number | null;
  /** A single drop's adjusted p-value has to be below this: alpha divided by the number of comparisons. */
  readonly alpha: number | null;
  /** The smallest true drop that the rule blocks in 4 of 5 runs; null if it would block none. */
  readonly detects: number | null;
  /** Advice, one sentence each. */
  readonly advice: readonly string[];
}

/** Variation of a metric between unchanged runs. Variances are in squares of the metric's unit. */
export interface MetricNoise {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  readonly unit: MetricUnit;
  /** Cases for which every run has a score. */
  readonly cases: number;
  readonly repeats: number;
  /** The mean over these cases, by run. */
  readonly values: readonly number[];
  /** Variance between cases: how different the questions are. */
  readonly between: number | null;
  /** Variance between the repeats and runs of a case: the noise. */
  readonly within: number | null;
  /** Standard deviation of the runs' means, as observed and as expected from the noise of the cases. */
  readonly run_sd: number | null;
  readonly expected_sd: number | null;
  readonly flickering: {
    readonly count: number;
    /** The cases that vary most, no more than `changedCasesKept`. */
    readonly cases: readonly FlickeringCase[];
  };
  /** Cases that reached the good end of the range in every run; null without a range. */
  readonly steady: number | null;
}

/** A case whose score is not the same in every run. */
export interface FlickeringCase {
  readonly case_id: string;
  /** One score per run. */
  readonly scores: readonly number[];
}
