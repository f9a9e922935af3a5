import { ownValue } from "../../model/own-value.ts";
import { asGlob, hasGlob, nameMatcher } from "../../base/glob.ts";
import { nearest } from "../../base/nearest.ts";
import type { Json } from "../../model/json.ts";
import type { Dataset } from "../../model/definition/dataset.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Case } from "../../model/outcomes/sample.ts";
import type { Suite } from "../../model/definition/suite.ts";
import type { OpenedTasks } from "../opening/open-all.ts";
import type { PreparedTask } from "../opening/open-task.ts";

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
  { only_cases: globs = [], only_where: where = [] }: Pick<Suite, "only_cases" | "only_where">,
): Promise<OpenedTasks & { readonly leftOut: readonly string[] }> {
  if (globs.length + where.length === 0) return { ...opened, leftOut: [] };
  const all: string[] = [];
  const matches = globs.length === 0 ? () => true : caseMatcher(globs);
  const tasks: PreparedTask[] = [];
  try {
    for (const task of opened.tasks) {
      const { ids, fitting } = await idsOf(task.dataset, rowMatcher(where));
      for (const id of ids) all.push(id);
      const chosen = new Set(fitting.filter(matches));
      // A comparison finds cases by their ids.
      const only = where.length === 0 ? globs : [...chosen].map(asGlob);
      const selection = { selected: chosen.size, of: ids.length, up_to: 1, only };
      if (chosen.size === 0) continue;
      // The user chose the cases, so `min_cases` need not guard their number; such a run can't be a baseline.
      const spec = { ...task.spec, min_cases: Math.min(task.spec.min_cases, chosen.size) };
      tasks.push({ ...task, spec, dataset: onlyCases(task.dataset, chosen), selection });
    }
    refuseIdleGlobs(globs, all);
    if (tasks.length === 0) throw new Refusal(problem("where_selects_nothing", { where, globs }));
  } catch (error) {
    await opened.close();
    throw error;
  }
  const kept = new Set(tasks.map(({ spec }) => spec.id));
  const ids = opened.tasks.map(({ spec }) => spec.id);
  return { ...opened, tasks, leftOut: ids.filter((id) => !kept.has(id)) };
}

/** The ids of all cases, and of those whose row matches. */
async function idsOf(
  dataset: Dataset,
  fits: (row: Case["row"]) => boolean,
): Promise<{ readonly ids: readonly string[]; readonly fitting: readonly string[] }> {
  const [ids, fitting]: [string[], string[]] = [[], []];
  for await (const batch of dataset.cases())
    for (const { caseId, row } of batch) {
      ids.push(caseId);
      if (fits(row)) fitting.push(caseId);
    }
  return { ids, fitting };
}

/**
 * A function that tells whether a row matches `field=glob` filters: for each field at least one of its filters. Throws
 * a Refusal for a malformed filter.
 */
function rowMatcher(where: readonly string[]): (row: Case["row"]) => boolean {
  const asked = where.map((text) => {
    const cut = text.indexOf("=");
    if (cut < 1) throw new Refusal(problem("where_malformed", { where: text }));
    return { field: text.slice(0, cut), matches: nameMatcher(text.slice(cut + 1)) };
  });
  const byField = [...Map.groupBy(asked, ({ field }) => field)];
  return (row) =>
    byField.every(([field, globs]) => {
      const values = textsIn(ownValue(row, field));
      return globs.some(({ matches }) => values.some(matches));
    });
}

/** A value as text; for a list, the texts of its items. */
function textsIn(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value === "string") return [value];
  return typeof value === "number" || typeof value === "boolean" ? [String(value)] : [];
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
