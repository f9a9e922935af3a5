import { canonicalJson } from "../../model/json.ts";
import type { Dataset } from "../../model/definition/dataset.ts";
import type { Case, Row } from "../../model/outcomes/sample.ts";
import type { PreparedTask } from "../opening/open-task.ts";

/** Larger data sets are compared as they are: the base's rows are kept in memory. */
const mostCases = 20_000;

/**
 * A change's tasks, in which a row that only has more fields than the base's row of the same id counts as the same case: a
 * new column must not prevent the comparison with the baseline. Rows with any other difference keep their own content.
 */
export async function withBaseContents(
  base: readonly PreparedTask[],
  head: readonly PreparedTask[],
): Promise<readonly PreparedTask[]> {
  return Promise.all(
    head.map(async (task) => {
      const { dataset } = task;
      const before = base.find(({ spec }) => spec.id === task.spec.id)?.dataset;
      if (before === undefined || before.size > mostCases) return task;
      if (dataset.fields.isSubsetOf(before.fields)) return task;
      return { ...task, dataset: withContentsOf(await casesById(before), dataset) };
    }),
  );
}

async function casesById(dataset: Dataset): Promise<ReadonlyMap<string, Case>> {
  const found = new Map<string, Case>();
  for await (const cases of dataset.cases()) for (const each of cases) found.set(each.caseId, each);
  return found;
}

function withContentsOf(before: ReadonlyMap<string, Case>, dataset: Dataset): Dataset {
  const known = (each: Case): Case => {
    const old = before.get(each.caseId);
    return old === undefined || !extendsRow(each.row, old.row)
      ? each
      : { ...each, content: old.content };
  };
  return {
    ...dataset,
    cases: async function* () {
      for await (const cases of dataset.cases()) yield cases.map(known);
    },
  };
}

/** Whether a row has all fields of another one, with the same values. */
function extendsRow(row: Row, old: Row): boolean {
  return Object.entries(old).every(
    ([name, value]) =>
      Object.hasOwn(row, name) && canonicalJson(row[name] ?? null) === canonicalJson(value),
  );
}
