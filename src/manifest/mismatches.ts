import { problem } from "../domain/refusal.ts";
import type { Task } from "../domain/suite.ts";
import type { Desk } from "./desk.ts";
import { at, isPresent, type Part, placeOf } from "./part.ts";

/** Parts of a task that are right by themselves and wrong together. */
export function warnMismatches(
  { grader, output_extraction }: Pick<Task, "grader" | "output_extraction">,
  task: Part,
  desk: Desk,
): void {
  if (output_extraction.type !== "number" || grader.type !== "exact_match") return;
  const place = placeOf(at(task, isPresent(at(task, "grader")) ? "grader" : "graders"));
  desk.warn(problem("number_compared_as_text", undefined, place));
}
