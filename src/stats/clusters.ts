import type { Clustered } from "../model/figures/statistics.ts";

/** Groups of values. A cluster is identified by its index, in the order of the clusters' names. */
export interface Clusters {
  readonly size: number;
  /** The cluster of value `i`. */
  readonly of: Int32Array;
}

/**
 * The clusters of a list, in an order that does not depend on the order of the list: named ones by name, then every
 * value without a cluster (null) as its own cluster, sorted by `rank` (without it, in the list's order). Throws a
 * RangeError unless there is one cluster for each value.
 */
export function clustersOf(
  clusters: Clustered["clusters"],
  n: number,
  rank?: (i: number, j: number) => number,
): Clusters {
  if (clusters.length !== n)
    throw new RangeError(`${n} values need as many clusters, not ${clusters.length}`);
  const { names, alone } = namesIn(clusters);
  if (rank) alone.sort(rank);
  const number = new Map(names.map((name, index) => [name, index]));
  const of = new Int32Array(n);
  for (let i = 0; i < n; i += 1) of[i] = number.get(clusters[i] ?? null) ?? 0;
  for (const [index, i] of alone.entries()) of[i] = names.length + index;
  return { size: names.length + alone.length, of };
}

/** Every value is its own cluster. */
export function apart(n: number): Clusters {
  const of = new Int32Array(n);
  for (let i = 0; i < n; i += 1) of[i] = i;
  return { size: n, of };
}

type Name = string | number | null;

function namesIn(clusters: Clustered["clusters"]): { names: Name[]; alone: number[] } {
  const names = new Set<string | number>();
  const alone: number[] = [];
  for (let i = 0; i < clusters.length; i += 1) {
    const name = clusters[i] ?? null;
    if (name === null) alone.push(i);
    else names.add(name);
  }
  return { names: [...names].toSorted(byName), alone };
}

/** Numbers come first, by size; then texts, by their code units, so that no locale matters. */
function byName(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : 1;
}

/** The values grouped by cluster: those of cluster `g` are `values[starts[g]]` … `values[starts[g + 1] − 1]`. */
export interface Gathered {
  readonly values: Float64Array;
  readonly starts: Int32Array;
}

/** Linear in the number of values, in time and memory. */
export function gather(values: ArrayLike<number>, { size, of }: Clusters): Gathered {
  const starts = new Int32Array(size + 1);
  for (const cluster of of) starts[cluster + 1] = (starts[cluster + 1] ?? 0) + 1;
  for (let g = 0; g < size; g += 1) starts[g + 1] = (starts[g + 1] ?? 0) + (starts[g] ?? 0);
  const next = starts.slice();
  const gathered = new Float64Array(values.length);
  for (let i = 0; i < values.length; i += 1) {
    const cluster = of[i] ?? 0;
    const position = next[cluster] ?? 0;
    gathered[position] = values[i] ?? Number.NaN;
    next[cluster] = position + 1;
  }
  return { values: gathered, starts };
}

/** Applies `fold` to the values of each cluster. */
export function perCluster(
  gathered: Gathered,
  fold: (values: Float64Array) => number,
): Float64Array {
  const { values, starts } = gathered;
  return Float64Array.from({ length: starts.length - 1 }, (_, g) =>
    fold(values.subarray(starts[g], starts[g + 1])),
  );
}
