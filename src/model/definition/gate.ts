/** The gate as a manifest declares it. */
export type Gate = "none" | GateSpec;

export interface GateSpec {
  readonly max_drop?: number;
  readonly alpha?: number;
  readonly max_error_rate?: number;
  /** The share of the cases of both sides that must have a grade on both. Default: all but the larger of 2 cases and 10 %. */
  readonly min_paired?: number;
  readonly rules?: readonly RuleSpec[];
  readonly confirm?: Confirm;
  /** Names of labels on a pull request: the first lets a changed policy judge itself, the second a proven loss pass. */
  readonly policy_label?: string;
  readonly accept_label?: string;
  /** Whose labels count as approval. Default: `others`. */
  readonly approvers?: Approvers;
  readonly baseline?: BaselineSpec;
}

/** People with write access: either only those who neither opened the pull request nor pushed to it, or all. */
export type Approvers = "others" | "writers";

/**
 * Whether a proven drop is run again before it blocks. `auto`: if the base's candidate can be run here; `always`: also
 * programs without a `setup` for a checkout of the base.
 */
type Confirm = "auto" | "always" | "never";

/** A run directory, or where to search for one. */
export interface BaselineSpec {
  /** Relative to the manifest. Without it, a baseline is searched for in CI. */
  readonly path?: string;
  readonly from?: "auto" | "rerun" | "pooled";
  /** Fallback if no earlier run is found or readable: run the base in the same job. */
  readonly fallback?: "rerun";
  /** Older runs are not used as a baseline. */
  readonly max_age_days?: number;
}

/**
 * One of `min`, `max`, `max_drop`, `max_rise`, `must_pass`; with `must_pass`, `min` or `max` defines passing. `metric` is
 * a glob `task/metric`, or `metric` for every task; `slice` one over `field=value`.
 */
export interface RuleSpec {
  readonly metric: string;
  readonly candidate?: string;
  /** For `max_drop` and `max_rise`: another candidate of the same run replaces the baseline. Its name, not a glob. */
  readonly against?: string;
  readonly slice?: string;
  /** Case ids, or globs of them. */
  readonly must_pass?: readonly string[];
  /** A change is also responsible for the cases of `must_pass` that fell short before it. */
  readonly always?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly max_drop?: number;
  readonly max_rise?: number;
  /** For `min` and `max`: the rule applies only without a baseline; with one, the comparison judges. */
  readonly without_baseline?: boolean;
  readonly prove?: Prove;
  readonly alpha?: number;
  readonly level?: RuleLevel;
}

export type Prove = "drop" | "no_drop" | "nothing";

export type RuleLevel = "block" | "warn" | "info";

export const defaultAlpha = 0.05;
