import type { RunApprovals } from "./outcomes/run.ts";
import type { Approvers } from "./definition/gate.ts";
import type { StoredRun } from "./ports/store.ts";

/** Identity of the suite that an earlier run must belong to. */
export interface SoughtSuite {
  /** Its name; if the base has the suite, the name that it has there. */
  readonly suite: string;
  /** Path of its manifest from the repository's root; the base's path is given in the same way. */
  readonly path: string;
  /** Whether the base's tree has the suite; undefined if not checked: a push is judged by its own tree. */
  readonly isInBase: boolean | undefined;
  /** Whether the base's tree has no file at a path from its root: then the suite that was there may be this one, moved. */
  readonly isGone: (path: string) => Promise<boolean>;
}

/** A search for an earlier run of a suite. */
export interface BaselineQuestion extends SoughtSuite {
  /** The oldest run to take; undefined: any. */
  readonly maxAgeDays: number | undefined;
  /**
   * The input hash of the base's own suite, if an equal hash means an equal run; undefined if unknown. Requested only if
   * the base commit itself left no run.
   */
  readonly baseInputs: () => Promise<string | undefined>;
}

/** An earlier run to compare with, or why there is none. */
export type FoundBaseline =
  | {
      readonly kind: "found";
      readonly stored: StoredRun;
      /** Address for people: the page of its workflow run. */
      readonly source: string;
      /** The commit that it represents. */
      readonly sha: string;
      /** Commits of the base branch between the base commit and that one; 0: the base commit itself. */
      readonly distance: number;
      /** Why this baseline was chosen: a clause. */
      readonly reason: string;
    }
  | NoBaseline;

/** Why there is nothing to compare with. */
export interface NoBaseline {
  readonly kind: "none";
  /** Why there is none: a clause that completes "no baseline: …". */
  readonly reason: string;
  /**
   * Advice if a baseline may exist but could not be searched for or read: a sentence. Rules that need it are then
   * inconclusive. undefined: there certainly is none.
   */
  readonly remedy?: string | undefined;
  /** The base branch has no run of the suite yet: merging leaves the first one. */
  readonly isFirst?: true;
}

/** Searches for baselines where CI keeps them. Never throws because something is missing or unreachable. */
export interface BaselineFinder {
  readonly find: (question: BaselineQuestion) => Promise<FoundBaseline>;
  /** The newest trusted run of the base branch with an input hash: it can be reused for a run with the same one. */
  readonly findEqual: (sought: SoughtSuite, inputHash: string) => Promise<FoundBaseline>;
  /** The last runs with an input hash, the newest first, as directories. */
  readonly findPooled: (question: PoolQuestion) => Promise<{
    readonly directories: readonly string[];
    /** The reason, as in NoBaseline, if there are no directories. */
    readonly reason: string;
    readonly remedy?: string | undefined;
  }>;
}

export interface PoolQuestion extends SoughtSuite {
  readonly inputHash: string;
  readonly most: number;
}

/** Labels that would approve a changed policy or a loss, and the people who may add them. */
export interface LabelQuestion {
  /** `gate.policy_label` of the base's policy; undefined if none is named, or if nothing needs it. */
  readonly policy: string | undefined;
  /** `gate.accept_label`. */
  readonly loss: string | undefined;
  /** The base's `gate.approvers`. */
  readonly approvers: Approvers;
}

/**
 * Checks whether labels were added by an authorized person, for the judged commit. Never throws: if it can't be checked,
 * nothing is approved.
 */
export type FindApprovals = (labels: LabelQuestion) => Promise<RunApprovals>;

/** Access to CI's earlier runs and approvals; empty on a laptop. */
export interface CiContext {
  readonly baselines?: BaselineFinder | undefined;
  /** Why earlier runs can't be searched for, if the reason is known and no fault: a clause. */
  readonly noBaselines?: string | undefined;
  readonly findApprovals?: FindApprovals | undefined;
}
