import type { Graded } from "../../model/grading.ts";
import type { JsonObject } from "../../model/json.ts";
import type { GraderItem, GraderSample, Scores } from "../../model/outcomes/sample.ts";

/** Result of a check for a sample: the share of parts that hold, and feedback on those that don't. */
export interface CheckResult {
  readonly score: number;
  readonly passed: boolean;
  readonly feedback: string;
  /** Metrics beside the main one. */
  readonly scores?: Scores;
  readonly details?: JsonObject;
}

type Check = (sample: GraderSample, item: GraderItem) => CheckResult;

/** A grader that needs no Python: its check, or the problem of its options. */
export type CheckOpened = { readonly check: Check } | { readonly fault: string };

/** The share of parts that hold. A check of no parts is refused when it is opened. */
export function shareOf(
  count: number,
  failures: readonly string[],
  { allHold }: { readonly allHold: string },
): CheckResult {
  return {
    score: (count - failures.length) / count,
    passed: failures.length === 0,
    feedback: failures.length === 0 ? allHold : failures.join("; "),
    details: { checks: count, failures: [...failures] },
  };
}

/** The main score under `id`, and whether it passed. */
export function gradedOf(
  id: string,
  { score, passed, feedback, scores = {}, details = {} }: CheckResult,
): Graded {
  return {
    kind: "scored",
    scores: { [id]: score, passed: passed ? 1 : 0, ...scores },
    judge: { feedback, ...details },
    printed: null,
  };
}
