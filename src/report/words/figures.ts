import { ownValue } from "../../model/own-value.ts";
import { groupedDigits, plural } from "../../model/number-words.ts";
import { isShare, type MetricUnit } from "../../model/definition/metric.ts";
import type { Run, RunUsage } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";

export type MetricName = Pick<RuleResult, "task" | "metric">;

/** The unit of a metric, from the task's declaration and the run's result. */
export function unitOf(run: Run, { task, metric }: MetricName): MetricUnit {
  const found = run.metrics.find((value) => value.task === task && value.metric === metric);
  const declared = ownValue(run.suite.tasks, task)?.metrics.find((spec) => spec.id === metric);
  // A sum or a spread has no range in the run, even if the scores have one.
  return metricUnit(metric, (found === undefined ? declared?.range : found.range) ?? null);
}

/** The unit of a metric by the range of its values. */
export function metricUnit(metric: string, range: MetricSpec["range"]): MetricUnit {
  if (metric.endsWith("_seconds")) return "seconds";
  if (metric === "usd") return "usd";
  return isShare(range) ? "share" : "number";
}

/** `83.8%`, `1.24 s`, `$0.0118`, `0.871`. */
export function figure(value: number, unit: MetricUnit): string {
  switch (unit) {
    case "share":
      return `${percent(value)}%`;
    case "seconds":
      return `${significant(value)} s`;
    case "usd":
      return usd(value);
    case "number":
      return significant(value);
  }
}

/** A limit on a difference or its size, without a sign: `2.0 points`. */
export function distance(value: number, unit: MetricUnit): string {
  const size = Math.abs(value);
  return unit === "share" ? `${percent(size)} points` : figure(size, unit);
}

/** A difference with its sign: `−5.0 points`, `+0.003`, `0.0 points`. */
export function difference(value: number, unit: MetricUnit): string {
  const sign = value < 0 ? "−" : value > 0 ? "+" : "";
  return `${sign}${distance(value, unit)}`;
}

/** An interval of differences: `−8.6 to −1.7 points`. */
export function differenceRange(
  [lower, upper]: readonly [number, number],
  unit: MetricUnit,
): string {
  return `${difference(lower, unit).replace(/ (?:points|s)$/, "")} to ${difference(upper, unit)}`;
}

/**
 * An interval of values: `78.6% to 87.9%`. Few cases or clusters give t a width that no share, time or price has: it
 * ends where they do.
 */
export function figureRange([lower, upper]: readonly [number, number], unit: MetricUnit): string {
  const from = unit === "number" ? lower : Math.max(0, lower);
  const to = unit === "share" ? Math.min(1, upper) : upper;
  return `${figure(from, unit)} to ${figure(to, unit)}`;
}

/** A level of confidence: `90%`. */
export function percentName(level: number): string {
  return `${Number((level * 100).toFixed(1))}%`;
}

/** `p = 0.022`, `p < 0.001`. */
export function pValue(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

/** `12.3 s`, `6 min 12 s`, `1 h 02 min`. */
export function duration(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (whole < 3600) return `${minutes} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${count(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** `$3.16`; below a dollar three significant digits: `$0.0118`. */
export function usd(value: number): string {
  const size = Math.abs(value);
  const text = size >= 1 || size === 0 ? groupedDigits(size.toFixed(2)) : decimal(size);
  return `${value < 0 ? "−" : ""}$${text}`;
}

/** `1,000,000`. */
export function count(value: number): string {
  return groupedDigits(value).replace("-", "−");
}

/** `1 case`, `240 cases`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${plural(value, noun)}`;
}

/** Chooses the word for one, or the word for several. */
export function forCount(value: number, one: string, several: string): string {
  return value === 1 ? one : several;
}

/** `12 of 240 cases`. */
export function countedOf(value: number, all: number, noun: string): string {
  return `${count(value)} of ${counted(all, noun)}`;
}

/** The first few of a list. */
export function listed(items: readonly string[]): string {
  const shown = items.slice(0, itemsShown).join(", ");
  return items.length > itemsShown
    ? `${shown} and ${count(items.length - itemsShown)} more`
    : shown;
}

const itemsShown = 5;

/** One decimal, or more if one decimal would round a gap away: 0.9997 is not 100.0 %. */
function percent(value: number): string {
  const size = Math.abs(value) * 100;
  let decimals = 1;
  const gone = (text: string): boolean =>
    (Number(text) === 0 && size !== 0) || (Number(text) === 100 && size !== 100);
  while (decimals < 4 && gone(size.toFixed(decimals))) decimals += 1;
  return `${value < 0 ? "−" : ""}${size.toFixed(decimals)}`;
}

/** Three significant digits; whole numbers, and all from 1,000 on, have no decimals. */
function significant(value: number): string {
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  if (Number.isInteger(size) && size < 1e15) return `${sign}${groupedDigits(size)}`;
  return size >= 1000 && size < 1e15
    ? `${sign}${groupedDigits(size.toFixed(0))}`
    : `${sign}${decimal(size)}`;
}

function decimal(size: number): string {
  return size.toPrecision(3).replace("e-", "e−");
}

/** Added if some tokens have no known price: an unknown cost is not zero. */
export const andUnpriced = " and what has no known price";

/** Cost of a run; the cost of the graders' models is listed separately. */
export function costWords({ usd: candidates, judge_usd: judges, unpriced }: RunUsage): string {
  const sum = usd(candidates + judges);
  const known = judges === 0 ? sum : `${sum}, ${usd(judges)} of it for judges`;
  return unpriced ? `${known}${andUnpriced}` : known;
}
