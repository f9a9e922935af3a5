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
}

export interface RegradedGiven {
  readonly candidate: string;
  readonly metrics: Scores;
  readonly dropped: readonly string[];
}
