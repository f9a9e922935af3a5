import { crash } from "../domain/compared.ts";
import { errorLine } from "../domain/error-line.ts";
import type { Diagnosis } from "../domain/run.ts";
import { caseKey, type Sample, type SampleError } from "../domain/sample.ts";
import type { Crashed } from "../gate/crashes.ts";
import { crashReason, type CrashEnd } from "../gate/crash-words.ts";

/** Distinct ends that are held: a program that words each error anew has nothing to group. */
const heldAtMost = 1000;
/** Of a task and candidate; the others are summed up. */
const toldAtMost = 3;

/** What the cases that crashed, and did not in the baseline, have in common: a diagnosis for each way to end, the most frequent first. */
export async function findCrashes(
  crashed: readonly Crashed[],
  samples: AsyncIterable<Sample>,
): Promise<readonly Diagnosis[]> {
  const places = new Map(
    crashed
      .filter(({ ids }) => ids.size > 0)
      .map((one) => [placeOf(one.task, one.candidate), { one, ends: new Map<string, End>() }]),
  );
  if (places.size === 0) return [];
  for await (const { task_id, model, case_id: id, error } of samples) {
    const place = places.get(placeOf(task_id, model));
    if (place !== undefined && error !== null && place.one.ids.has(id)) add(place.ends, id, error);
  }
  return [...places.values()].flatMap(({ one, ends }) => describe(one, [...ends.values()]));
}

/** Samples that ended alike. */
interface End {
  readonly end: CrashEnd;
  /** The first message, in one line. It may hold texts of a sample. */
  readonly first: string;
  readonly cases: Set<string>;
}

function placeOf(task: string, candidate: string): string {
  return caseKey({ task, candidate, caseId: "" });
}

function add(ends: Map<string, End>, id: string, error: SampleError): void {
  // What is nobody's fault is no crash.
  if (error.fault === "infra") return;
  const { text, kind } = errorLine(error.message);
  const key = `${error.stage} ${error.type} ${kind}`;
  const known = ends.get(key);
  if (known !== undefined) known.cases.add(id);
  else if (ends.size < heldAtMost)
    ends.set(key, { end: endOf(error), first: text, cases: new Set([id]) });
}

function endOf({ stage, type }: SampleError): CrashEnd {
  if (type.includes("timeout")) return "timed_out";
  return stage === "generate" ? "crashed" : "no_score";
}

function describe({ task, candidate, of }: Crashed, ends: readonly End[]): readonly Diagnosis[] {
  const sorted = ends.toSorted((a, b) => b.cases.size - a.cases.size);
  return sorted.slice(0, toldAtMost).map(({ end, first, cases }) => ({
    task,
    candidate,
    symptom: crash,
    message: crashReason(end, cases.size, of),
    detail: first,
  }));
}
