import type { JudgedMetric } from "../model/figures/judge-calibration.ts";
import type { RatedPair } from "../stats/aggregates/agreement.ts";
import { unseenBias } from "../stats/inference/judge-error.ts";
import { statistics } from "../stats/statistics.ts";

/** A sample that has a label and a score. */
export interface Labelled extends RatedPair {
  readonly candidate: string;
  readonly caseId: string;
  readonly slices: Readonly<Record<string, string>>;
}

const level = 0.95;

/**
 * The judge's bias, its score minus the people's, with a 95% interval. Samples of one case are not independent, so they
 * form a cluster. `width`: highest − lowest possible score; undefined if the metric has no range, and then equal
 * differences have no interval.
 */
export function biasOf(
  labelled: readonly Labelled[],
  width: number | undefined,
): JudgedMetric["bias"] {
  const values = labelled.map(({ judge, people }) => judge - people);
  const clusters = labelled.map(({ caseId }) => caseId);
  const cases = new Set(clusters).size;
  const { mean, interval } =
    cases === clusters.length
      ? statistics.pairedT(values, level)
      : statistics.clusterT({ values, clusters }, level);
  if (interval === undefined) return { value: mean, ci: null };
  if (interval.upper > interval.lower) return { value: mean, ci: [interval.lower, interval.upper] };
  if (width === undefined) return { value: mean, ci: null };
  const reach = unseenBias(cases, width);
  return { value: mean, ci: [mean - reach, mean + reach] };
}

/** Smallest number of labels for which a slice gets a figure. */
const fewestInSlice = 2;

/** The bias within each slice that has enough labels but not all of them, sorted by slice. */
export function biasBySlice(
  labelled: readonly Labelled[],
  width: number | undefined,
): JudgedMetric["slices"] {
  const members = new Map<string, Labelled[]>();
  for (const one of labelled)
    for (const [field, value] of Object.entries(one.slices)) {
      const slice = `${field}=${value}`;
      const known = members.get(slice);
      if (known === undefined) members.set(slice, [one]);
      else known.push(one);
    }
  return [...members]
    .filter(([, found]) => found.length >= fewestInSlice && found.length < labelled.length)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([slice, found]) => ({ slice, labels: found.length, bias: biasOf(found, width) }));
}
