import { hasGlob, matchesName, nameMatcher } from "../../base/glob.ts";
import { nearest } from "../../base/nearest.ts";
import { declaredFor } from "../../gate/rules/plan.ts";
import type { Dataset } from "../../model/definition/dataset.ts";
import { isAggregated, withSampleMetrics } from "../../model/definition/metric.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { Case } from "../../model/outcomes/sample.ts";
import type { Suite, Task } from "../../model/definition/suite.ts";

/** A task, its rules, and the rows that both sides of a comparison choose from. */
interface RuledTask {
  readonly spec: Task;
  readonly index: number;
  readonly resolved: {
    readonly suite: Pick<Suite, "gate" | "max_samples" | "only_cases" | "only_where">;
    readonly place: (path: readonly (string | number)[]) => Place;
  };
}

interface RowsOfTask {
  /** Every case of the task, before any are selected. */
  readonly dataset: Dataset;
  readonly slicesOf: (row: Case["row"]) => Readonly<Record<string, string>>;
}

/**
 * Names and numbers of the manifest that the rows of a task do not bear out, so that its gate can't pass: names of
 * `must_pass`, slices of rules, `min_cases`. Nothing is said of rows that were read only in part.
 */
export async function unmetByRows(task: RuledTask, rows: RowsOfTask): Promise<readonly Problem[]> {
  if (rows.dataset.first !== undefined) return [];
  return [...fewerCases(task, rows.dataset.size), ...(await unknownNames(task, rows))];
}

/** `min_cases` that no run can have. A run of cases that were chosen by name does not ask for it. */
export function fewerCases(
  { spec: { id, min_cases: asked }, index, resolved: { suite, place } }: RuledTask,
  rows: number,
): readonly Problem[] {
  const { max_samples: drawn = rows, only_cases = [], only_where = [] } = suite;
  const cases = Math.min(rows, drawn);
  if (asked <= cases || only_cases.length + only_where.length > 0) return [];
  const found = { task: id, asked, cases, rows };
  return [problem("min_cases_unreachable", found, place(["tasks", index, "min_cases"]))];
}

async function unknownNames(task: RuledTask, rows: RowsOfTask): Promise<readonly Problem[]> {
  const { id, metrics } = task.spec;
  const { suite, place } = task.resolved;
  const rules = declaredFor(suite.gate, id, withSampleMetrics(metrics).filter(isAggregated));
  if (rules.every(({ rule }) => rule.must_pass === undefined && rule.slice === undefined))
    return [];
  const { ids, slices } = await namesIn(rows);
  const found: Problem[] = [];
  for (const { rule, at } of rules) {
    for (const [i, name] of (rule.must_pass ?? []).entries()) {
      if (isCase(name, ids)) continue;
      const asked = { name, task: id, isGlob: hasGlob(name), ...near(name, ids) };
      found.push(problem("must_pass_unknown", asked, place(["gate", "rules", at, "must_pass", i])));
    }
    const { slice } = rule;
    if (slice === undefined || [...slices].some((name) => matchesName(name, slice))) continue;
    const asked = { slice, task: id, ...near(slice, slices) };
    found.push(problem("rule_slice_empty", asked, place(["gate", "rules", at, "slice"])));
  }
  return found;
}

/** The ids of all cases, and the slices that have one. */
async function namesIn({ dataset, slicesOf }: RowsOfTask): Promise<{
  readonly ids: ReadonlySet<string>;
  readonly slices: ReadonlySet<string>;
}> {
  const [ids, slices] = [new Set<string>(), new Set<string>()];
  for await (const batch of dataset.cases())
    for (const { caseId, row } of batch) {
      ids.add(caseId);
      for (const [field, value] of Object.entries(slicesOf(row))) slices.add(`${field}=${value}`);
    }
  return { ids, slices };
}

function isCase(name: string, ids: ReadonlySet<string>): boolean {
  return ids.has(name) || (hasGlob(name) && [...ids].some(nameMatcher(name)));
}

/** The most alike of the known names, and a few of them as examples. */
function near(
  name: string,
  known: ReadonlySet<string>,
): { readonly nearest: string | undefined; readonly some: readonly string[] } {
  return { nearest: nearest(name, known), some: [...known].slice(0, 3) };
}
