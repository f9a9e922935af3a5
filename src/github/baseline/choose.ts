import { traitsOf } from "../runner/events.ts";

/** A workflow run as GitHub's API describes it. */
export interface WorkflowRun {
  readonly id: number;
  readonly event: string;
  readonly status: string | null;
  readonly conclusion: string | null;
  /** Only the name of a branch or a tag, of this repository or of a fork. */
  readonly headBranch: string | null;
  readonly headSha: string;
  readonly path: string;
  readonly repositoryId: number;
  /** undefined: the repository was deleted. */
  readonly headRepositoryId: number | undefined;
}

/** The history that a trusted baseline must come from. */
export interface TrustedHistory {
  /** `.github/workflows/evals.yml`. */
  readonly workflowPath: string;
  /** The base branch first. */
  readonly branches: readonly string[];
  /** The base commit, then its first parents: the former tips of the base branch. */
  readonly chain: readonly string[];
  /** Id of this run, which can't be its own baseline. */
  readonly ownRunId: string;
}

/** A run that may be trusted, with its distance from the base commit. */
export interface TrustedRun extends WorkflowRun {
  readonly distance: number;
}

/** The runs that may be trusted, the nearest first; of one commit, the newest first. Pure. */
export function chooseRuns(
  runs: readonly WorkflowRun[],
  history: TrustedHistory,
): readonly TrustedRun[] {
  const places = new Map(history.chain.map((sha, i) => [sha, i]));
  const seen = new Set<number>();
  return runs
    .flatMap((run) => {
      const distance = places.get(run.headSha);
      if (distance === undefined || seen.has(run.id) || distrust(run, history) !== undefined)
        return [];
      seen.add(run.id);
      return [{ ...run, distance }];
    })
    .toSorted((a, b) => a.distance - b.distance || b.id - a.id);
}

/** Number of the base branch's runs that ended without a verdict: cancelled, out of time, not started. Pure. */
export function endedWithout(runs: readonly WorkflowRun[], history: TrustedHistory): number {
  return runs.filter(
    ({ conclusion, ...run }) =>
      ["cancelled", "timed_out", "startup_failure"].includes(conclusion ?? "") &&
      distrust({ ...run, conclusion: "success" }, history) === undefined,
  ).length;
}

type Distrust =
  | "own_run"
  | "other_event"
  | "other_repository"
  | "other_workflow"
  | "other_branch"
  | "not_completed"
  | "no_verdict"
  | "no_ancestor";

/** The reason why a run can't be a baseline; undefined if it can. Pure. */
export function distrust(run: WorkflowRun, history: TrustedHistory): Distrust | undefined {
  if (String(run.id) === history.ownRunId) return "own_run";
  if (traitsOf(run.event).baselines === undefined) return "other_event";
  // A branch of a fork may be called `main`, too.
  if (run.headRepositoryId === undefined || run.headRepositoryId !== run.repositoryId)
    return "other_repository";
  if (pathOf(run.path) !== history.workflowPath) return "other_workflow";
  if (!isOfBranch(run, history.branches)) return "other_branch";
  if (run.status !== "completed") return "not_completed";
  // The gate's "fail" is a verdict, too: the base branch is a baseline whatever its verdict was.
  if (run.conclusion !== "success" && run.conclusion !== "failure") return "no_verdict";
  // A tag may be called `main`, and pushing it gives its name as the branch. So only commits that were the branch's tip
  // count.
  return history.chain.includes(run.headSha) ? undefined : "no_ancestor";
}

/** Removes the ref from a path such as `.github/workflows/evals.yml@refs/heads/main`. */
export function pathOf(path: string): string {
  return path.split("@", 1)[0] ?? "";
}

function isOfBranch({ event, headBranch }: WorkflowRun, branches: readonly string[]): boolean {
  if (headBranch === null) return false;
  const { prefixOf } = traitsOf(event).baselines ?? {};
  if (prefixOf === undefined) return branches.includes(headBranch);
  return branches.some((branch) => headBranch.startsWith(prefixOf(branch)));
}

/** An artifact as GitHub's API describes it. */
export interface ArtifactFacts {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly expired: boolean;
  /** `sha256:…` of the zip; undefined if GitHub has none. */
  readonly digest: string | undefined;
  readonly runId: number | undefined;
  /** The commit that the artifact's run was for. */
  readonly headSha: string | undefined;
  /** True if the artifact's run belongs to the repository itself, not to a fork. */
  readonly isOwn: boolean;
}

/** The latest artifact of a name that has not expired; a re-run leaves the old one listed. Pure. */
export function chooseArtifact(
  artifacts: readonly ArtifactFacts[],
  name: string,
): ArtifactFacts | undefined {
  return artifacts
    .filter((one) => one.name === name && !one.expired)
    .toSorted((a, b) => b.id - a.id)[0];
}
