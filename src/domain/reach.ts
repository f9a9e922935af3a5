import type { MetricUnit } from "./calibration.ts";
import { problem, type Place, type Problem } from "./refusal.ts";

/** What a rule asks for, and what its cases can show. */
export interface Asked {
  /** `qa/exact_match`, as the reader knows it. */
  readonly rule: string;
  readonly kind: "max_drop" | "max_rise";
  readonly limit: number;
  /** The smallest drop that is proven 4 times in 5. */
  readonly detects: number;
  readonly cases: number;
  readonly repeats: number;
  readonly unit: MetricUnit;
}

/** Below this factor the difference between asked and seen is not worth a word. */
const clearFactor = 2;
/** So many repeats are advised. */
export const manyRepeats = 5;

/** True where a rule asks for less than half of what its cases can show. A limit of 0 asks for no size. */
export function isBeyondReach({ limit, detects }: Pick<Asked, "limit" | "detects">): boolean {
  return limit > 0 && detects >= clearFactor * limit;
}

/**
 * The sentence for a rule that asks for more than its cases can show, with what would show it; undefined where it does
 * not. By (z₁₋α + z₀.₈)·√(variance / n): cases go with the square of the factor, repeats with its root, at best.
 */
export function reachProblem(asked: Asked, place?: Place): Problem | undefined {
  if (!isBeyondReach(asked)) return undefined;
  const { limit, detects, cases, repeats, unit, rule, kind } = asked;
  const factor = detects / limit;
  const found = {
    rule,
    kind,
    cases,
    asked: size(limit, unit),
    seen: size(detects, unit),
    needed: Math.ceil(cases * factor * factor),
    repeated:
      repeats >= manyRepeats ? undefined : size(detects * Math.sqrt(repeats / manyRepeats), unit),
    holds: roundUp(detects),
  };
  return problem("rule_beyond_reach", found, place);
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
