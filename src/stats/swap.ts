import { counter } from "./arm-swap.ts";
import type { Clusters } from "./clusters.ts";
import { mean } from "./mean.ts";
import { between, placeOf } from "./quantile.ts";
import { deviationOf, momentsOf, type Resampled, sortedOrder } from "./resample.ts";
import { sfc32 } from "./sfc32.ts";
import { exactSum } from "./sum.ts";

/** The scores of the same cases on both sides, and the units in which they are swapped. */
export interface Swappable {
  readonly before: ArrayLike<number>;
  readonly after: ArrayLike<number>;
  readonly clusters: Clusters;
}

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
  const deltaOf =
    kind.kind === "quantile" ? quantileDelta(sides, kind.p) : momentDelta(sides, kind.kind);
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

type DeltaOf = (swapped: Uint8Array) => number;

/** Both sides' scores are sorted together, once; a walk then tells which side each belongs to. */
function quantileDelta({ before, after, clusters }: Swappable, p: number): DeltaOf {
  const n = before.length;
  const all = Float64Array.from(
    { length: 2 * n },
    (_, i) => (i < n ? before[i] : after[i - n]) ?? 0,
  );
  const order = sortedOrder(all);
  const sorted = Float64Array.from(order, (i) => all[i] ?? 0);
  const unitAt = Int32Array.from(order, (i) => clusters.of[i % n] ?? 0);
  const headAt = Uint8Array.from(order, (i) => (i < n ? 0 : 1));
  const { below, share } = placeOf(p, n);
  // How many of the sorted scores are passed until so many of head's, and so many of base's.
  const passed = (swapped: Uint8Array, heads: number, bases: number): number => {
    let [k, seen] = [0, 0];
    while (seen < heads || k - seen < bases) {
      seen += (headAt[k] ?? 0) ^ (swapped[unitAt[k] ?? 0] ?? 0);
      k += 1;
    }
    return k;
  };
  const at = (swapped: Uint8Array, rank: number): number =>
    (sorted[passed(swapped, rank, 0) - 1] ?? 0) - (sorted[passed(swapped, 0, rank) - 1] ?? 0);
  return (swapped) => {
    const delta = at(swapped, below + 1);
    return share === 0 ? delta : between(delta, at(swapped, below + 2), share);
  };
}

function momentDelta(sides: Swappable, kind: "mean" | "stddev"): DeltaOf {
  const n = sides.before.length;
  const centre = mean(sides.before);
  const old = momentsOf({ values: sides.before, clusters: sides.clusters }, centre);
  const now = momentsOf({ values: sides.after, clusters: sides.clusters }, centre);
  const sums = now.sums.map((sum, g) => sum - (old.sums[g] ?? 0));
  const squares = now.squares.map((square, g) => square - (old.squares[g] ?? 0));
  const base = { sum: exactSum(old.sums), square: exactSum(old.squares) };
  const head = { sum: exactSum(now.sums), square: exactSum(now.squares) };
  return (swapped) => {
    let [sum, square] = [0, 0];
    for (let g = 0; g < swapped.length; g += 1) {
      const mark = swapped[g] ?? 0;
      sum += mark * (sums[g] ?? 0);
      square += mark * (squares[g] ?? 0);
    }
    const [low, high] = [base.sum + sum, head.sum - sum];
    if (kind === "mean") return (high - low) / n;
    const before = deviationOf({ n, sum: low, square: base.square + square });
    return deviationOf({ n, sum: high, square: head.square - square }) - before;
  };
}
