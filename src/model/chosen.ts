import type { Run } from "./run.ts";

/** How many cases of each task were chosen; undefined where all were. A task that was cut down was cut down to as many. */
export function chosenSamples({ suite }: Run): number | undefined {
  const { cases = [] } = suite.not_selected;
  return cases.length === 0 ? undefined : Math.max(...cases.map(({ selected }) => selected));
}
