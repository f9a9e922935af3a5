import { aggregations, type Aggregation } from "./aggregations.ts";
import type { SampleDigest } from "../outcomes/sample.ts";
import type { MetricSpec, ScoreReading } from "./suite.ts";

/** Unit in which a metric's numbers are written. `share`: the metric's range is [0, 1]. */
export type MetricUnit = "share" | "seconds" | "usd" | "number";

/** Id of the weighted score of several graders. */
export const weightedId = "score";

/** Metrics of every sample that need no grader. Rules may name them; the default rule never does. */
export const sampleMetricIds = [
  "latency_seconds",
  "input_tokens",
  "output_tokens",
  "usd",
  "agent_turns",
  "agent_tool_calls",
] as const;

export type SampleMetricId = (typeof sampleMetricIds)[number];

/** Measurements of a sample. Unknown ones are absent: a command has no tokens, for example. */
export type Measured = Readonly<Partial<Record<SampleMetricId, number>>>;

const descriptions: Readonly<Record<SampleMetricId, string>> = {
  latency_seconds: "Seconds to the answer; of one from the cache, what it took when it was given.",
  input_tokens: "Tokens of the prompt.",
  output_tokens: "Tokens of the answer, reasoning included.",
  usd: "US dollars, where the price is known.",
  agent_turns: "Turns of an agent: answers of its model, calls of tools among them.",
  agent_tool_calls: "Calls of tools by an agent.",
};

/** The built-in sample metrics: lower is better for all of them, and none has an upper limit. */
export const sampleMetrics: readonly MetricSpec[] = sampleMetricIds.map((id) => ({
  id,
  aggregation: "mean",
  higher_is_better: false,
  range: null,
  scale: "graded",
  description: descriptions[id],
}));

const known: ReadonlySet<string> = new Set(sampleMetricIds);

/** True for an id that Regrade measures itself. */
export function isSampleMetric(id: string): id is SampleMetricId {
  return known.has(id);
}

/** True for an id that a manifest may declare, and rules may name. */
export function isMetricId(id: string): boolean {
  return /^[A-Za-z0-9_.-]+$/.test(id);
}

/** True if a task declares no metric of its grader: then every metric that a batch grader returns counts. */
export function isOpen(declared: readonly MetricSpec[]): boolean {
  return declared.every(({ id }) => isSampleMetric(id));
}

/** A task's own metrics, then the built-in ones that it does not declare. */
export function withSampleMetrics(own: readonly MetricSpec[]): readonly MetricSpec[] {
  return [...own, ...sampleMetrics.filter(({ id }) => !own.some((metric) => metric.id === id))];
}

/** Measurements from a sample's digest. `recorded`: the answer is a recording, so there is no latency. */
export function measuredOf({ usage, latencyMs, agent }: SampleDigest, recorded: boolean): Measured {
  return {
    ...(latencyMs !== null && !recorded && { latency_seconds: Math.round(latencyMs) / 1000 }),
    ...(usage !== null && { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens }),
    ...(typeof usage?.usd === "number" && { usd: usage.usd }),
    ...(agent && { agent_turns: agent.turns, agent_tool_calls: agent.toolCalls }),
  };
}

/** A metric that has a value. */
export type AggregatedMetric = MetricSpec & { readonly aggregation: Aggregation };

/** False for a metric whose scores are stored but not combined to a value. */
export function isAggregated<M extends MetricSpec>(
  metric: M,
): metric is M & { readonly aggregation: Aggregation } {
  return metric.aggregation !== "none";
}

/** True if a reducer counts passed repeats: its results lie between 0 and 1. */
export function countsPasses({ reducer }: ScoreReading): boolean {
  switch (reducer?.kind) {
    case "pass_at_k":
    case "pass_hat_k":
    case "at_least_k":
      return true;
    case "mean":
    case "mode":
    case "max":
    case undefined:
      return false;
  }
}

/** Range of a metric's value, if known: a sum or a spread can leave the range of the scores. */
export function valueRange(metric: ScoreReading): MetricSpec["range"] {
  const { aggregation } = metric;
  if (aggregation !== "none" && !aggregations[aggregation].keepsRange) return null;
  return countsPasses(metric) ? [0, 1] : metric.range;
}

/** True for an allowed drop or rise that is larger than the range: no change can be as large, so it never blocks. */
export function exceedsSpan(limit: number, [low, high]: readonly [number, number]): boolean {
  // 0.3 - 0.1 is a little less than 0.2.
  return limit > high - low + 1e-9;
}

/** True for the range [0, 1]: such figures are shown as percentages. */
export function isShare(range: MetricSpec["range"]): boolean {
  return range?.[0] === 0 && range[1] === 1;
}

/**
 * True if a case of a 0/1 metric has the score 0 or 1 over this number of repeats: with one repeat, and with reducers
 * that choose one of the scores or count to k.
 */
export function keepsBits({ reducer }: MetricSpec, repeats: number): boolean {
  if (repeats === 1) return true;
  switch (reducer?.kind) {
    case "mode":
      // Two scores that occur equally often give their mean.
      return repeats % 2 === 1;
    case "max":
    case "at_least_k":
      return true;
    case "pass_at_k":
    case "pass_hat_k":
      return reducer.k === repeats;
    case "mean":
    case undefined:
      return false;
  }
}
