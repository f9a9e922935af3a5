import type { MetricUnit } from "./calibration.ts";
import { problem, type Place, type Problem } from "./refusal.ts";
import type { Noise } from "./statistics.ts";

/** What a rule asks for, and what its cases can show. */
interface DetectableQuestion {
  /** `qa/exact_match`, as the reader knows it. */
  readonly rule: string;
  readonly kind: "max_drop" | "max_rise";
  readonly limit: number;
  /** The smallest drop that is proven 4 times in 5. */
  readonly detects: number;
  readonly cases: number;
  readonly repeats: number;
  readonly unit: MetricUnit;
  /** On what the figures rest, where the suite has not run. */
  readonly assumption?: string;
  /** What a drop has to stand out from; undefined of a run of an earlier version. */
  readonly noise?: Pick<Noise, "variance" | "lost" | "design"> | undefined;
}

/** The fewest cases that can prove anything at all: with `alpha` shared by so many comparisons. */
export function fewestCases(alpha: number, comparisons: number): number {
  // 2⁻ⁿ⁻¹ < alpha / comparisons
  return Math.max(2, Math.floor(Math.log2(comparisons / alpha)));
}

/** The same of clusters. */
export function fewestClusters(alpha: number, comparisons: number): number {
  // 2⁻ᴳ < alpha / comparisons
  return Math.floor(Math.log2(comparisons / alpha)) + 1;
}

/** Below this factor the difference between asked and seen is not worth a word. */
const clearFactor = 2;
/** So many repeats are advised. */
export const manyRepeats = 5;

/** True where a rule asks for less than half of what its cases can show. A limit of 0 asks for no size. */
export function isBeyondReach({
  limit,
  detects,
}: Pick<DetectableQuestion, "limit" | "detects">): boolean {
  return limit > 0 && detects >= clearFactor * limit;
}

/**
 * The sentence for a rule that asks for more than its cases can show, with what would show it; undefined where it does
 * not. Cases go with the square of the factor and with the variance, to which a smaller drop adds less; repeats with the root, at best.
 */
export function reachProblem(asked: DetectableQuestion, place?: Place): Problem | undefined {
  if (!isBeyondReach(asked)) return undefined;
  const { limit, detects, cases, repeats, unit, rule, kind, noise } = asked;
  const less = noise === undefined ? 1 : varianceWith(limit, noise) / varianceWith(detects, noise);
  const found = {
    rule,
    kind,
    cases,
    asked: size(limit, unit),
    seen: size(detects, unit),
    needed: Math.ceil(cases * (detects / limit) ** 2 * less),
    repeated:
      repeats >= manyRepeats ? undefined : size(detects * Math.sqrt(repeats / manyRepeats), unit),
    holds: roundUp(detects),
    assumption: asked.assumption,
  };
  return problem("rule_beyond_reach", found, place);
}

/** Of one case's difference, with a drop of this size. */
function varianceWith(
  drop: number,
  { variance, lost, design }: NonNullable<DetectableQuestion["noise"]>,
): number {
  return variance + design * Math.max(0, drop * (lost - drop));
}

/** `2.0 pp`, `0.13`. */
function size(value: number, unit: MetricUnit): string {
  return unit === "share" ? `${(100 * value).toFixed(1)} pp` : String(Number(value.toPrecision(3)));
}

/** The next larger number with two digits: 0.0513 → 0.052. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / step - 1e-9) * step).toPrecision(2));
}
