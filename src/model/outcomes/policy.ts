import type { Overrides } from "../definition/overrides.ts";
import type { GateResult } from "./rule-result.ts";
import type { Gate } from "../definition/gate.ts";

/** A part of the policy: it judges a run, in contrast to the parts that are judged. */
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
 * `added`: only cases or candidates were added, for information; `equivalent`: every stored output has the same scores;
 * `told`: the part does not judge this run, but reviewers of the change should know of it.
 */
type PolicyEffect = "changed" | "added" | "equivalent" | "told";

export interface PolicyChange {
  readonly part: PolicyPart;
  /** null: the part belongs to the suite as a whole. */
  readonly task: string | null;
  readonly effect: PolicyEffect;
  /** One sentence for people, if there are details. */
  readonly note: string | null;
}

/** Whether a change is one of what is judged, the candidates and their prompts, and alters nothing of how it is judged. */
export function isOfJudged({ part, effect }: PolicyChange): boolean {
  return part === "candidates" && effect === "told";
}

/** A note for the reviewers of a change, which does not alter the verdict. */
export function toldNote(
  note: string,
  { part = "task", task = null }: Partial<Pick<PolicyChange, "part" | "task">> = {},
): PolicyChange {
  return { part, task, effect: "told", note };
}

/** Something that only judges may know, and that a change tells its candidates or lets them read. */
export interface ToldField {
  readonly task: string;
  /** A field of a row, or what `reader` says. */
  readonly field: string;
  /** Which part of the base reads the field; absent: the target does. */
  readonly reader?:
    | "grader"
    /** A file of the repository's own package, which the base's grader imports and the change alters. */
    | "package"
    /** No part reads the field, but its values are the targets. */
    | "copy"
    /** A file of the change that has the answers of cases. */
    | "file"
    /** A file of a program, which may look the answers up. */
    | "lookup"
    /** A data set that was opened while programs ran. */
    | "opened"
    /** A file of the base's checkout, which judges, that was edited while programs ran. */
    | "edited"
    /** A candidate that the base asks, but whose answers the change records. */
    | "recording";
}

/** Files that differ between a change and its base. */
export interface AlteredFiles {
  /** The differing files as the change has them. */
  readonly here: readonly AlteredFile[];
  /** The differing files as the base has them, with those that the change deletes. */
  readonly there: readonly AlteredFile[];
  /** The paths of all files of the change, except those of run directories. */
  readonly paths: readonly string[];
  /** The paths of all files of the base, except those of run directories. */
  readonly basePaths: readonly string[];
  /** Files of run directories, whose content is not compared. */
  readonly runs: readonly string[];
  /** Number of files of the change that were left out because they are too many or too large. */
  readonly skipped: number;
}

/** The files of a checkout that are not as in its commit, by their paths; or why git can't tell. */
export type EditedFiles =
  | { readonly kind: "found"; readonly paths: readonly string[] }
  | { readonly kind: "unknown"; readonly reason: string };

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
  /**
   * The suite in comparison with the base: `new`: only the change has it; `deleted`: only the base has it; `moved`: the
   * base has it at another path; `none`: results without a manifest, whose rules are the workflow's inputs.
   */
  readonly suite: "same" | "new" | "deleted" | "moved" | "none";
  /** The manifest's path in the base, from its root; null if it has none. */
  readonly base_path: string | null;
  readonly changed: readonly PolicyChange[];
  /** Candidate slots that only one side has: new ones are for information, missing ones fail the run. */
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

/** The default label that approves a change of the policy. */
const defaultPolicyLabel = "regrade-approved";

/** The label that approves a change of the policy under this gate. */
export function policyLabelOf(gate: Gate): string {
  return gate === "none" ? defaultPolicyLabel : (gate.policy_label ?? defaultPolicyLabel);
}

/** Folder within a run directory of the run by the change's own policy, if there is one. */
export const ownPolicyFolder = "own-policy";

/** A tree to take the policy from. */
export interface BaseTree {
  /** The base as the user named it. */
  readonly source: string;
  readonly sha: string | null;
  /** Its root, absolute. */
  readonly root: string;
  /** The root of the repository with its history; undefined for a named folder. */
  readonly repository: string | undefined;
  /**
   * The commit that was checked out in the repository when this tree was opened, if known. A program that is asked later may
   * commit what it writes.
   */
  readonly head?: string | undefined;
  /** Folder of git's objects with the commit, if the repository lacks it. */
  readonly objects?: string;
  /**
   * The same commit in a separate checkout, for programs that write into it, which must not affect the judging files.
   * Available until this tree is closed. For a named folder, the folder itself.
   */
  readonly checkOutAgain: () => Promise<BaseTree>;
  /**
   * Path of the workflow's file from the repository's root, if a workflow runs Regrade: a note says if the change edits
   * it.
   */
  readonly workflow?: string;
  /**
   * The judge models of the base's workflow, which replace those of the inputs; undefined if the workflow is the same
   * on both sides.
   */
  readonly judges?: Pick<Overrides, "judge_model" | "embedding_model">;
  /** Removes temporary files. May be called more than once. */
  readonly close: () => Promise<void>;
}
