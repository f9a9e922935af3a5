import type { SpendOption } from "../../model/figures/power.ts";
import { smallestDrop } from "./detectable.ts";
import { type Reach, repeated, scaledToCases } from "./reach.ts";

interface Spending {
  /** Number of further calls in one run. */
  readonly calls: number;
  /** The current number of repeats. */
  readonly repeats: number;
  /** Number of runs in the baseline. */
  readonly earlier: number;
  /** Whether a further repeat would improve the same score; false if a reducer uses all repeats. */
  readonly repeatable: boolean;
  readonly power?: number;
}

/**
 * Effect of a number of further calls, the smallest detectable drop first: more cases like the existing ones, more
 * repeats of each, or more earlier runs pooled as one baseline. A run asks each case as often as it has repeats; an
 * earlier run costs as much as this one. The noise is assumed to be within cases: K repeats divide it by K, and with M
 * earlier runs a difference has 1 + 1/M parts of it instead of 2.
 */
export function spend(reach: Reach, spending: Spending): readonly SpendOption[] {
  const { calls, repeats, earlier, repeatable, power } = spending;
  const { noise } = reach;
  const perRun = noise.n * repeats;
  const [cases, again, runs] = [repeats, noise.n, perRun].map((cost) =>
    cost > 0 ? Math.floor(calls / cost) : 0,
  );
  const found: readonly (readonly [SpendOption["kind"], number, number, Reach])[] = [
    [
      "cases",
      cases ?? 0,
      noise.n,
      { ...reach, noise: scaledToCases(noise, noise.n + (cases ?? 0)) },
    ],
    [
      "repeats",
      repeatable ? (again ?? 0) : 0,
      repeats,
      repeated(reach, repeats, repeats + (again ?? 0)),
    ],
    ["earlier_runs", runs ?? 0, earlier, withRuns(reach, earlier, earlier + (runs ?? 0))],
  ];
  const costs = { cases: repeats, repeats: noise.n, earlier_runs: perRun };
  return found
    .filter(([, more]) => more > 0)
    .map(([kind, more, now, then]) => ({
      kind,
      to: now + more,
      calls: more * costs[kind],
      detects: smallestDrop(then.noise, then.alpha, power) ?? null,
    }))
    .toSorted((one, other) => (one.detects ?? Infinity) - (other.detects ?? Infinity));
}

function withRuns(reach: Reach, from: number, to: number): Reach {
  const variance = (reach.noise.variance * (1 + 1 / to)) / (1 + 1 / from);
  // A difference from a mean is no difference of 0/1 scores.
  return { ...reach, noise: { ...reach.noise, bits: reach.noise.bits && to === 1, variance } };
}
