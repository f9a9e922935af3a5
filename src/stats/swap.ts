import { counter } from "./arm-swap.ts";
import { sfc32 } from "./sfc32.ts";
import { type Resampled, shapeOf } from "./shapes.ts";
import type { Swappable } from "./units.ts";

const swaps = 9_999;
/** Any constant does, as long as it stays: a run judged again must give the same p. */
const seed = [0x73776170, 0x20736964, 0x65732e2e] as const;

/**
 * The permutation test of an aggregation: if nothing changed, base and head of each case (or cluster) could as well have
 * been the other way round. 9,999 seeded swaps, with what was seen as one more of them; ties count half (mid-p); 1 where nothing
 * changed. Of means it is the sign-flip test.
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
  const random = sfc32(seed);
  for (let swap = 0; swap < swaps; swap += 1) {
    let bits = 0;
    for (let unit = 0; unit < swapped.length; unit += 1) {
      bits = unit % 32 === 0 ? random() : bits >>> 1;
      swapped[unit] = bits & 1;
    }
    count.add(deltaOf(swapped));
  }
  return count.chances();
}
