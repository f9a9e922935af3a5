import { Refusal } from "../model/refusal.ts";
import type { ResultMetric } from "../model/results.ts";
import type { Scores } from "../model/outcomes/sample.ts";
import { inMetricOrder, missingMetric } from "./metric-names.ts";

/** The metrics of a tool's file, gathered while its rows are read. */
export interface ToolMetrics {
  /** Selects the requested scores of a row. */
  readonly take: (scores: Scores, known?: KnownMetric) => Scores;
  /** Throws a Refusal if no row has a requested metric. */
  readonly list: () => readonly ResultMetric[];
}

/** A tool's description of a metric; undefined if it has none. */
export type KnownMetric = (id: string) => Partial<ResultMetric> | undefined;

/** An empty collection. `first`: the tool's main metrics, which go before the others. */
export function createToolMetrics(
  file: string,
  wanted: readonly string[],
  first: readonly string[] = [],
): ToolMetrics {
  const seen = new Map<string, ResultMetric>();
  return {
    take: (scores, known) => {
      for (const id of Object.keys(scores)) {
        if (seen.has(id)) continue;
        seen.set(id, { range: null, direction: "higher_is_better", ...known?.(id), id });
      }
      if (wanted.length === 0) return scores;
      return Object.fromEntries(Object.entries(scores).filter(([id]) => wanted.includes(id)));
    },
    list: () => {
      if (wanted.length === 0) return inMetricOrder([...seen.values()], first);
      const known = [...seen.keys()];
      const missing = known.length === 0 ? [] : wanted.filter((id) => !seen.has(id));
      if (missing.length === 0)
        return wanted.flatMap((id) => {
          const metric = seen.get(id);
          return metric === undefined ? [] : [metric];
        });
      throw new Refusal(missing.map((metric) => missingMetric(metric, known, { file })));
    },
  };
}
