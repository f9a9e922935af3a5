import { ownValue } from "../model/own-value.ts";
import type { ComparisonNote, PoolWorth } from "../model/outcomes/remark.ts";
import type { RunTask } from "../model/outcomes/run.ts";
import type { Statistics } from "../model/figures/statistics.ts";
import type { Seen } from "./evaluate.ts";
import {
  changedFingerprints,
  pairCandidates,
  toleratedChanges,
  type Sides,
} from "./pairing/sides.ts";

/** True for each task whose scores mean the same on both sides, by task id of this run; empty without a baseline. */
export function comparableTasks({ head, baseline }: Sides): Readonly<Record<string, boolean>> {
  if (baseline.kind === "none") return {};
  return Object.fromEntries(
    Object.entries(head.tasks).map(([task, spec]) => {
      const base = ownValue(baseline.tasks, task);
      return [
        task,
        base !== undefined && changedFingerprints(spec.fingerprint, base.fingerprint).length === 0,
      ];
    }),
  );
}

/** Notes about the comparison for readers: candidates, then tasks, then cases. */
export function comparisonNotes(
  sides: Sides,
  { allCounts, results }: Seen,
  statistics: Statistics,
): readonly ComparisonNote[] {
  const { baseline, head } = sides;
  if (baseline.kind === "none") return [{ kind: "no_baseline", reason: baseline.reason }];
  const { pool } = baseline;
  const worth = pool && worthOfPool(pool.runs, results, statistics);
  return [
    ...(pool === undefined ? [] : [{ kind: "pool" as const, runs: pool.runs, worth }]),
    ...candidateNotes(sides),
    ...Object.entries(head.tasks).map(([task, here]) => noteOfTask(task, here, baseline)),
    ...allCounts.map((counts) => ({ kind: "cases" as const, counts })),
  ];
}

/**
 * Gain of pooling twice as many runs, for the first blocking rule that has to prove a drop. A difference from the mean
 * of M runs has 1 + 1/M times the noise of this run.
 */
function worthOfPool(
  runs: number,
  results: Seen["results"],
  { smallestDrop }: Statistics,
): PoolWorth | undefined {
  const rule = results.find(
    ({ level, prove, against, mde }) =>
      level === "block" && prove === "drop" && against === undefined && mde !== null,
  );
  if (rule?.noise === undefined || rule.mde === null || rule.why.kind !== "measured")
    return undefined;
  const { task, metric, mde, noise, why } = rule;
  const variance = (noise.variance * (1 + 1 / (2 * runs))) / (1 + 1 / runs);
  const doubled = smallestDrop({ ...noise, variance }, why.alpha / why.family);
  return doubled === undefined ? undefined : { task, metric, range: why.range, mde, doubled };
}

function candidateNotes(sides: Sides): readonly ComparisonNote[] {
  return [...pairCandidates(sides)]
    .filter(([head, base]) => head !== base)
    .map(([head, base]) => ({ kind: "candidate", head, base }));
}

function noteOfTask(
  task: string,
  here: RunTask,
  { tasks, regraded = [] }: Extract<Sides["baseline"], { readonly kind: "run" }>,
): ComparisonNote {
  const base = ownValue(tasks, task);
  if (base === undefined) return { kind: "new_task", task };
  return {
    kind: "task",
    task,
    decisive: changedFingerprints(here.fingerprint, base.fingerprint),
    tolerated: toleratedChanges(here, base),
    repeats: [here.repeats, base.repeats],
    regraded: regraded.find((each) => each.task === task),
  };
}
