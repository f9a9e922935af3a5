import type { TaskPlace } from "../place.ts";

/** A likely problem of the suite or its grader, and what to do about it. */
export interface Diagnosis extends TaskPlace {
  /** Its kind, for programs. */
  readonly symptom: string;
  readonly message: string;
  /** Message of the first sample; it may hold texts of a case. */
  readonly detail: string | null;
}
