import { valueRange, type MetricUnit } from "../model/definition/metric.ts";
import type { PowerPlace } from "../model/figures/power.ts";
import type { MetricSpec, ScoreReading } from "../model/definition/suite.ts";
import type { Noise } from "../model/figures/statistics.ts";

/** A metric whose noise is known or assumed. */
export interface PlannedCell extends Omit<PowerPlace, "rows" | "detects" | "spend"> {
  /** Number of runs in its baseline. */
  readonly earlier: number;
  /** Expected comparison of two unchanged runs. */
  readonly comparison: Noise;
  /** Highest − lowest possible score, or a substitute. */
  readonly width: number;
  /** The largest possible drop; null if the metric's value has no range. */
  readonly widest: number | null;
}

/** Parts of a cell that depend only on its metric. */
export function placeParts(
  spec: ScoreReading | undefined,
): Pick<PlannedCell, "reduced" | "widest"> {
  const range = spec === undefined ? null : valueRange(spec);
  return {
    reduced: (spec?.reducer?.kind ?? "mean") !== "mean",
    widest: range === null ? null : range[1] - range[0],
  };
}

/** As in the simulation of docs/statistics.md: a candidate that is right on 80 % of the cases, asked at a temperature. */
const assumedDisagreement = 0.12;
/** Standard deviation of the difference of a graded score between two runs, as a part of its range. */
const assumedSpread = 0.2;

/** Assumed noise of a metric without measurements; undefined if it has no range. */
export function assumedNoise(
  { range, scale }: Pick<MetricSpec, "range" | "scale">,
  repeats: number,
): PowerPlace["noise"] | undefined {
  if (scale === "binary") {
    const words = `assumed: two unchanged runs disagree on ${100 * assumedDisagreement}% of the cases`;
    return { from: "assumption", variance: assumedDisagreement / repeats, words };
  }
  if (range === null) return undefined;
  const width = range[1] - range[0];
  const words = `assumed: a case's score differs between two unchanged runs with a standard deviation of ${100 * assumedSpread}% of the range`;
  return { from: "assumption", variance: (assumedSpread * width) ** 2 / repeats, words };
}

/** The unit that follows from the metric's range alone. */
export function unitOfRange(range: readonly [number, number] | null): MetricUnit {
  return range?.[0] === 0 && range[1] === 1 ? "share" : "number";
}
