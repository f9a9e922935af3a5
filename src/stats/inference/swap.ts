import type { Statistics } from "../../model/figures/statistics.ts";
import { apart, type Clusters, clustersOf } from "../clusters.ts";
import { sfc32 } from "../distributions/sfc32.ts";
import { type Resampled, shapeOf } from "../aggregates/shapes.ts";
import type { Swappable } from "../aggregates/units.ts";

type Swapped = Awaited<ReturnType<Statistics["armSwap"]>>;

const usualSwaps = 499;
/** The seed may be any constant, but must not change: a run that is judged again must give the same p. */
const seed = [0x61726d20, 0x73776170, 0x74657374] as const;

/**
 * The permutation test for metrics that only a whole task has, such as a macro F1: if nothing changed, base and head
 * of each case could as well have been the other way round. Some of the cases have their sides swapped, the metric is
 * computed again on both sides, and `pLess` is how often head − base comes out lower than it was seen, and half as often as it
 * comes out the same (mid-p).
 *
 * `evaluate` gets a mark for each case, 1 for swapped, and gives head − base; all 0 is asked first, and is `delta`.
 * It is called once at a time, and must not keep the marks. Clusters are swapped as a whole. Where all swaps are no
 * more than `swaps` (499) they are all made, half of them being the others with the sign turned (`exact`); else so
 * many seeded ones, with what was seen as one more of them. No case, or no change seen at all under any swap: p = 1.
 * Cases with the same output on both sides may be left out of `cases` where `evaluate` adds them: a swap changes
 * nothing there.
 *
 * E. W. Noreen, "Computer Intensive Methods for Testing Hypotheses", 1989, §2; B. Phipson, G. K. Smyth, 2010.
 * What `evaluate` throws is passed on. Throws a RangeError if it gives no finite number.
 */
export const armSwap: Statistics["armSwap"] = async (experiment) => {
  const { cases, clusters, swaps = usualSwaps } = experiment;
  const units = clusters === undefined ? apart(cases) : clustersOf(clusters, cases);
  const evaluate = evaluator(experiment);
  const delta = await evaluate(new Uint8Array(cases));
  if (cases === 0) return { delta, pLess: 1, pGreater: 1, exact: true };
  const seen = { delta, units, evaluate };
  return units.size - 1 <= Math.log2(Math.max(1, swaps)) ? swapAll(seen) : swapSome(seen, swaps);
};

function evaluator({
  evaluate,
}: Parameters<Statistics["armSwap"]>[0]): (swapped: Uint8Array) => Promise<number> {
  return async (swapped) => {
    const delta = await evaluate(swapped);
    if (!Number.isFinite(delta)) throw new RangeError(`a swap gave ${delta}, not a finite number`);
    return delta;
  };
}

interface Seen {
  readonly delta: number;
  readonly units: Clusters;
  readonly evaluate: (swapped: Uint8Array) => Promise<number>;
}

/** Tries every pattern. A pattern and its opposite take one call, because swapping all sides only changes the sign. */
async function swapAll({ delta, units, evaluate }: Seen): Promise<Swapped> {
  const count = counter(delta);
  const patterns = 2 ** (units.size - 1);
  for (let pattern = 0; pattern < patterns; pattern += 1) {
    // The first unit is never swapped.
    const marks = units.of.map((unit) => (unit === 0 ? 0 : (pattern >> (unit - 1)) & 1));
    const swapped = pattern === 0 ? delta : await evaluate(Uint8Array.from(marks));
    count.add(swapped);
    count.add(-swapped);
  }
  return { delta, ...count.chances(), exact: true };
}

async function swapSome({ delta, units, evaluate }: Seen, swaps: number): Promise<Swapped> {
  const random = sfc32(seed);
  const count = counter(delta);
  count.add(delta);
  for (let swap = 0; swap < swaps; swap += 1) {
    const sides = Uint8Array.from({ length: units.size }, () => random() >>> 31);
    count.add(await evaluate(Uint8Array.from(units.of, (unit) => sides[unit] ?? 0)));
  }
  return { delta, ...count.chances(), exact: false };
}

interface Counter {
  readonly add: (swapped: number) => void;
  readonly chances: () => { readonly pLess: number; readonly pGreater: number };
}

/**
 * Counts values below and above the observed one. Values that are equal up to rounding are ties, and count half to each
 * side. If everything ties, nothing was shown, and both chances are 1.
 */
function counter(seen: number): Counter {
  const tie = 1e-9 * Math.abs(seen) + 1e-12;
  let [low, same, high] = [0, 0, 0];
  return {
    add: (swapped) => {
      if (swapped < seen - tie) low += 1;
      else if (swapped > seen + tie) high += 1;
      else same += 1;
    },
    chances: () => {
      if (low + high === 0) return { pLess: 1, pGreater: 1 };
      const all = low + same + high;
      return { pLess: (low + same / 2) / all, pGreater: (high + same / 2) / all };
    },
  };
}

const sideSwaps = 9_999;
const sideSeed = [0x73776170, 0x20736964, 0x65732e2e] as const;

/**
 * The permutation test of an aggregation: if nothing changed, base and head of each case (or cluster) could as well have
 * been the other way round. 9,999 seeded swaps, with the observed state as one more; ties count half (mid-p); 1 if
 * nothing changed. For means it is the sign-flip test.
 *
 * E. W. Noreen, "Computer Intensive Methods for Testing Hypotheses", 1989, §2; B. Phipson, G. K. Smyth, 2010.
 */
export function sideSwap(
  sides: Swappable,
  kind: Resampled,
): { readonly pLess: number; readonly pGreater: number } {
  const deltaOf = shapeOf(kind).swap(sides);
  const swapped = new Uint8Array(sides.clusters.size);
  const seen = deltaOf(swapped);
  const count = counter(seen);
  count.add(seen);
  const random = sfc32(sideSeed);
  for (let swap = 0; swap < sideSwaps; swap += 1) {
    let bits = 0;
    for (let unit = 0; unit < swapped.length; unit += 1) {
      bits = unit % 32 === 0 ? random() : bits >>> 1;
      swapped[unit] = bits & 1;
    }
    count.add(deltaOf(swapped));
  }
  return count.chances();
}
