/** A task and a candidate. */
export interface TaskPlace {
  readonly task: string;
  readonly candidate: string;
}

/** A metric of a task and candidate. */
export interface MetricPlace extends TaskPlace {
  readonly metric: string;
}

/** A metric that is compared, with its slice and opponent. */
export interface ComparedPlace extends MetricPlace {
  /** The candidate of the same run that is the other side; undefined: the baseline is the other side. */
  readonly against?: string | undefined;
}

/** A metric's value over all cases, or of a slice. */
export interface ValuePlace extends MetricPlace {
  /** `field=value`, or null for all cases. */
  readonly slice: string | null;
}

/** The value with the same task, candidate, metric and slice. */
export function valueAt<Value extends ValuePlace>(
  values: readonly Value[],
  { task, candidate, metric, slice }: ValuePlace,
): Value | undefined {
  return values.find(
    (value) =>
      value.task === task &&
      value.candidate === candidate &&
      value.metric === metric &&
      value.slice === slice,
  );
}
