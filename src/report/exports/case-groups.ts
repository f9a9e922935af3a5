import { ownValue } from "../../model/own-value.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";

/** The samples of one candidate for one task, or for all tasks (null). */
interface GroupChoice {
  readonly task: string | null;
  readonly candidate: string;
}

/**
 * A candidate's samples by case, with the repeats in their order. A run stores samples in the order of their
 * completion, so that several cases mix: a case is passed on when its last repeat was read; a case that lacks some
 * repeats comes at the end.
 */
export async function* samplesByCase(
  { run, samples }: { readonly run: Run; readonly samples: AsyncIterable<Sample> },
  { task, candidate }: GroupChoice,
): AsyncGenerator<readonly Sample[]> {
  const open = new Map<string, Sample[]>();
  for await (const sample of samples) {
    if (sample.model !== candidate || (task !== null && sample.task_id !== task)) continue;
    const key = questionKey(sample);
    const group = open.get(key) ?? [];
    group.push(sample);
    open.set(key, group);
    if (group.length < (ownValue(run.suite.tasks, sample.task_id)?.repeats ?? 1)) continue;
    open.delete(key);
    yield group.toSorted(byRepeat);
  }
  for (const group of open.values()) yield group.toSorted(byRepeat);
}

function byRepeat(a: Sample, b: Sample): number {
  return a.repeat - b.repeat;
}

/** Key of a case among the cases of all tasks, the same for each candidate. */
export function questionKey({ task_id, case_id }: Sample): string {
  return JSON.stringify([task_id, case_id]);
}
