import type { LabelledPull } from "./merge-group.ts";

/** An event of a pull request, with the facts that matter for an approval. */
export interface TimelineEvent {
  readonly event: string;
  /** ISO 8601. */
  readonly at: string;
  readonly label: string | undefined;
  readonly actor: string | undefined;
  readonly isPerson: boolean;
}

/** A workflow run for a pull request. */
export interface PullRun {
  readonly headSha: string;
  /** `owner/name`. */
  readonly headRepo: string | undefined;
  /** ISO 8601: when the run was created, whichever attempt is its latest. */
  readonly createdAt: string;
}

/** A person who added a label in time. Whether they have write access is not checked yet. */
type Labelled =
  | { readonly kind: "labelled"; readonly by: string; readonly at: string }
  /** A sentence for the log. */
  | { readonly kind: "not"; readonly reason: string };

/**
 * True if a label counts for the judged commit: it exists, and a person added it after the first run for this commit
 * had started, with no push since. Pure.
 */
export function readLabel(
  label: string,
  timeline: readonly TimelineEvent[],
  began: string | undefined,
): Labelled {
  const same = timeline.filter(
    (one) => isLabelling(one) && one.label?.toLowerCase() === label.toLowerCase(),
  );
  const last = same.at(-1);
  const not = (why: string): Labelled => ({ kind: "not", reason: `The label '${label}' ${why}` });
  if (last === undefined || last.event === "unlabeled") return not("is not on the pull request.");
  if (last.actor === undefined || !last.isPerson) return not("was not put on by a person.");
  if (began === undefined) return not("can't count: the first run for this commit is not known.");
  const again = "Take it off and put it on again, when the change has been looked at.";
  if (!(Date.parse(last.at) > Date.parse(began)))
    return not(`was put on before the last push: it was for another commit. ${again}`);
  const moved = timeline.some(
    (one) => movesHead.includes(one.event) && !(Date.parse(one.at) < Date.parse(last.at)),
  );
  if (moved) return not(`was put on before the branch was moved. ${again}`);
  return { kind: "labelled", by: last.actor, at: last.at };
}

function isLabelling({ event }: TimelineEvent): boolean {
  return event === "labeled" || event === "unlabeled";
}

/**
 * Events that make a label count no more. A branch can be moved back to a commit that had its first run long ago, and
 * with another base the change is a different one.
 */
const movesHead = [
  "head_ref_force_pushed",
  "head_ref_deleted",
  "head_ref_restored",
  "base_ref_changed",
  "automatic_base_change_succeeded",
];

/**
 * When the first run for the head commit began. Only the latest uninterrupted series of runs for the commit counts, so
 * that a commit that the branch had before, and has again, starts anew. `runs`: the newest first. Pure.
 */
export function beganAt(
  runs: readonly PullRun[],
  { headSha, headRepo }: Pick<LabelledPull, "headSha" | "headRepo">,
): string | undefined {
  let began: string | undefined;
  for (const run of runs.filter((one) => one.headRepo === headRepo && headRepo !== undefined)) {
    if (run.headSha !== headSha) break;
    began = run.createdAt;
  }
  return began;
}
