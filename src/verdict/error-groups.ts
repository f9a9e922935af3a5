import type { Sample, SampleError } from "../model/outcomes/sample.ts";
import type { ErrorGroup } from "../report/markdown/detail-blocks.ts";

/** Groups samples that ended in the same way, while they are read. */
export interface ErrorGroups {
  readonly add: (sample: Sample) => void;
  /** The groups, most frequent first. */
  readonly groups: () => readonly ErrorGroup[];
}

const caseIdsKept = 5;

/** A collection without groups. */
export function createErrorGroups(): ErrorGroups {
  const groups = new Map<string, Kept>();
  return {
    add: (sample) => {
      if (sample.error === null) return;
      const { stage, fault, type } = sample.error;
      const key = JSON.stringify([sample.task_id, sample.model, stage, fault, type]);
      groups.set(key, withSample(groups.get(key), sample, sample.error));
    },
    groups: () =>
      [...groups.values()]
        .toSorted((a, b) => b.group.count - a.group.count || a.at - b.at)
        .map(({ group, cases }) => Object.assign(group, { caseIds: cases.map(({ id }) => id) })),
  };
}

function withSample(
  known: Kept | undefined,
  { task_id: task, model: candidate, case_id: id, sample_index: at }: Sample,
  { stage, fault, type, message }: SampleError,
): Kept {
  const first = known === undefined || at < known.at ? { at, message } : undefined;
  const count = (known?.group.count ?? 0) + 1;
  const said = first?.message ?? known?.group.message ?? message;
  return {
    at: first?.at ?? known?.at ?? at,
    cases: withCase(known?.cases ?? [], { id, at }),
    group: { task, candidate, stage, fault, type, count, message: said },
  };
}

/**
 * A group while samples are read in the order in which they ended. Its message is that of the sample that comes first
 * in the suite.
 */
interface Kept {
  readonly group: Omit<ErrorGroup, "caseIds">;
  readonly at: number;
  readonly cases: readonly CaseAt[];
}

interface CaseAt {
  readonly id: string;
  readonly at: number;
}

/** The first cases in the suite's order, each only once. */
function withCase(known: readonly CaseAt[], one: CaseAt): readonly CaseAt[] {
  const others = known.filter(({ id, at }) => id !== one.id || at < one.at);
  const isKnown = others.some(({ id }) => id === one.id);
  const all = isKnown ? others : [...others, one];
  return all.toSorted((a, b) => a.at - b.at).slice(0, caseIdsKept);
}
