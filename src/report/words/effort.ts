import type { Effort } from "../../model/figures/effort.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { figure } from "./figures.ts";
import type { MetricUnit } from "../../model/definition/metric.ts";

/** Factor against the baseline from which effort is highlighted. */
const notable = 1.5;
/** Seconds: a smaller difference may come from the machine. */
const leastSlower = 0.1;
/** Fewer cases don't represent the effort. */
const fewestCases = 5;

/**
 * Effort per case and the baseline's, for the task and candidate with the largest change: `0.17 s → 1.13 s (6.6 times),
 * 120 → 121 output tokens`. undefined if nothing was measured on both sides.
 */
export function effortWords(run: Run): string | undefined {
  const all = run.baseline?.effort ?? [];
  const [first] = all.toSorted((a, b) => growthFactor(b) - growthFactor(a));
  if (first === undefined) return undefined;
  const { task, candidate } = first;
  const own = all.filter((one) => one.task === task && one.candidate === candidate);
  const isOnly = own.length === all.length;
  const at = run.candidates.length > 1 ? `${task} · ${candidate}` : task;
  const figures = own.filter(({ baseline, value }) => baseline > 0 || value > 0).map(words);
  return figures.length === 0 ? undefined : `${isOnly ? "" : `${at}: `}${figures.join(", ")}`;
}

/** Whether the effort per case rose so much that the verdict mentions it. */
export function isDearer(run: Run): boolean {
  return (run.baseline?.effort ?? []).some(isNotable);
}

function isNotable(effort: Effort): boolean {
  const { metric, baseline, value, n } = effort;
  const isSlower = metric !== "latency_seconds" || value - baseline >= leastSlower;
  return n >= fewestCases && isSlower && growthFactor(effort) >= notable;
}

function growthFactor({ baseline, value }: Effort): number {
  if (baseline > 0) return value / baseline;
  return value > 0 ? Number.POSITIVE_INFINITY : 1;
}

const units: Readonly<
  Record<Effort["metric"], { readonly unit: MetricUnit; readonly noun: string }>
> = {
  latency_seconds: { unit: "seconds", noun: "" },
  input_tokens: { unit: "number", noun: " input tokens" },
  output_tokens: { unit: "number", noun: " output tokens" },
  usd: { unit: "usd", noun: "" },
  agent_turns: { unit: "number", noun: " turns" },
  agent_tool_calls: { unit: "number", noun: " calls of tools" },
};

function words(effort: Effort): string {
  const { metric, baseline, value } = effort;
  const { unit, noun } = units[metric];
  const times =
    isNotable(effort) && baseline > 0 ? ` (${growthFactor(effort).toFixed(1)} times)` : "";
  return `${figure(baseline, unit)} → ${figure(value, unit)}${noun}${times}`;
}
