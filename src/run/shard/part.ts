import type { Dataset } from "../../model/definition/dataset.ts";
import type { HashText } from "../../model/ports/files.ts";
import type { Case } from "../../model/outcomes/sample.ts";
import type { RunShard, ShardChoice } from "../../model/outcomes/shard.ts";
import type { PreparedTask } from "../../suite/opening/open-task.ts";
import type { Prepared } from "../../suite/prepare.ts";

/** The plan of a run: all of its cases, in order. */
type PlanFacts = Pick<RunShard, "plan" | "plan_cases">;

/** Number of cases that are hashed together. */
const casesTogether = 1000;

/** A hash of every case of the plan, in order, with its processing: shards with the same hash belong to one run. */
export async function hashPlan(
  { tasks, candidates }: Prepared,
  hashText: HashText,
): Promise<PlanFacts> {
  const parts: unknown[] = [candidates.map(({ id }) => id)];
  let cases = 0;
  for (const { spec, dataset } of tasks) {
    parts.push([spec.id, spec.repeats, dataset.size, await hashCases(dataset, hashText)]);
    cases += dataset.size;
  }
  return { plan: hashText(JSON.stringify(parts)), plan_cases: cases };
}

async function hashCases(dataset: Dataset, hashText: HashText): Promise<string> {
  let hash = "";
  let waiting: string[] = [];
  const fold = (): void => {
    hash = hashText(hash + waiting.join("\n"));
    waiting = [];
  };
  for await (const batch of dataset.cases()) {
    for (const { caseId, content } of batch) {
      waiting.push(JSON.stringify([caseId, content]));
      if (waiting.length === casesTogether) fold();
    }
  }
  fold();
  return hash;
}

/** A prepared suite with a shard's cases only: every N-th case of the plan, counting on from task to task. */
export async function takeShard(
  prepared: Prepared,
  shard: ShardChoice,
  hashText: HashText,
): Promise<Prepared> {
  const facts = await hashPlan(prepared, hashText);
  const starts = startsOf(prepared.tasks);
  const tasks = prepared.tasks.map((task, i) => {
    const isOwn = (place: number): boolean =>
      shardAt((starts[i] ?? 0) + place, shard.of) === shard.index;
    return { ...task, dataset: partOf(task.dataset, isOwn) };
  });
  return { ...prepared, tasks, shard: { ...shard, ...facts } };
}

/** Position of each task's first case in the plan. */
export function startsOf(tasks: readonly PreparedTask[]): readonly number[] {
  let start = 0;
  return tasks.map(({ dataset }) => {
    const own = start;
    start += dataset.size;
    return own;
  });
}

/** The shard, from 1, that runs the case at a position of the plan. */
export function shardAt(position: number, of: number): number {
  return (position % of) + 1;
}

/**
 * The shard's part of a data set. `isOwn` gets the position among the cases of the plan, because the indexes of a
 * selection have gaps.
 */
function partOf(dataset: Dataset, isOwn: (place: number) => boolean): Dataset {
  let size = 0;
  for (let place = 0; place < dataset.size; place += 1) size += isOwn(place) ? 1 : 0;
  return { ...dataset, size, cases: () => ownCases(dataset.cases(), isOwn) };
}

async function* ownCases(
  batches: AsyncIterable<readonly Case[]>,
  isOwn: (place: number) => boolean,
): AsyncGenerator<readonly Case[]> {
  let place = -1;
  for await (const batch of batches) {
    const own = batch.filter(() => {
      place += 1;
      return isOwn(place);
    });
    if (own.length > 0) yield own;
  }
}
