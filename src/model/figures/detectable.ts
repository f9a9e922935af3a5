import { problem, type Place, type Problem } from "../refusal.ts";
import type { MetricUnit } from "../definition/metric.ts";

/** A rule's requirement, and the effect that its cases can show. */
interface DetectableQuestion {
  /** `qa/exact_match`, as messages name it. */
  readonly rule: string;
  readonly kind: "max_drop" | "max_rise";
  readonly limit: number;
  /** The smallest drop that is proven in 4 of 5 runs. */
  readonly detects: number;
  readonly cases: number;
  readonly unit: MetricUnit;
  /** The assumption behind the figures if the suite has not run yet. */
  readonly assumption?: string;
  /** Changes that would make the effect detectable; called only if it is not. */
  readonly ways: () => WaysOut;
}

interface WaysOut {
  /** Number of cases that prove a loss of the limit in 4 of 5 runs. */
  readonly needed: number;
  /** The smallest drop that `manyRepeats` repeats prove; undefined if they don't help. */
  readonly repeated: number | undefined;
}

/** The fewest cases that can prove anything at all if this number of comparisons shares `alpha`. */
export function fewestCases(alpha: number, comparisons: number): number {
  // 2⁻ⁿ⁻¹ < alpha / comparisons
  return Math.max(2, Math.floor(Math.log2(comparisons / alpha)));
}

/** The fewest clusters that can prove anything at all if this number of comparisons shares `alpha`. */
export function fewestClusters(alpha: number, comparisons: number): number {
  // 2⁻ᴳ < alpha / comparisons
  return Math.floor(Math.log2(comparisons / alpha)) + 1;
}

/** A smaller factor between the requested and the detectable drop is not reported. */
const clearFactor = 2;
/** The number of repeats that the advice names. */
export const manyRepeats = 5;

/**
 * True if a rule asks for less than half of the drop that its cases can show. A limit of 0 asks for no particular size.
 */
export function isBeyondReach({
  limit,
  detects,
}: Pick<DetectableQuestion, "limit" | "detects">): boolean {
  return limit > 0 && detects >= clearFactor * limit;
}

/** The problem of a rule that asks for more than its cases can show, with possible remedies; undefined if it does not. */
export function reachProblem(asked: DetectableQuestion, place?: Place): Problem | undefined {
  if (!isBeyondReach(asked)) return undefined;
  const { limit, detects, cases, unit, rule, kind } = asked;
  const { needed, repeated } = asked.ways();
  const found = {
    rule,
    kind,
    cases,
    asked: size(limit, unit),
    seen: size(detects, unit),
    needed,
    repeated: repeated === undefined ? undefined : size(repeated, unit),
    holds: roundUp(detects),
    assumption: asked.assumption,
  };
  return problem("rule_beyond_reach", found, place);
}

/** A drop in the metric's unit: `2.0 points`, `0.13`. */
function size(value: number, unit: MetricUnit): string {
  return unit === "share"
    ? `${(100 * value).toFixed(1)} points`
    : String(Number(value.toPrecision(3)));
}

/** The next larger number with two digits: 0.0513 → 0.052. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / step - 1e-9) * step).toPrecision(2));
}
