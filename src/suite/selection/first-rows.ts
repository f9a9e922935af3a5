import type { Prepared } from "../prepare.ts";

/** A line for each remote data set of which a check has read only the first rows. */
export function firstRowsOnly({ tasks }: Prepared): readonly string[] {
  return tasks.flatMap(({ spec, dataset: { first } }) => {
    if (first === undefined) return [];
    const of = first.size === undefined ? "" : ` of its ${first.size}`;
    return [
      `task ${spec.id}: the first ${first.checked}${of} rows were read and checked; a run brings all of them here`,
    ];
  });
}
