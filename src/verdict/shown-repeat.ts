import { ownValue } from "../model/own-value.ts";
import type { MetricValue } from "../model/outcomes/run.ts";
import type { Sample } from "../model/outcomes/sample.ts";

/**
 * Decides which repeat is shown: the worst of the new ones and the best of the earlier ones, so that they differ like
 * the scores.
 */
type Side = "now" | "before";

/** The sample of each case that a report shows. */
interface ShownRepeats {
  readonly take: (key: string, sample: Sample, by: { metric: string; side: Side }) => void;
  readonly get: (key: string) => Sample | undefined;
}

/** A selection without samples. `metrics`: those of the run, which tell whether higher is better. */
export function createShownRepeats(metrics: readonly MetricValue[]): ShownRepeats {
  const found = new Map<string, Sample>();
  const merit = (sample: Sample, metric: string): number => {
    const score = sample.error === null ? ownValue(sample.scores, metric) : undefined;
    if (score === undefined) return Number.NEGATIVE_INFINITY;
    const isUp = metrics.find(({ task, metric: id }) => task === sample.task_id && id === metric);
    return isUp?.higher_is_better === false ? -score : score;
  };
  return {
    take: (key, sample, { metric, side }) => {
      const known = found.get(key);
      if (known === undefined) return void found.set(key, sample);
      const gain = merit(sample, metric) - merit(known, metric);
      const isEqual = Number.isNaN(gain) || gain === 0;
      // The choice must not depend on the order in which samples end.
      const isFitter = isEqual ? sample.repeat < known.repeat : gain < 0 === (side === "now");
      if (isFitter) found.set(key, sample);
    },
    get: (key) => found.get(key),
  };
}
