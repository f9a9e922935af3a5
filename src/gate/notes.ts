import type { Seen } from "./evaluate.ts";
import {
  candidateNote,
  countNotes,
  newTaskNote,
  noBaselineNote,
  poolNote,
  taskNotes,
} from "./remarks.ts";
import { changedFingerprints, pairCandidates, toleratedChanges, type Sides } from "./sides.ts";

/** Whether a task's scores mean the same on both sides, by task id of this run; empty without a baseline. */
export function comparableTasks({ head, baseline }: Sides): Readonly<Record<string, boolean>> {
  if (baseline.kind === "none") return {};
  return Object.fromEntries(
    Object.entries(head.tasks).map(([task, spec]) => {
      const base = baseline.tasks[task];
      return [task, base !== undefined && changedFingerprints(spec, base).length === 0];
    }),
  );
}

/** What a reader should know of the comparison: candidates, then tasks, then cases. */
export function comparisonNotes(sides: Sides, seen: Seen): readonly string[] {
  if (sides.baseline.kind === "none") return [noBaselineNote(sides.baseline.reason)];
  const { pool } = sides.baseline;
  return [
    ...(pool === undefined ? [] : [poolNote(pool.runs)]),
    ...candidateNotes(sides),
    ...Object.keys(sides.head.tasks).flatMap((task) => notesOfTask(task, sides)),
    ...seen.allCounts.flatMap(countNotes),
  ];
}

function candidateNotes(sides: Sides): readonly string[] {
  return [...pairCandidates(sides)]
    .filter(([name, base]) => name !== base)
    .map(([name, base]) => candidateNote(name, base));
}

function notesOfTask(task: string, { head, baseline }: Sides): readonly string[] {
  const here = head.tasks[task];
  const base = baseline.kind === "run" ? baseline.tasks[task] : undefined;
  if (here === undefined) return [];
  if (base === undefined) return [newTaskNote(task)];
  const regraded =
    baseline.kind === "run" ? baseline.regraded?.find((each) => each.task === task) : undefined;
  return taskNotes(task, {
    regraded,
    decisive: changedFingerprints(here, base),
    tolerated: toleratedChanges(here, base),
    repeats: [here.repeats, base.repeats],
  });
}
