import { hasGlob, nameMatcher } from "../base/glob.ts";
import { nearest } from "../base/nearest.ts";
import type { Dataset } from "../model/ports.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { OpenedTasks } from "./open-all.ts";
import type { PreparedTask } from "./open-task.ts";

/** Some of a dataset's cases, in its order. */
export function onlyCases(dataset: Dataset, ids: ReadonlySet<string>): Dataset {
  return {
    ...dataset,
    size: ids.size,
    cases: async function* some() {
      for await (const batch of dataset.cases()) {
        const kept = batch.filter(({ caseId }) => ids.has(caseId));
        if (kept.length > 0) yield kept;
      }
    },
  };
}

/** Says whether some glob matches an id. Plain ids, of which there may be thousands, are looked up. */
export function caseMatcher(globs: readonly string[]): (caseId: string) => boolean {
  const plain = new Set(globs.filter((glob) => !hasGlob(glob)));
  const matchers = globs.filter(hasGlob).map((glob) => nameMatcher(glob));
  return (caseId) => plain.has(caseId) || matchers.some((matches) => matches(caseId));
}

/**
 * The opened tasks with only the requested cases, and the ids of tasks without any. Closes everything and throws a
 * Refusal if a glob matches no case of any task.
 */
export async function withCases(
  opened: OpenedTasks,
  globs: readonly string[] = [],
): Promise<OpenedTasks & { readonly leftOut: readonly string[] }> {
  if (globs.length === 0) return { ...opened, leftOut: [] };
  const all: string[] = [];
  const matches = caseMatcher(globs);
  const tasks: PreparedTask[] = [];
  try {
    for (const task of opened.tasks) {
      const ids = await idsOf(task.dataset);
      for (const id of ids) all.push(id);
      const chosen = new Set(ids.filter(matches));
      const selection = { selected: chosen.size, of: ids.length, up_to: 1, only: globs };
      if (chosen.size === 0) continue;
      // The caller named the cases, so `min_cases` need not guard their number; such a run is no baseline.
      const spec = { ...task.spec, min_cases: Math.min(task.spec.min_cases, chosen.size) };
      tasks.push({ ...task, spec, dataset: onlyCases(task.dataset, chosen), selection });
    }
    refuseIdleGlobs(globs, all);
  } catch (error) {
    await opened.close();
    throw error;
  }
  const kept = new Set(tasks.map(({ spec }) => spec.id));
  const ids = opened.tasks.map(({ spec }) => spec.id);
  return { ...opened, tasks, leftOut: ids.filter((id) => !kept.has(id)) };
}

async function idsOf(dataset: Dataset): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const batch of dataset.cases()) for (const { caseId } of batch) ids.push(caseId);
  return ids;
}

function refuseIdleGlobs(globs: readonly string[], ids: readonly string[]): void {
  const known = new Set(ids);
  const idle = globs.filter((glob) =>
    hasGlob(glob) ? !ids.some(nameMatcher(glob)) : !known.has(glob),
  );
  if (idle.length === 0) return;
  throw new Refusal(
    idle.map((glob) =>
      problem("case_selects_nothing", { glob, nearest: nearest(glob, ids), first: ids[0] }),
    ),
  );
}
