import type { Place, Problem } from "./refusal.ts";
import type { Verdict } from "./run.ts";

/**
 * Facts about a suite's run besides `run.json`: its workflow run, its commit, the previous verdict. They come from the
 * environment and GitHub's API, not from an artifact.
 */
export interface Circumstances {
  /** GitHub's id of the workflow run: digits. */
  readonly runId: string;
  /** 1 for the first; more for a re-run, which is disclosed. */
  readonly attempt: number;
  /** The commit that is judged: of a pull request its head, not the merge commit. */
  readonly sha: string;
  /** Target branch of the change: the sparkline shows its history. */
  readonly baseBranch?: string | undefined;
  /**
   * The same, for a pull request and a merge queue's group only: they can be pointed at another base, and keep their
   * checks.
   */
  readonly judgedAgainst?: string | undefined;
  /** The verdict does not make the step red, though it blocks: `fail-on` leaves it out. */
  readonly isReportedOnly?: boolean | undefined;
  readonly runUrl?: string | undefined;
  readonly artifactUrl?: string | undefined;
  /** The run's page, which a browser opens; `#case=…` and `#group=…` lead into it. */
  readonly reportUrl?: string | undefined;
  /** The artifact is on its way: the run's page will link it. */
  readonly isUploading?: boolean | undefined;
  /** `https://github.com/owner/repo`: commits are linked where it is known. */
  readonly repositoryUrl?: string | undefined;
  /** Why there is no baseline, if there is none: a clause that completes "no baseline: …". */
  readonly noBaseline?: string | undefined;
  /** The base branch has no run of the suite yet, and this change can leave the first one. */
  readonly isFirst?: boolean | undefined;
  /** Previous content of the comment's section. */
  readonly previous?: { readonly verdict: Verdict; readonly sha: string } | undefined;
  /** The workflow run has other suites too: commands must name this one. */
  readonly severalSuites?: boolean | undefined;
  /** Whether a file of the repository, by its path from the root, is in the checkout: GitHub shows notes on no other. */
  readonly hasFile?: ((path: string) => boolean) | undefined;
  /** Finds a path of the suite's manifest (`["gate", "rules", 0]`), with a file relative to the repository's root. */
  readonly locate?: ((path: readonly (string | number)[]) => Place) | undefined;
}

/** A suite that there is no run of. */
export type NoRun =
  /** `changed-only`: nothing that the suite depends on differs from the base. */
  | { readonly kind: "not_affected"; readonly base: string }
  /** The secrets that the candidates need are not given to this event. */
  | {
      readonly kind: "no_secrets";
      readonly who: "fork" | "dependabot";
      readonly missing: readonly string[];
    }
  /** The manifest, or the surroundings, can't be worked with. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  /** An error of Regrade's own. */
  | { readonly kind: "crashed" }
  /** The job was cancelled before there was a run. */
  | { readonly kind: "cancelled" };
