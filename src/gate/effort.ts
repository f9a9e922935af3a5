import type { Effort } from "../model/effort.ts";
import { isSampleMetric } from "../model/metric.ts";
import type { Statistics } from "../model/statistics.ts";
import type { Place } from "./measure.ts";

/** What a case took on both sides, on average, in each metric that both measured. */
export function compareEffort(places: readonly Place[], statistics: Statistics): readonly Effort[] {
  return places.flatMap((place): readonly Effort[] => {
    const { spot, metric } = place;
    const { id } = metric;
    if (!isSampleMetric(id) || !isMeasured(place)) return [];
    const pairs = place.pairs();
    if ("kind" in pairs || pairs.before.length === 0) return [];
    const [baseline, value] = [statistics.mean(pairs.before), statistics.mean(pairs.after)];
    const at = { task: spot.task, candidate: spot.candidate, metric: id };
    return [{ ...at, baseline, value, n: pairs.before.length }];
  });
}

function isMeasured({ spot: { cases, counterpart }, metric: { id } }: Place): boolean {
  return cases.group.hasAny(id) && counterpart.kind === "run" && counterpart.cases.group.hasAny(id);
}
