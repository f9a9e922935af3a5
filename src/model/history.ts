import type { ValuePlace } from "./place.ts";
import type { Fingerprint, Run } from "./run.ts";

/** Metric values that a run passes on to later runs. */
export interface HistoryPoint {
  readonly sha: string | null;
  /** When it ended. Points of earlier versions don't have it. */
  readonly at?: string;
  /** A mark for each task: scores with the same mark can be compared. Points of earlier versions don't have it. */
  readonly meaning?: Readonly<Record<string, string>>;
  readonly values: readonly HistoryValue[];
}

/** A metric over all cases, or of a slice that a rule names. */
interface HistoryValue extends ValuePlace {
  readonly value: number;
}

/** Runs that a run hands on to those after it: so many a trend shows. */
const historyKept = 30;
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
  const point: HistoryPoint = {
    sha: run.git.sha,
    at: run.completed_at,
    meaning: meaningOf(run),
    values: values.slice(0, valuesKept),
  };
  return [...(run.baseline?.history ?? []), point].slice(-historyKept);
}

/** One string for a metric of a candidate, and slice. */
export function historyKey({ task, candidate, metric, slice }: ValuePlace): string {
  return JSON.stringify([task, candidate, metric, slice]);
}

/** A mark for each task: what its scores mean. */
export function meaningOf({ suite }: Run): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(suite.tasks).map(([task, { fingerprint }]) => [task, markOf(fingerprint)]),
  );
}

const markLength = 12;

/** The prompt is what is judged, and no part of it. */
function markOf({ dataset, preprocess, extraction, grader, judge }: Fingerprint): string {
  return [dataset, preprocess, extraction, grader, judge]
    .map((hash) => (hash ?? "-").replace(/^sha256:/, "").slice(0, markLength))
    .join(".");
}

/** Data by which breaks are found. */
interface Marked {
  readonly meaning?: HistoryPoint["meaning"] | undefined;
}

/**
 * The points before which a task's scores came to mean something else, by their number. Marks that are not known, as of
 * runs of earlier versions, break nothing.
 */
export function breaksIn(points: readonly Marked[], task: string): readonly number[] {
  const breaks: number[] = [];
  let last: string | undefined;
  for (const [i, { meaning }] of points.entries()) {
    const mark = meaning?.[task];
    if (mark !== undefined && last !== undefined && mark !== last) breaks.push(i);
    last = mark ?? last;
  }
  return breaks;
}
