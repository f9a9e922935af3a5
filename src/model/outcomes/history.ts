import type { ValuePlace } from "../place.ts";
import type { Fingerprint, Run } from "./run.ts";

/** Metric values that a run passes on to later runs. */
export interface HistoryPoint {
  readonly sha: string | null;
  /** When it ended. Points of earlier versions don't have it. */
  readonly at?: string;
  /**
   * An identity of the scores' meaning, by task: scores with the same mark can be compared. Points of earlier versions
   * don't have it.
   */
  readonly meaning?: Readonly<Record<string, string>>;
  readonly values: readonly HistoryValue[];
}

/** A metric's value over all cases, or for a slice that a rule names. */
interface HistoryValue extends ValuePlace {
  readonly value: number;
}

/** Number of runs that a run passes on to later ones: a trend shows as many. */
const historyKept = 30;
const valuesKept = 100;

/**
 * The history for runs that use this run as their baseline: the history of its own baseline, and its own values. In
 * this way one baseline brings the history of many runs.
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

/** A mark for each task that identifies the meaning of its scores. */
export function meaningOf({ suite }: Run): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(suite.tasks).map(([task, { fingerprint }]) => [task, markOf(fingerprint)]),
  );
}

const markLength = 12;

/** The prompt is not part of it, because the prompt is what is judged. */
function markOf({ dataset, preprocess, extraction, grader, judge }: Fingerprint): string {
  return [dataset, preprocess, extraction, grader, judge]
    .map((hash) => (hash ?? "-").replace(/^sha256:/, "").slice(0, markLength))
    .join(".");
}

/** The parts of a point that show breaks. */
interface Marked {
  readonly meaning?: HistoryPoint["meaning"] | undefined;
}

/**
 * Indexes of the points from which on a task's scores have another meaning. An unknown mark, as in runs of earlier
 * versions, is no break.
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
