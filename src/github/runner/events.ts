import { ownValue } from "../../model/own-value.ts";
/** Traits of an event that starts a workflow. An event without a row has none of them. */
interface EventTraits {
  /** The event brings a change, which the base's policy judges; other events bring accepted commits. */
  readonly bringsChange?: true;
  /** Path in the payload to the commit that the change starts from. */
  readonly basePath?: readonly string[];
  /** GITHUB_SHA is the merge of the change into its base. */
  readonly isMerged?: true;
  /** For forks and Dependabot the token is read-only, whatever the workflow says. */
  readonly readsOnly?: true;
  /** The run is compared with the branch's previous state; other events with the last run. */
  readonly followsBefore?: true;
  /** The run may reuse an earlier run with the same inputs. */
  readonly mayReuse?: true;
  /** Its runs process only the branch's own content, and may be baselines. */
  readonly baselines?: BaselineRuns;
}

interface BaselineRuns {
  /** The branches whose runs are listed, by base branch and default branch; undefined: all branches at once. */
  readonly listedOf: (
    base: string | undefined,
    further: readonly string[],
  ) => readonly (string | undefined)[];
  /** Prefix of a branch's name, if the run is not on the branch itself. */
  readonly prefixOf?: (branch: string) => string;
}

const pull = { bringsChange: true, basePath: ["pull_request", "base", "sha"] } as const;

/**
 * The events that can start a workflow with Regrade. A new event is a row here; if its payload describes a change in
 * its own way, context.ts reads that. Runs of pull_request_target, workflow_run and issue_comment are no baselines:
 * they have the name of the default branch, but may process a stranger's data.
 */
export const events: Readonly<Record<string, EventTraits>> = {
  pull_request: { ...pull, isMerged: true, readsOnly: true },
  pull_request_target: pull,
  pull_request_review: { ...pull, isMerged: true, readsOnly: true },
  pull_request_review_comment: { ...pull, isMerged: true, readsOnly: true },
  merge_group: {
    bringsChange: true,
    basePath: ["merge_group", "base_sha"],
    // A queue's branches are called `gh-readonly-queue/main/pr-7-<sha>`; a merged group is on the branch itself.
    baselines: {
      listedOf: () => [undefined],
      prefixOf: queuePrefix,
    },
  },
  schedule: { baselines: { listedOf: (base, [further]) => [further ?? base] } },
  workflow_dispatch: { baselines: { listedOf: (base) => [base] } },
  push: {
    basePath: ["before"],
    followsBefore: true,
    mayReuse: true,
    baselines: { listedOf: (base, further) => [base, ...further] },
  },
};

/** The traits of an event; none for an unknown event. */
export function traitsOf(event: string): EventTraits {
  return ownValue(events, event) ?? {};
}

function queuePrefix(branch: string): string {
  return `gh-readonly-queue/${branch}/`;
}

/** The pull request that a queue's branch is named after: `refs/heads/gh-readonly-queue/main/pr-7-<sha>`. */
export function queuedPull(ref: string | undefined, baseRef: string): number | undefined {
  const start = `refs/heads/${queuePrefix(baseRef)}`;
  if (ref?.startsWith(start) !== true) return undefined;
  const number = /^pr-(\d{1,15})-[0-9a-f]+$/.exec(ref.slice(start.length))?.[1];
  return number === undefined ? undefined : Number(number);
}
