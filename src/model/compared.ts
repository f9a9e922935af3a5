import type { Scores } from "./sample.ts";

/** One of the runs that a baseline is made of. */
export interface PooledRun {
  readonly source: string;
  readonly run_id: string;
  readonly sha: string | null;
}

/** Base and head swapped within cases, and graded again each time: is the drop of a batch grader's number chance? */
export interface SwapTest {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  /** value − baseline, as it was seen. */
  readonly delta: number;
  /** How often a swap gives such a low difference, and such a high one. */
  readonly p_less: number;
  readonly p_greater: number;
  /** Of the difference, if nothing changed. */
  readonly stderr: number;
  /** How many swaps were graded, on both sides each; `exact`: they stand for all that there are. */
  readonly swaps: number;
  readonly exact: boolean;
}

/** Parts of a task without which its scores mean something else. */
export type DecisivePart = "extraction" | "grader" | "judge";

/** The baseline's outputs of a task, graded again by the grader that judges this run. */
export interface RegradedTask {
  readonly task: string;
  /** What differs from the task as the baseline had it. */
  readonly parts: readonly DecisivePart[];
  /** The samples of its candidates that are compared. */
  readonly samples: number;
  /** Those that have another outcome now, or other scores. */
  readonly differ: number;
  /** What a batch grader gave for all cases together, a candidate each. */
  readonly given: readonly RegradedGiven[];
  /** Metrics that this run's grader moves outside of their own 95 % interval. Absent where there are none. */
  readonly moved?: readonly BaselineMove[];
}

/** A metric of the baseline, as its run had it and as this run's grader has it from the same outputs. */
export interface BaselineMove {
  /** The baseline's. */
  readonly candidate: string;
  readonly metric: string;
  /** `field=value`, or null for all cases. */
  readonly slice: string | null;
  readonly stored: number;
  /** Of `stored`, at 95 %; null where nothing is known of its spread: then any other value is a move. */
  readonly ci: readonly [number, number] | null;
  readonly regraded: number;
}

interface RegradedGiven {
  readonly candidate: string;
  readonly metrics: Scores;
  readonly dropped: readonly string[];
}

/** The symptom of a diagnosis of cases that ended without an answer or a valid score, and did not in the baseline. */
export const crash = "crash";

/** The symptom of a diagnosis that says what the grader says of broken cases: about the change, not the set-up. */
export const lossMessage = "loss_message";

/** Some of the compared cases that hold more of the broken ones than chance gives them. */
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
