import type { Run } from "./run.ts";

/** Number of cases chosen per task by `max_samples`; undefined if all cases run. Every reduced task has this number. */
export function chosenSamples({ suite }: Run): number | undefined {
  const drawn = (suite.not_selected.cases ?? []).filter(({ only }) => only === undefined);
  return drawn.length === 0 ? undefined : Math.max(...drawn.map(({ selected }) => selected));
}

/** The globs that chose a run's cases by name; empty if all cases run. */
export function chosenCases({ suite }: Run): readonly string[] {
  return [...new Set((suite.not_selected.cases ?? []).flatMap(({ only = [] }) => only))];
}

/**
 * True for a completed run that has all cases of a new one. `drawn`: number of cases per task that the new run draws;
 * undefined: all.
 */
export function canBeBaseline(run: Run, drawn: number | undefined): boolean {
  const { tasks, candidates } = run.suite.not_selected;
  const isWhole = tasks.length + candidates.length + chosenCases(run).length === 0;
  if (run.status !== "completed" || run.shard !== undefined || !isWhole) return false;
  const has = chosenSamples(run) ?? Infinity;
  return has >= (drawn ?? Infinity);
}
