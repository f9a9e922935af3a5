import type { ValuePlace } from "./place.ts";
import type { Run } from "./run.ts";

/** Metric values that a run passes on to later runs. */
export interface HistoryPoint {
  readonly sha: string | null;
  readonly values: readonly HistoryValue[];
}

/** A metric over all cases, or of a slice that a rule names. */
interface HistoryValue extends ValuePlace {
  readonly value: number;
}

/** Runs that a run hands on to those after it; a sparkline shows as many. */
const historyKept = 10;
const valuesKept = 100;

/**
 * History for runs that use this run as their baseline: the history of its own baseline, and its own values. So one
 * baseline brings the history of many runs.
 */
export function historyOf(run: Run): readonly HistoryPoint[] {
  const named = new Set(run.gate.rules.map(historyKey));
  const values = run.metrics.flatMap(({ task, candidate, metric, slice, value }) => {
    const of = { task, candidate, metric, slice };
    const isKept = value !== null && (slice === null || named.has(historyKey(of)));
    return isKept ? [{ ...of, value }] : [];
  });
  const point: HistoryPoint = { sha: run.git.sha, values: values.slice(0, valuesKept) };
  return [...(run.baseline?.history ?? []), point].slice(-historyKept);
}

/** One string for a metric of a candidate, and slice. */
export function historyKey({ task, candidate, metric, slice }: ValuePlace): string {
  return JSON.stringify([task, candidate, metric, slice]);
}
