import type { LedgerGroup } from "../../model/figures/ledger.ts";
import type { Reducer } from "../../model/definition/suite.ts";
import { mean } from "./mean.ts";
import { reduceRepeats } from "./repeats.ts";

/** The samples of a group, grouped by case. A case is identified by its index, in order of appearance. */
export interface Cases {
  readonly size: number;
  /** The samples of case `c` are `samples[starts[c]]` … `samples[starts[c + 1] − 1]`. */
  readonly samples: Int32Array;
  readonly starts: Int32Array;
  /** The largest number of samples of a case. */
  readonly repeats: number;
  /** Attempt of a sample, from 0; undefined: there is only one. */
  readonly attemptOf: ((sample: number) => number) | undefined;
}

/**
 * The samples of a group by case, linear in their number in time and memory. `repeatsOfAttempt`: for a group with several
 * attempts one after the other.
 */
export function casesOf(group: LedgerGroup, repeatsOfAttempt?: number): Cases {
  const size = group.caseIds().length;
  const starts = new Int32Array(size + 1);
  for (let i = 0; i < group.size; i += 1) {
    const after = group.caseAt(i) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let c = 0; c < size; c += 1) starts[c + 1] = (starts[c + 1] ?? 0) + (starts[c] ?? 0);
  const next = starts.slice();
  const samples = new Int32Array(group.size);
  for (let i = 0; i < group.size; i += 1) {
    const index = group.caseAt(i);
    const position = next[index] ?? 0;
    samples[position] = i;
    next[index] = position + 1;
  }
  const attemptOf =
    repeatsOfAttempt === undefined
      ? undefined
      : (i: number) => Math.floor(group.repeat(i) / repeatsOfAttempt);
  return { size, samples, starts, repeats: widest(starts), attemptOf };
}

function widest(starts: Int32Array): number {
  let most = 0;
  for (let c = 1; c < starts.length; c += 1)
    most = Math.max(most, (starts[c] ?? 0) - (starts[c - 1] ?? 0));
  return most;
}

/**
 * The score of every case, by the metric's reducer (default: the mean) over its scored samples; with several attempts,
 * the mean over attempts with a score. NaN marks a case with too few, and is not used outside of this folder.
 */
export function caseScores(
  cases: Cases,
  sampleScore: (i: number) => number | undefined,
  reducer: Reducer = { kind: "mean" },
): Float64Array {
  const chooses = reducer.kind === "mean" || reducer.kind === "mode" || reducer.kind === "max";
  const scores = new Float64Array(cases.size);
  for (let c = 0; c < cases.size; c += 1) {
    const start = cases.starts[c] ?? 0;
    const end = cases.starts[c + 1] ?? start;
    scores[c] =
      end - start === 1 && chooses
        ? (sampleScore(cases.samples[start] ?? 0) ?? Number.NaN)
        : reducedByAttempt(cases, cases.samples.subarray(start, end), (samples) =>
            reduced(samples, sampleScore, reducer),
          );
  }
  return scores;
}

function reducedByAttempt(
  { attemptOf }: Cases,
  samples: Int32Array,
  reduce: (samples: Iterable<number>) => number,
): number {
  if (attemptOf === undefined) return reduce(samples);
  const scores = [...Map.groupBy(samples, attemptOf).values()]
    .map(reduce)
    .filter((score) => !Number.isNaN(score));
  if (scores.length < 2) return scores[0] ?? Number.NaN;
  return mean(scores);
}

function reduced(
  samples: Iterable<number>,
  sampleScore: (i: number) => number | undefined,
  reducer: Reducer,
): number {
  const scores = [...samples].map(sampleScore).filter((score) => score !== undefined);
  return reduceRepeats(scores, reducer) ?? Number.NaN;
}

/** The cluster of every case; undefined if no two cases share one. */
export function clustersOfCases(
  group: LedgerGroup,
  cases: Cases,
): readonly (string | null)[] | undefined {
  if (!group.hasClusters()) return undefined;
  const seen = new Set<string>();
  let shared = false;
  const clusters = Array.from({ length: cases.size }, (_, c) => {
    const cluster = group.cluster(cases.samples[cases.starts[c] ?? 0] ?? 0);
    if (cluster !== null) shared ||= seen.size === seen.add(cluster).size;
    return cluster;
  });
  return shared ? clusters : undefined;
}

/** Some of the cases of a group: all of them (`slice` null), or those with `field=value`. */
export interface CaseSlice {
  readonly slice: string | null;
  readonly members: ArrayLike<number>;
}

/**
 * All cases, then the cases of each `field=value`, sorted by that text. A case without the field is in
 * none of its slices. Slices belong to the dataset's row, so the first sample of a case speaks for it.
 */
export function slicesOf(
  group: LedgerGroup,
  cases: Cases,
  fields: readonly string[],
): readonly CaseSlice[] {
  const every: CaseSlice = { slice: null, members: countUpTo(cases.size) };
  if (fields.length === 0) return [every];
  const slices = new Map<string, number[]>();
  for (const [values, same] of casesByValues(group, cases)) {
    for (const field of fields) {
      if (!Object.hasOwn(values, field)) continue;
      const slice = `${field}=${values[field]}`;
      const members = slices.get(slice) ?? [];
      for (const c of same) members.push(c);
      slices.set(slice, members);
    }
  }
  const sorted = [...slices].toSorted(([slice], [other]) => (slice < other ? -1 : 1));
  return [every, ...sorted.map(([slice, members]) => ({ slice, members }))];
}

function countUpTo(size: number): Int32Array {
  const numbers = new Int32Array(size);
  for (let i = 0; i < size; i += 1) numbers[i] = i;
  return numbers;
}

type SliceValues = ReturnType<LedgerGroup["slices"]>;

/** The ledger has one object per combination of values: there are few, however many cases. */
function casesByValues(group: LedgerGroup, cases: Cases): Map<SliceValues, number[]> {
  const byValues = new Map<SliceValues, number[]>();
  for (let c = 0; c < cases.size; c += 1) {
    const values = group.slices(cases.samples[cases.starts[c] ?? 0] ?? 0);
    const same = byValues.get(values);
    if (same) same.push(c);
    else byValues.set(values, [c]);
  }
  return byValues;
}
