import { crash } from "../model/outcomes/compared.ts";
import { errorLine, notAskedIn } from "../base/error-line.ts";
import type { Diagnosis } from "../model/outcomes/diagnosis.ts";
import { caseKey, outcomeOf, type Sample, type SampleError } from "../model/outcomes/sample.ts";
import type { Crashed } from "../gate/crashes.ts";
import { graderWords } from "../report/words/grader-words.ts";
import { crashReason, type CrashEnd } from "../report/words/losses.ts";

/** Limit of distinct ends in memory: if a program words each error differently, there is nothing to group. */
const heldAtMost = 1000;
/** Limit of messages per task and candidate; further ones are counted together. */
const toldAtMost = 3;

/** Common causes of cases that crashed here but not in the baseline: one diagnosis per cause, the most frequent first. */
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
  for await (const sample of samples) {
    const place = places.get(placeOf(sample.task_id, sample.model));
    const error = place?.one.ids.has(sample.case_id) === true ? errorOf(sample) : undefined;
    if (place !== undefined && error !== undefined) add(place.ends, sample, error);
  }
  return [...places.values()].flatMap(({ one, ends }) => describe(one, [...ends.values()]));
}

/** Samples that ended in the same way. */
interface End {
  readonly end: CrashEnd;
  /**
   * The message, in one line, of the sample that comes first in the suite, because samples end in any order. It may
   * contain texts of a sample.
   */
  first: string;
  at: number;
  readonly cases: Set<string>;
}

function placeOf(task: string, candidate: string): string {
  return caseKey({ task, candidate, caseId: "" });
}

type Fault = Pick<SampleError, "stage" | "type" | "message">;

/** undefined: the sample has a score, or is ungraded through nobody's fault. */
function errorOf(sample: Sample): Fault | undefined {
  const { error } = sample;
  if (error !== null) return error.fault === "infra" ? undefined : error;
  if (outcomeOf(sample) !== "invalid") return undefined;
  return { stage: "grade", type: "invalid", message: graderWords({ score: 0, ...sample }) };
}

function add(
  ends: Map<string, End>,
  { case_id: id, sample_index: at }: Sample,
  error: Fault,
): void {
  const unasked = notAskedIn(error.message);
  const line = errorLine(error.message);
  const [text, kind] = unasked === undefined ? [line.text, line.kind] : [unasked, unasked];
  const key = `${error.stage} ${error.type} ${kind}`;
  const known = ends.get(key);
  if (known !== undefined) {
    known.cases.add(id);
    if (at < known.at) Object.assign(known, { first: text, at });
  } else if (ends.size < heldAtMost) {
    ends.set(key, { end: endOf(error, line.thrown), first: text, at, cases: new Set([id]) });
  }
}

/** Error types of a program that ended or reported a failure. Other tools' results have a traceback instead. */
const programEnds = ["exit_code", "signal", "worker_error"];

function endOf({ stage, type, message }: Fault, isThrown: boolean): CrashEnd {
  if (notAskedIn(message) !== undefined) return "not_asked";
  if (type.includes("timeout")) return "timed_out";
  if (stage !== "generate") return "no_score";
  return isThrown || programEnds.includes(type) ? "crashed" : "no_answer";
}

/** Sorts cases that were not asked last, because they are consequences of the others. */
function order({ end }: End): number {
  return end === "not_asked" ? 1 : 0;
}

function describe({ task, candidate, of }: Crashed, ends: readonly End[]): readonly Diagnosis[] {
  const sorted = ends.toSorted(
    (a, b) => order(a) - order(b) || b.cases.size - a.cases.size || a.at - b.at,
  );
  return sorted.slice(0, toldAtMost).map(({ end, first, cases }) => ({
    task,
    candidate,
    symptom: crash,
    message: crashReason(end, cases.size, of),
    detail: first,
  }));
}
