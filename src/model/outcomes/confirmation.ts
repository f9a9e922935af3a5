import type { LedgerReader } from "../figures/ledger.ts";

/** A drop is confirmed if the p-value of its fresh samples is below this. */
export const confirmAlpha = 0.2;

/**
 * Folder of the fresh samples in a run directory: a folder for each round, with the run directories `head` and `base`
 * in it.
 */
export const confirmFolder = "confirm";

/** Why a proven drop was not run again, as a code for programs. */
export type ConfirmObstacle =
  | "head_recorded" // the candidate's answers come from a file
  | "base_recorded" // the baseline's do
  | "base_elsewhere" // an app or an agent: which version answers there is not ours to say
  | "batch_grader" // its scores depend on all cases together, or on two candidates
  | "no_tree" // the base's files are not here
  | "no_setup" // nothing says how to prepare a checkout of the base
  | "setup_failed"
  | "no_prompt" // what the baseline asked is not known
  | "base_refused" // it can't be opened here: a key, a program, a price that is missing
  | "base_halted" // it could not answer any further request
  | "not_needed"; // the run fails whatever came of it

/** Cases of one task and candidate that changed in a proven drop, and whether they were run again. */
export interface ConfirmRound {
  readonly task: string;
  readonly candidate: string;
  /** The candidate's slot in the baseline. */
  readonly base_candidate: string;
  readonly repeats: number;
  /** Cases that changed, broken and fixed; declared before the first of them is run. */
  readonly cases: number;
  /** Number of samples on both sides together. */
  readonly samples: number;
  readonly outcome: "run" | "not_possible";
  readonly obstacle: ConfirmObstacle | null;
  /** The same reason as a clause for people; null if it was run. */
  readonly reason: string | null;
  /** Path within the run directory; null if nothing was run. */
  readonly directory: string | null;
  /** The commit that the base's side was run from; null if it needs none, for example because it is a model. */
  readonly base_sha: string | null;
}

/**
 * Result of running proven drops again before they block. Present in `run.json` if there were any and the gate confirms.
 */
export interface RunConfirmation {
  readonly alpha: number;
  /** Largest chance that a run without a change is blocked: the level of the proof × the level of the confirmation. */
  readonly joint_error: number;
  readonly rounds: readonly ConfirmRound[];
}

/** The scores of a round's fresh samples, both sides under the names that the run uses. */
export interface FreshScores {
  readonly head: LedgerReader;
  readonly base: LedgerReader;
}

/** A confirmation as the verdict needs it. */
export interface Confirmation {
  readonly record: RunConfirmation;
  /** Indexed like the record's rounds; undefined for a round that was not run. */
  readonly fresh: readonly (FreshScores | undefined)[];
}

/** Result of the confirmation for one rule. */
export interface RuleConfirmation {
  /** `base_moved`: the base's program, run here, loses the broken cases too. */
  readonly outcome: "confirmed" | "not_confirmed" | "undecided" | "base_moved" | "not_run";
  /** Cases of the rule that changed, broken and fixed. */
  readonly cases: number;
  /** Cases among them that have a fresh grade on both sides. */
  readonly n: number;
  readonly broke: number | null;
  readonly fixed: number | null;
  readonly p: number | null;
  /** Adjusted by Holm's method over the rules that were run again. */
  readonly p_adjusted: number | null;
}
