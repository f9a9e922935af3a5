import type { Overrides } from "./overrides.ts";
import type { GateResult } from "./run.ts";
import type { Gate } from "./suite.ts";

/** A part of what judges a run (in contrast to what is judged). */
export type PolicyPart =
  | "task"
  | "dataset"
  | "preprocess"
  | "target_template"
  | "choices"
  | "extraction"
  | "grader"
  | "judge"
  | "metrics"
  | "repeats"
  | "slices"
  | "clusters"
  | "min_cases"
  | "gate"
  | "candidates"
  | "suite"
  | "workflow";

/**
 * Effect of a changed part on the verdict. `changed`: the run is judged by both policies, and the stricter decides.
 * `added`: only cases or candidates were added, which inform; `equivalent`: every stored output has the same scores;
 * `told`: it does not judge here, and reviewers of the change should know it.
 */
type PolicyEffect = "changed" | "added" | "equivalent" | "told";

export interface PolicyChange {
  readonly part: PolicyPart;
  /** null: a part of the suite as a whole. */
  readonly task: string | null;
  readonly effect: PolicyEffect;
  /** One sentence for people, if there are details. */
  readonly note: string | null;
}

export interface ToldField {
  readonly task: string;
  readonly field: string;
  /**
   * What reads the field on the base; absent: the target does. `package`: the field names a file of the repository's own
   * package, which the base's grader imports and the change alters. `copy`: nothing does, and its values are the targets.
   * `file`: the field names a file of the change that has the answers of cases. `lookup`: it names a file of a program that
   * may look the answers up. `recording`: it names a candidate that the base asks, and that the change answers for.
   */
  readonly reader?: "grader" | "package" | "copy" | "file" | "lookup" | "recording";
}

/** Files that a change has otherwise than its base. */
export interface AlteredFiles {
  /** As the change has them. */
  readonly here: readonly AlteredFile[];
  /** As the base has them: those that differ, and those that the change has no more. */
  readonly there: readonly AlteredFile[];
  /** The paths of all files of the change, but for those of run directories. */
  readonly paths: readonly string[];
  /** The same of the base. */
  readonly basePaths: readonly string[];
  /** Files of run directories, which are not looked through. */
  readonly runs: readonly string[];
  /** Files of the change that are too many or too large to look through. */
  readonly skipped: number;
}

interface AlteredFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Whose policy judged a run, and the result. Present in `run.json` if a base was named. */
export interface RunPolicy {
  /** The base as the user named it: a git ref, or a folder. */
  readonly source: string;
  /** The base's commit; null if a folder that is no repository was named. */
  readonly sha: string | null;
  /** Against the base: `new`: it has no such suite; `deleted`: only it has; `moved`: there it has another path. */
  readonly suite: "same" | "new" | "deleted" | "moved";
  /** The manifest's path in the base, from its root; null if it has none. */
  readonly base_path: string | null;
  readonly changed: readonly PolicyChange[];
  /** Candidate slots that only one side has: new ones inform, missing ones fail the run. */
  readonly slots: { readonly new: readonly string[]; readonly missing: readonly string[] };
  /**
   * Fields of the base's target or grader that the change passes to the candidate, and the base does not; absent: none.
   */
  readonly told?: readonly ToldField[];
  /** Candidates with another recording than the base's: recorded here, not run. */
  readonly recorded: readonly string[];
  /** The verdict by the base's policy; null if it has no such suite, or nothing differs. */
  readonly base: GateResult | null;
  /** The verdict by the change's own policy; null if the suite is deleted, nothing differs, or the run was stopped before. */
  readonly head: GateResult | null;
  /**
   * The side whose verdict counts. `both`: they agree, or nothing differs. `approval`: the change's own verdict, because
   * it was approved.
   */
  readonly decided_by: "base" | "head" | "both" | "approval";
}

/** The label that approves a change of the policy, where the base's gate names none. */
const defaultPolicyLabel = "regrade-approved";

export function policyLabelOf(gate: Gate): string {
  return gate === "none" ? defaultPolicyLabel : (gate.policy_label ?? defaultPolicyLabel);
}

/** Folder within a run directory of the run by the change's own policy, if there is one. */
export const ownPolicyFolder = "own-policy";

/** A tree to take the policy from. */
export interface BaseTree {
  /** As the user named it. */
  readonly source: string;
  readonly sha: string | null;
  /** Its root, absolute. */
  readonly root: string;
  /** The root of the repository with its history; undefined for a named folder. */
  readonly repository: string | undefined;
  /**
   * The same commit in a separate checkout, for programs that write into it, which must not affect the judging files.
   * Available until this tree is closed. For a named folder, the folder itself.
   */
  readonly checkOutAgain: () => Promise<BaseTree>;
  /** Path of the workflow's file from the repository's root, if a workflow judges: a note says if the change edits it. */
  readonly workflow?: string;
  /**
   * The models that judge by the base's workflow, in the place of those that inputs name; undefined: the workflow is the same
   * on both sides.
   */
  readonly judges?: Pick<Overrides, "judge_model" | "embedding_model">;
  /** Removes temporary files. May be called more than once. */
  readonly close: () => Promise<void>;
}
