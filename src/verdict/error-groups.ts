import type { Sample } from "../model/sample.ts";
import type { ErrorGroup } from "../report/detail-blocks.ts";

/** Samples grouped by the same end, while they are read. */
export interface ErrorGroups {
  readonly add: (sample: Sample) => void;
  /** The most frequent first. */
  readonly groups: () => readonly ErrorGroup[];
}

const caseIdsKept = 5;

/** No groups yet. */
export function createErrorGroups(): ErrorGroups {
  const groups = new Map<string, ErrorGroup>();
  return {
    add: (sample) => {
      if (sample.error === null) return;
      const { stage, fault, type, message } = sample.error;
      const key = JSON.stringify([sample.task_id, sample.model, stage, fault, type]);
      const known = groups.get(key);
      groups.set(key, {
        task: sample.task_id,
        candidate: sample.model,
        stage,
        fault,
        type,
        count: (known?.count ?? 0) + 1,
        caseIds: withCase(known?.caseIds ?? [], sample.case_id),
        message: known?.message ?? message,
      });
    },
    groups: () => [...groups.values()].toSorted((a, b) => b.count - a.count),
  };
}

function withCase(known: readonly string[], caseId: string): readonly string[] {
  return known.length >= caseIdsKept || known.includes(caseId) ? known : [...known, caseId];
}
