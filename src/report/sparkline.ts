import { breaksIn, historyKey, type HistoryPoint } from "../model/outcomes/history.ts";
import type { RunBaseline } from "../model/outcomes/run.ts";
import type { RuleResult } from "../model/outcomes/rule-result.ts";
import type { MetricUnit } from "../model/definition/metric.ts";

const bars = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/**
 * Values as bars of eight heights, with a dot for a missing value. One scale covers all values, but it is never so
 * narrow that small variations look like a fall.
 */
function sparkline(values: readonly (number | undefined)[], unit: MetricUnit): string {
  const known = values.filter((value) => value !== undefined);
  const low = Math.min(...known);
  const high = Math.max(...known);
  const span = Math.max(high - low, narrowest(high, low, unit));
  const middle = (high + low) / 2;
  const top = bars.length - 1;
  const height = (value: number): number => Math.round(((value - middle) / span + 0.5) * top);
  return values.map((value) => (value === undefined ? "·" : bars[height(value)])).join("");
}

/** The smallest height of the scale: 10 percentage points; for other metrics a tenth of their size. */
function narrowest(high: number, low: number, unit: MetricUnit): number {
  if (unit === "share") return 0.1;
  return Math.max(Math.abs(high), Math.abs(low)) / 10 || 1;
}

/** Number of runs of the base branch in a sparkline. */
export const runsDrawn = 10;

/** Marks the point from which on the scores have another meaning. */
export const breakMark = "╎";

/** A sparkline of the base branch's last runs and this one; empty if fewer than two of them have the metric. */
export function trendOf(rule: RuleResult, { history: all, unit, meaning }: TrendInput): string {
  const history = all?.slice(-runsDrawn);
  // A `must_pass` rule has no mean that could be compared with earlier runs' values of the metric.
  if (history === undefined || rule.value === null || rule.kind === "must_pass") return "";
  const place = historyKey(rule);
  const before = history.map(
    ({ values }) => values.find((value) => historyKey(value) === place)?.value,
  );
  if (before.filter((value) => value !== undefined).length < 2) return "";
  const line = Array.from(sparkline([...before, rule.value], unit));
  const breaks = breaksIn([...history, { meaning }], rule.task);
  const drawn = line.map((bar, i) => (breaks.includes(i) ? `${breakMark}${bar}` : bar));
  return `${drawn.slice(0, -1).join("")} ${drawn.at(-1) ?? ""}`;
}

interface TrendInput {
  readonly history: RunBaseline["history"];
  readonly unit: MetricUnit;
  /** This run's marks, by task. */
  readonly meaning?: HistoryPoint["meaning"];
}
