import type { PageCases, PageMetric } from "../src/model/page.ts";

/** A case's figure before and now; null if there is none. */
export interface Change {
  readonly was: number | null;
  readonly is: number | null;
}

/** The metric that a case is listed by: the one in which it broke, otherwise that of its place. */
export function listedMetric(cases: PageCases, i: number): PageMetric | undefined {
  const place = cases.places[cases.place[i] ?? 0];
  return metricOf(cases, i, cases.brokeIn[i] ?? place?.metric ?? "");
}

/** A metric of a case's task. */
export function metricOf(cases: PageCases, i: number, metric: string): PageMetric | undefined {
  const place = cases.places[cases.place[i] ?? 0];
  if (place === undefined || place.metric === metric) return place;
  return place.others.find((other) => other.metric === metric);
}

/** A case's scores in a metric. For a metric that is not its place's, only changed scores are known. */
export function scoresIn(cases: PageCases, i: number, metric: string | undefined): Change {
  const place = cases.places[cases.place[i] ?? 0];
  if (metric === undefined || place?.metric === metric)
    return { was: cases.before[i] ?? null, is: cases.now[i] ?? null };
  const changed = cases.changes[i]?.find(([id]) => id === metric);
  return { was: changed?.[1] ?? null, is: changed?.[2] ?? null };
}
