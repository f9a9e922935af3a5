import { ownValue } from "../../model/own-value.ts";
import { hasEarlier, type RunAttempts } from "../../model/outcomes/attempts.ts";
import { caseKey } from "../../model/outcomes/sample.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import { shardText } from "../../model/outcomes/shard.ts";
import type { ShardRun } from "./read.ts";
import type { Tools } from "../../tools.ts";

/**
 * Samples, by id, of shards that a later attempt of the same workflow run repeated and extended: with them the plan of
 * the whole covers all attempts. undefined if no shard was run again.
 */
export async function earlierIn(
  shards: readonly ShardRun[],
  { visitSamples }: Tools,
): Promise<ReadonlySet<string> | undefined> {
  const again = shards.filter(({ run }) => hasEarlier(run.attempts));
  if (again.length === 0) return undefined;
  const earlier = new Set<string>();
  for (const { directory, run } of again) {
    const attemptOf = ({ task_id, repeat }: Sample): number =>
      Math.floor(repeat / (ownValue(run.suite.tasks, task_id)?.repeats ?? 1));
    const last = new Map<string, number>();
    for await (const sample of visitSamples(directory)) {
      const key = keyOf(sample);
      last.set(key, Math.max(attemptOf(sample), last.get(key) ?? 0));
    }
    for await (const sample of visitSamples(directory))
      if (attemptOf(sample) < (last.get(keyOf(sample)) ?? 0)) earlier.add(sample.id);
  }
  return earlier;
}

function keyOf({ task_id, model, case_id }: Sample): string {
  return caseKey({ task: task_id, candidate: model, caseId: case_id });
}

/** Attempts of the whole run: those of the shard with the most attempts. */
export function attemptsOfShards(shards: readonly ShardRun[]): RunAttempts | undefined {
  const known = shards.flatMap(({ run }) => (run.attempts === undefined ? [] : [run.attempts]));
  const [most] = known.toSorted((a, b) => b.earlier.length - a.earlier.length);
  if (most === undefined) return undefined;
  const unread = shards.flatMap(({ run, shard }) =>
    run.attempts?.unread ? [`shard ${shardText(shard)}: ${run.attempts.unread}`] : [],
  );
  const { earlier } = most;
  const number = Math.max(...known.map((each) => each.number));
  return { number, earlier, unread: unread.length === 0 ? null : unread.join("; "), decided: [] };
}
