import type { PullContext } from "../runner/context.ts";

/** A run as the API describes it. */
export interface RunFacts {
  readonly id: number;
  readonly event: string;
  readonly conclusion: string | null;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly path: string;
  readonly actor: string | undefined;
  readonly repositoryId: number;
  readonly head: { readonly id: number; readonly name: string; readonly owner: string } | undefined;
}

/** A pull request as the API describes it. */
export interface PullFacts extends Omit<PullContext, "isFork" | "labels" | "isRetargeted"> {
  readonly headRepoId: number | undefined;
  readonly baseRepoId: number;
  readonly state: string;
}

const dependabot = "dependabot[bot]";

/** The reason why a run is not reported on; undefined if it is. Pure. */
export function notReported(run: RunFacts): string | undefined {
  if (run.event !== "pull_request")
    return `The run was of the event ${run.event}, not of a pull request.`;
  if (run.conclusion !== "success" && run.conclusion !== "failure")
    return `The run ended as ${run.conclusion ?? "nothing"}: it has judged nothing.`;
  if (run.head === undefined || run.headBranch === null)
    return "The fork that the run was for is gone.";
  if (run.head.id === run.repositoryId && run.actor !== dependabot)
    return "The run was for this repository's own branch: it has told its verdict itself.";
  if (!/^\.github\/workflows\/[^/\\]+\.ya?ml$/.test(run.path))
    return `The run was of ${run.path}, which is no workflow of this repository.`;
  return undefined;
}

/**
 * The open pull requests that a run was for: same head commit, same head repository, and to this repository. The name
 * of a branch proves nothing, and a number in an artifact even less. Pure.
 */
export function matchPulls(pulls: readonly PullFacts[], run: RunFacts): readonly PullContext[] {
  return pulls
    .filter(
      (pull) =>
        pull.state === "open" &&
        pull.headSha === run.headSha &&
        pull.headRepoId !== undefined &&
        pull.headRepoId === run.head?.id &&
        pull.baseRepoId === run.repositoryId,
    )
    .map(({ number, headSha, headRef, headRepo, baseSha, baseRef, author, ...pull }) => ({
      number,
      headSha,
      headRef,
      headRepo,
      baseSha,
      baseRef,
      author,
      isFork: pull.headRepoId !== pull.baseRepoId,
      labels: [],
      isRetargeted: false,
    }));
}
