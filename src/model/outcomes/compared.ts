import type { Scores } from "./sample.ts";

/** One of the runs in a pooled baseline. */
export interface PooledRun {
  readonly source: string;
  readonly run_id: string;
  readonly sha: string | null;
}

/** A permutation test of a batch grader's number: base and head are swapped within cases and graded again each time. */
export interface SwapTest {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  /** The observed difference, value − baseline. */
  readonly delta: number;
  /** Shares of swaps with a difference this low or lower, and this high or higher. */
  readonly p_less: number;
  readonly p_greater: number;
  /** Standard error of the difference if nothing changed. */
  readonly stderr: number;
  /** Number of swaps, each graded on both sides. `exact`: they are all possible swaps. */
  readonly swaps: number;
  readonly exact: boolean;
}

/** Parts of a task without which its scores mean something else. */
export type DecisivePart = "extraction" | "grader" | "judge";

/** The baseline's outputs for a task, graded again by this run's grader. */
export interface RegradedTask {
  readonly task: string;
  /** Parts that differ from the baseline's task. */
  readonly parts: readonly DecisivePart[];
  /** Number of samples of its candidates that are compared. */
  readonly samples: number;
  /** Number of samples whose outcome or scores differ. */
  readonly differ: number;
  /** Results of a batch grader for all cases together, one per candidate. */
  readonly given: readonly RegradedGiven[];
  /** Metrics that this run's grader moves outside of their own 95 % interval. Absent if there are none. */
  readonly moved?: readonly BaselineMove[];
}

/** A metric of the baseline: as the baseline's run recorded it, and as this run's grader gives it for the same outputs. */
export interface BaselineMove {
  /** The baseline's. */
  readonly candidate: string;
  readonly metric: string;
  /** `field=value`, or null for all cases. */
  readonly slice: string | null;
  readonly stored: number;
  /** 95 % interval of `stored`; null if its spread is unknown: then any other value counts as a move. */
  readonly ci: readonly [number, number] | null;
  readonly regraded: number;
}

interface RegradedGiven {
  readonly candidate: string;
  readonly metrics: Scores;
  readonly dropped: readonly string[];
}

/** The symptom of a diagnosis about cases that ended without an answer or a valid score, but had one in the baseline. */
export const crash = "crash";

/** The symptom that reports the grader's messages for broken cases. It concerns the change, not the set-up. */
export const lossMessage = "loss_message";

/** Some of the compared cases, among which more are broken than chance explains. */
export interface LossPlace {
  readonly kind: "slice" | "cluster";
  /** `field=value`, or the cluster. */
  readonly name: string;
  readonly broke: number;
  /** Its compared cases. */
  readonly cases: number;
  /** Fisher's exact test, one-sided, adjusted over `family` slices or clusters. */
  readonly p_adjusted: number;
  readonly family: number;
}

export const lossPlacesKept = 3;
