import type { ComparisonNote } from "../model/remark.ts";
import type { RunTask } from "../model/run.ts";
import type { Seen } from "./evaluate.ts";
import { changedFingerprints, pairCandidates, toleratedChanges, type Sides } from "./sides.ts";

/** Whether a task's scores mean the same on both sides, by task id of this run; empty without a baseline. */
export function comparableTasks({ head, baseline }: Sides): Readonly<Record<string, boolean>> {
  if (baseline.kind === "none") return {};
  return Object.fromEntries(
    Object.entries(head.tasks).map(([task, spec]) => {
      const base = baseline.tasks[task];
      return [
        task,
        base !== undefined && changedFingerprints(spec.fingerprint, base.fingerprint).length === 0,
      ];
    }),
  );
}

/** What a reader should know of the comparison: candidates, then tasks, then cases. */
export function comparisonNotes(sides: Sides, { allCounts }: Seen): readonly ComparisonNote[] {
  const { baseline, head } = sides;
  if (baseline.kind === "none") return [{ kind: "no_baseline", reason: baseline.reason }];
  const { pool } = baseline;
  return [
    ...(pool === undefined ? [] : [{ kind: "pool" as const, runs: pool.runs }]),
    ...candidateNotes(sides),
    ...Object.entries(head.tasks).map(([task, here]) => noteOfTask(task, here, baseline)),
    ...allCounts.map((counts) => ({ kind: "cases" as const, counts })),
  ];
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
  const base = tasks[task];
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
