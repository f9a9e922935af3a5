import type { LedgerGroup } from "../domain/ledger.ts";
import { mean } from "./mean.ts";

/** The samples of a group, put together by case. A case is known by its index, in order of appearance. */
export interface Cases {
  readonly size: number;
  /** The samples of case `c` are `samples[starts[c]]` … `samples[starts[c + 1] − 1]`. */
  readonly samples: Int32Array;
  readonly starts: Int32Array;
  /** True where a case has more than one sample: its score is then a mean, and no longer 0 or 1. */
  readonly repeated: boolean;
}

/** The samples of a group by case, in time and memory linear in their number. */
export function casesOf(group: LedgerGroup): Cases {
  const { caseOfSample, size } = numberCases(group);
  const starts = new Int32Array(size + 1);
  for (let i = 0; i < group.size; i += 1) {
    const after = (caseOfSample[i] ?? 0) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let c = 0; c < size; c += 1) starts[c + 1] = (starts[c + 1] ?? 0) + (starts[c] ?? 0);
  const next = starts.slice();
  const samples = new Int32Array(group.size);
  for (let i = 0; i < group.size; i += 1) {
    const index = caseOfSample[i] ?? 0;
    const position = next[index] ?? 0;
    samples[position] = i;
    next[index] = position + 1;
  }
  return { size, samples, starts, repeated: group.size > size };
}

function numberCases(group: LedgerGroup): { caseOfSample: Int32Array; size: number } {
  const numbers = new Map<string, number>();
  const caseOfSample = new Int32Array(group.size);
  for (let i = 0; i < group.size; i += 1) {
    const caseId = group.caseId(i);
    const known = numbers.get(caseId);
    caseOfSample[i] = known ?? numbers.size;
    if (known === undefined) numbers.set(caseId, numbers.size);
  }
  return { caseOfSample, size: numbers.size };
}

/**
 * The score of every case: the mean over those of its samples that have one. NaN stands for a case
 * without any, and does not leave this room.
 */
export function caseScores(
  cases: Cases,
  sampleScore: (i: number) => number | undefined,
): Float64Array {
  const scores = new Float64Array(cases.size);
  for (let c = 0; c < cases.size; c += 1) {
    const start = cases.starts[c] ?? 0;
    const end = cases.starts[c + 1] ?? start;
    scores[c] =
      end - start === 1
        ? (sampleScore(cases.samples[start] ?? 0) ?? Number.NaN)
        : meanOfRepeats(cases.samples.subarray(start, end), sampleScore);
  }
  return scores;
}

function meanOfRepeats(
  samples: Int32Array,
  sampleScore: (i: number) => number | undefined,
): number {
  const scores = [...samples].map(sampleScore).filter((score) => score !== undefined);
  return scores.length === 0 ? Number.NaN : mean(scores);
}

/** Some of the cases of a group: all of them (`slice` null), or those with `field=value`. */
export interface Slice {
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
): readonly Slice[] {
  const every: Slice = { slice: null, members: countUpTo(cases.size) };
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

/** The ledger keeps one object for each combination of values: there are few, however many cases. */
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
