import type { Place, Problem } from "./refusal.ts";
import type { Verdict } from "./outcomes/verdict.ts";

/**
 * Facts about a suite's run besides `run.json`: its workflow run, its commit, the previous verdict. They come from the
 * environment and GitHub's API, not from an artifact.
 */
export interface Circumstances {
  /** GitHub's id of the workflow run: digits. */
  readonly runId: string;
  /** 1 for the first; more for a re-run, which is disclosed. */
  readonly attempt: number;
  /** The commit that is judged; for a pull request its head, not the merge commit. */
  readonly sha: string;
  /** Target branch of the change: the sparkline shows its history. */
  readonly baseBranch?: string | undefined;
  /**
   * The target branch too, but only for a pull request and a merge queue's group: they can be pointed at another base,
   * and keep their checks.
   */
  readonly judgedAgainst?: string | undefined;
  /** The verdict blocks, but does not make the step red, because `fail-on` leaves it out. */
  readonly isReportedOnly?: boolean | undefined;
  readonly runUrl?: string | undefined;
  readonly artifactUrl?: string | undefined;
  /** The run's page, which a browser opens; `#case=…` and `#group=…` lead into it. */
  readonly reportUrl?: string | undefined;
  /** The artifact is not uploaded yet: the workflow run's page will link to it. */
  readonly isUploading?: boolean | undefined;
  /** `https://github.com/owner/repo`: commits are linked where it is known. */
  readonly repositoryUrl?: string | undefined;
  /** Why there is no baseline, if there is none: a clause that completes "no baseline: …". */
  readonly noBaseline?: string | undefined;
  /** The base branch has no run of the suite yet, and this change can leave the first one. */
  readonly isFirst?: boolean | undefined;
  /** Previous content of the comment's section. */
  readonly previous?: { readonly verdict: Verdict; readonly sha: string } | undefined;
  /** The workflow run has other suites too, so commands must name this one. */
  readonly severalSuites?: boolean | undefined;
  /** Whether the checkout has a file, by its path from the root: GitHub shows notes only on such files. */
  readonly hasFile?: ((path: string) => boolean) | undefined;
  /** Finds a path of the suite's manifest (`["gate", "rules", 0]`), with a file relative to the repository's root. */
  readonly locate?: ((path: readonly (string | number)[]) => Place) | undefined;
}

/** A suite without a run. */
export type NoRun =
  /** `changed-only`: nothing that the suite depends on differs from the base. */
  | { readonly kind: "not_affected"; readonly base: string }
  /** This event does not receive the secrets that the candidates need. */
  | {
      readonly kind: "no_secrets";
      readonly who: "fork" | "dependabot";
      readonly missing: readonly string[];
    }
  /** The manifest, or the environment, can't be used. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  /** Regrade itself failed. */
  | { readonly kind: "crashed" }
  /** The job was cancelled before there was a run. */
  | { readonly kind: "cancelled" };
