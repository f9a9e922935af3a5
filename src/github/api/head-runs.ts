/** A run of this workflow for a pull request's head, as GitHub describes it. */
export interface HeadRun {
  readonly id: number;
  readonly attempt: number;
  readonly event: string;
  readonly status: string | null;
  readonly conclusion: string | null;
  readonly headSha: string;
  readonly path: string;
  readonly isOwnRepository: boolean;
  /** ISO 8601: start of the latest attempt. */
  readonly startedAt: string;
}

export type LastRun =
  | { readonly kind: "found"; readonly run: HeadRun }
  /** The reason, as a clause. */
  | { readonly kind: "none"; readonly reason: string };

export interface HeadAsked {
  readonly headSha: string;
  readonly workflowPath: string;
  readonly ownRunId: string;
}

/**
 * The run whose verdict counts for a commit: the last one started, if all runs of the commit have ended. A cancelled or
 * unfinished run might have had another verdict. Pure.
 */
export function chooseLastRun(
  runs: readonly HeadRun[],
  { headSha, workflowPath, ownRunId }: HeadAsked,
): LastRun {
  const same = runs.filter(
    (run) =>
      run.event === "pull_request" &&
      run.isOwnRepository &&
      run.headSha === headSha &&
      run.path.split("@", 1)[0] === workflowPath &&
      String(run.id) !== ownRunId,
  );
  if (same.some(({ status }) => status !== "completed"))
    return noLastRun("another run for this commit has not ended yet");
  const [last] = same.toSorted((a, b) => time(b) - time(a) || b.id - a.id);
  if (last === undefined) return noLastRun("there is no earlier run for this commit");
  if (!Number.isFinite(time(last)))
    return noLastRun("GitHub does not say when the earlier run began");
  if (last.conclusion !== "success" && last.conclusion !== "failure")
    return noLastRun(`the last run for this commit ended as ${last.conclusion ?? "nothing"}`);
  return { kind: "found", run: last };
}

export function noLastRun(reason: string): LastRun {
  return { kind: "none", reason };
}

/** Start of a run. A time that can't be read counts as the latest, so that such a run is not skipped. */
function time({ startedAt }: HeadRun): number {
  const at = Date.parse(startedAt);
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at;
}
