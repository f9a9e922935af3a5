import type { Dataset } from "../model/ports.ts";

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
