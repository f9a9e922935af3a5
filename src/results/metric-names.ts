import { nearest } from "../base/nearest.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import { metricId } from "./metric-id.ts";

/** The problem of a metric that no row has: the closest name, and the available ones. */
export function missingMetric(metric: string, known: readonly string[], place: Place): Problem {
  const meant = nearest(metric, known) ?? nearest(metricId(metric), known);
  return problem("results_metric_missing", { metric, known: listed(known), nearest: meant }, place);
}

/** Limit of names in a message. */
const namedAtMost = 10;

function listed(names: readonly string[]): readonly string[] {
  const sorted = names.toSorted();
  const more = sorted.length - namedAtMost;
  return more <= 0 ? sorted : [...sorted.slice(0, namedAtMost), `and ${more} more`];
}

/**
 * Sorts metrics in an order that does not depend on the rows: the tool's main ones first, the others by name. The first
 * one is judged unless another is named, so a change must not choose it by the order of its rows.
 */
export function inMetricOrder<Metric extends { readonly id: string }>(
  metrics: readonly Metric[],
  first: readonly string[],
): readonly Metric[] {
  const rank = ({ id }: Metric): number => (first.includes(id) ? first.indexOf(id) : first.length);
  return metrics.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}
