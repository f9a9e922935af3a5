import type { Run } from "./run.ts";

/** How many cases of each task were chosen; undefined where all were. A task that was cut down was cut down to as many. */
export function chosenSamples({ suite }: Run): number | undefined {
  const drawn = (suite.not_selected.cases ?? []).filter(({ only }) => only === undefined);
  return drawn.length === 0 ? undefined : Math.max(...drawn.map(({ selected }) => selected));
}

/** The globs that chose a run's cases by name; none: none were chosen so. */
export function chosenCases({ suite }: Run): readonly string[] {
  return [...new Set((suite.not_selected.cases ?? []).flatMap(({ only = [] }) => only))];
}
