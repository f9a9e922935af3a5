import type { Candidate, Dataset, HashText } from "../domain/ports.ts";
import type { Case } from "../domain/sample.ts";
import type { PlannedSample } from "./sample.ts";

/** A sample's id: a hash of what it is, the same in every run. */
export function sampleIdFor(
  hashText: HashText,
): (identity: readonly (string | number)[]) => string {
  return (identity) => `sample_${hashText(JSON.stringify(identity)).slice(-24)}`;
}

/**
 * The samples of a task in order: case by case, repeats within a case, candidates within a repeat. In batches, each of which
 * is read before the next is asked for.
 */
export async function* planSamples(
  task: { readonly id: string; readonly repeats: number; readonly dataset: Dataset },
  candidates: readonly Candidate[],
  sampleId: (identity: readonly (string | number)[]) => string,
): AsyncGenerator<Iterable<PlannedSample>> {
  let sequence = 0;
  function* samplesOf(cases: readonly Case[]): Generator<PlannedSample> {
    for (const each of cases) {
      for (let repeat = 0; repeat < task.repeats; repeat += 1) {
        for (const candidate of candidates) {
          yield {
            id: sampleId([task.id, candidate.id, each.caseId, repeat]),
            sequence,
            index: each.index * task.repeats + repeat,
            repeat,
            case: each,
            candidate,
          };
          sequence += 1;
        }
      }
    }
  }
  for await (const cases of task.dataset.cases()) yield samplesOf(cases);
}
