import type { Candidate } from "../model/models/candidate.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import { refuse, type OpenedTasks } from "./opening/open-all.ts";
import type { PreparedTask, TaskToOpen } from "./opening/open-task.ts";

/** Refuses recordings that answer no case of any task, and closes what was opened: their ids are most likely others. */
export async function refuseForeign(
  { tasks, candidates, close }: OpenedTasks,
  place: TaskToOpen["resolved"]["place"],
): Promise<void> {
  const found = await foreignRecordings(tasks, candidates, (id) =>
    place(["candidates", id, "replay"]),
  );
  if (found.length > 0) await close();
  refuse(found);
}

/** Nothing is said if only some of the cases are known. */
async function foreignRecordings(
  tasks: readonly PreparedTask[],
  candidates: readonly Candidate[],
  placeOf: (candidate: string) => Place,
): Promise<readonly Problem[]> {
  const isPart = tasks.some(({ dataset, selection }) => dataset.first !== undefined || selection);
  if (isPart) return [];
  const problems: Problem[] = [];
  for (const { id, recordings } of candidates) {
    if (recordings === undefined || (await answersAny(tasks, recordings))) continue;
    const found = { recorded: recordings.some, cases: await firstIds(tasks) };
    if (found.cases.length > 0) problems.push(problem("replay_foreign", found, placeOf(id)));
  }
  return problems;
}

async function answersAny(
  tasks: readonly PreparedTask[],
  { has }: NonNullable<Candidate["recordings"]>,
): Promise<boolean> {
  for (const { spec, dataset } of tasks) {
    const repeats = [...Array(spec.repeats).keys()];
    for await (const batch of dataset.cases())
      for (const { caseId } of batch)
        if (repeats.some((repeat) => has({ taskId: spec.id, caseId, repeat }))) return true;
  }
  return false;
}

/** The ids of the first cases. */
async function firstIds(tasks: readonly PreparedTask[]): Promise<readonly string[]> {
  for (const { dataset } of tasks)
    for await (const batch of dataset.cases())
      if (batch.length > 0) return batch.slice(0, 3).map(({ caseId }) => caseId);
  return [];
}
