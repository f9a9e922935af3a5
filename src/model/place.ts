/** Where scores stand: a candidate's answers to a task. */
export interface TaskPlace {
  readonly task: string;
  readonly candidate: string;
}

/** Where the values of a metric stand. */
export interface MetricPlace extends TaskPlace {
  readonly metric: string;
}

/** Where a comparison stands. */
export interface ComparedPlace extends MetricPlace {
  /** The candidate of the same run that is the other side; undefined: the baseline is. */
  readonly against?: string | undefined;
}

/** Where one value stands. */
export interface ValuePlace extends MetricPlace {
  /** `field=value`, or null for all cases. */
  readonly slice: string | null;
}
