import type { Candidate } from "../model/models/candidate.ts";
import type { Dataset } from "../model/definition/dataset.ts";
import type { HashText } from "../model/ports/files.ts";
import type { Case } from "../model/outcomes/sample.ts";
import type { RunContext } from "./context.ts";

/** A sample before it is run. */
export interface PlannedSample {
  readonly id: string;
  /** Position in the whole plan of the task, from 0 and without gaps. */
  readonly sequence: number;
  /** Position among the candidate's samples. */
  readonly index: number;
  readonly repeat: number;
  readonly case: Case;
  readonly candidate: Candidate;
  /** Names of all candidates that answer this case and repeat. */
  readonly beside: readonly string[];
}

type SampleId = (identity: readonly (string | number)[]) => string;

/** A sample's id: a hash of its identity, the same in every run. */
export function sampleIdFor(hashText: HashText): SampleId {
  return (identity) => `sample_${hashText(JSON.stringify(identity)).slice(-24)}`;
}

/** A task to plan. */
interface ToPlan {
  readonly id: string;
  readonly repeats: number;
  readonly dataset: Dataset;
  /** Samples that earlier attempts made, by id. undefined: there are none. */
  readonly earlier?: ReadonlySet<string> | undefined;
}

/**
 * The samples of a task in order: case by case, repeats within a case, candidates within a repeat. Yields batches; each
 * must be read before the next.
 *
 * With earlier attempts, their samples come first. Then a case gets as many further repeats as the task declares. But if
 * an attempt left some of its repeats ungraded, only these are asked again. So a further attempt never asks for more than
 * the first. Recordings give no new answers: they have one attempt.
 */
export async function* planSamples(
  task: ToPlan,
  candidates: readonly Candidate[],
  sampleId: SampleId,
): AsyncGenerator<Iterable<PlannedSample>> {
  let sequence = 0;
  function* samplesOf(cases: readonly Case[]): Generator<PlannedSample> {
    for (const each of cases) {
      const wanted = candidates.map((candidate) => placesOf({ task, candidate, each }, sampleId));
      const most = Math.max(0, ...wanted);
      for (let repeat = 0; repeat < most; repeat += 1) {
        const beside = candidates.flatMap(({ id }, i) => (repeat < (wanted[i] ?? 0) ? [id] : []));
        for (const [i, candidate] of candidates.entries()) {
          if (repeat >= (wanted[i] ?? 0)) continue;
          yield {
            id: sampleId([task.id, candidate.id, each.caseId, repeat]),
            sequence,
            index: each.index * task.repeats + repeat,
            repeat,
            case: each,
            candidate,
            beside,
          };
          sequence += 1;
        }
      }
    }
  }
  for await (const cases of task.dataset.cases()) yield samplesOf(cases);
}

/** Number of a case's repeats, including earlier attempts: up to the end of the first incomplete attempt. */
function placesOf(
  {
    task: { id, repeats, earlier },
    candidate,
    each,
  }: { readonly task: ToPlan; readonly candidate: Candidate; readonly each: Case },
  sampleId: SampleId,
): number {
  if (earlier === undefined || candidate.recorded === true) return repeats;
  const has = (repeat: number): boolean =>
    earlier.has(sampleId([id, candidate.id, each.caseId, repeat]));
  let repeat = 0;
  while (has(repeat)) repeat += 1;
  return (Math.floor(repeat / repeats) + 1) * repeats;
}

/** The planned samples that must still be run or taken over, until no more are wanted. */
export async function* untilStopped(
  planned: AsyncIterable<Iterable<PlannedSample>>,
  run: RunContext,
): AsyncGenerator<Iterable<PlannedSample>> {
  let isOver = false;
  function* wantedOf(batch: Iterable<PlannedSample>): Generator<PlannedSample> {
    for (const each of batch) {
      const found = isWanted(each, run);
      if (found === "over") {
        isOver = true;
        return;
      }
      if (found === "yes") yield each;
    }
  }
  for await (const batch of planned) {
    yield wantedOf(batch);
    if (isOver) break;
  }
}

/** Whether a sample is still run or taken over; `over`: no further sample is. */
function isWanted(
  { id }: PlannedSample,
  { tools, store, stopSignal }: RunContext,
): "yes" | "no" | "over" {
  const { finished, answers, previous } = store;
  const isStopped = tools.signal.aborted || stopSignal.cause() !== undefined;
  if (!isStopped) return "yes";
  const isKept = finished.has(id) || answers.has(id);
  // A rerun keeps every sample of the finished run, however it ends.
  if (previous !== undefined) return isKept || previous.has(id) ? "yes" : "no";
  const nothingPaid = finished.size + answers.size === 0;
  if (tools.signal.aborted || nothingPaid) return "over";
  return isKept ? "yes" : "no";
}
